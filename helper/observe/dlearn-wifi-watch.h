/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIFI_WATCH_H
#define DLEARN_WIFI_WATCH_H

#include "dlearn-run-warnings.h"

#include "ns3/dlearn-trace-connections.h"
#include "ns3/event-id.h"
#include "ns3/mac48-address.h"
#include "ns3/nstime.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-net-device.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Notices, while a run proceeds, that a radio of Wi-Fi has come to a stand-still: frames wait for
 * best effort, which learners use, and none was acknowledged for five seconds. It warns once, with
 * the cause and what to do. It warns, too, when frames are dropped because they are older than
 * MaxDelay, where that is less than a second.
 */
class WifiWatch
{
  public:
    /** How long nothing is delivered before that is a stand-still. */
    static constexpr int64_t PATIENCE = 5;

    /** @param warnings of the run, which outlive this; watches all radios that there are */
    explicit WifiWatch(RunWarnings& warnings);
    ~WifiWatch();

    WifiWatch(const WifiWatch&) = delete;
    WifiWatch& operator=(const WifiWatch&) = delete;

  private:
    /** One of the radios. */
    class Radio
    {
      public:
        /** @param watch that it tells @param device of Wi-Fi */
        Radio(WifiWatch& watch, Ptr<WifiNetDevice> device);
        ~Radio();

        Radio(const Radio&) = delete;
        Radio& operator=(const Radio&) = delete;

      private:
        void HandleEnqueue(Ptr<const WifiMpdu> mpdu);
        void HandleAcked(Ptr<const WifiMpdu> mpdu);
        void HandleDropped(WifiMacDropReason reason, Ptr<const WifiMpdu> mpdu);
        void HandleFailure(Mac48Address receiver);

        /** Look whether frames have waited for too long. */
        void Check();

        /** @return why nothing is delivered, and what to do */
        std::string Explain() const;

        WifiWatch& m_watch;                        //!< to which it belongs
        Ptr<WifiNetDevice> m_device;               //!< of Wi-Fi
        std::map<Mac48Address, uint32_t> m_failed; //!< attempts since a frame was acknowledged, of
                                                   //!< receivers for which frames waited
        Time m_since;                              //!< when frames began to wait, or the last
                                                   //!< acknowledgement
        EventId m_check;                           //!< the next Check()
        TraceConnections m_traces;                 //!< of the device
    };

    RunWarnings& m_warnings;                      //!< of the run
    bool m_stalled{false};                        //!< whether it has warned of a stand-still
    bool m_expired{false};                        //!< whether it has warned of old frames
    std::vector<std::unique_ptr<Radio>> m_radios; //!< of all nodes
};

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_WATCH_H
