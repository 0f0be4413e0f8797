/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIRED_DEVICES_H
#define DLEARN_WIRED_DEVICES_H

#include "ns3/error-model.h"
#include "ns3/net-device.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The point-to-point and CSMA devices of a node, which can be switched off: what waits in their
 * queues is dropped, and nothing is received, so that the node answers nobody. ns-3 has no switch
 * for them.
 */
class WiredDevices
{
  public:
    /** @param device a PointToPointNetDevice or a CsmaNetDevice */
    void Add(const Ptr<NetDevice>& device);

    /** The node loses its power. Has no effect on devices that are off. */
    void SwitchOff();

    /** It has power again. Has no effect on devices that are on. */
    void SwitchOn();

  private:
    /** A device. */
    struct Entry
    {
        Ptr<NetDevice> device;  //!< which
        Ptr<ErrorModel> errors; //!< of what it receives while it is on; may be null
        Ptr<ErrorModel> deaf;   //!< lets nothing pass, unless it is disabled
    };

    std::vector<Entry> m_devices; //!< all
    bool m_off{false};            //!< whether they are off
};

} // namespace ns3::dlearn

#endif // DLEARN_WIRED_DEVICES_H
