/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EAVESDROPPER_H
#define DLEARN_EAVESDROPPER_H

#include "dlearn-overheard-traffic.h"

#include "ns3/ipv4.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"
#include "ns3/wifi-phy.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Listens where frames pass and reads the vectors in them: the passive attacker that local
 * differential privacy is there for, "an adversary that can observe every message shared" (Chen
 * and Wang, "Locally Differentially Private Distributed Online Learning with Guaranteed
 * Optimality", section I). Nothing is encrypted; TLS below dlearn would end this.
 *
 * It can listen in several places at once, and it changes nothing there:
 *
 *  - Listen() at a device: of a point-to-point link, at that end of it (what arrives there and
 *    what leaves); of CSMA, on the whole bus; of Wi-Fi, in monitor mode, all frames that the radio
 *    decodes and those that it sends, whatever their destination. For a separate radio see
 *    WifiNetwork::AddListener().
 *  - ListenAt() a node, at its IP layer: a learner, router or host that the attacker controls, over
 *    all of its devices.
 *
 * OverheardTraffic reassembles vectors from the frames. The trace source Overheard reports every
 * vector once for each pair of addresses, however often it was sent or seen. The eavesdropper does
 * not get again what it missed, and GetCounters() says what it could not read. It cannot tell
 * whether a sender is who it claims to be.
 *
 * It keeps at most MaxBytes of what is unfinished, messages and streams, whatever headers announce;
 * when there is more it gives up the oldest. It does not read a larger vector.
 *
 * It lives as long as what it listens at, or until Dispose().
 */
class Eavesdropper : public Object
{
  public:
    static TypeId GetTypeId();
    Eavesdropper();
    ~Eavesdropper() override;

    /**
     * Listen at a device from now on.
     *
     * @param device of point-to-point, CSMA or Wi-Fi
     * @throw std::invalid_argument naming the type of any other device
     */
    void Listen(Ptr<NetDevice> device);

    /**
     * Listen at the IP layer of a node from now on.
     *
     * @param node with an IPv4 stack
     * @throw std::invalid_argument when it has none
     */
    void ListenAt(Ptr<Node> node);

    using Counters = OverheardTraffic::Counters; //!< what passed by

    /** @return what passed by so far */
    Counters GetCounters() const { return m_traffic.GetCounters(); }

    /** @return bytes of memory that unfinished messages and streams take, more or less */
    uint64_t GetBytes() const { return m_traffic.GetBytes(); }

    /**
     * Signature of the trace source Overheard.
     *
     * @param overheard a whole vector
     */
    typedef void (*OverheardTracedCallback)(const Overheard& overheard);

  protected:
    void DoDispose() override;

  private:
    void HandlePpp(Ptr<const Packet> frame);
    void HandleEthernet(Ptr<const Packet> frame);
    void HandleWifiRx(Ptr<const Packet> frame,
                      uint16_t frequency,
                      WifiTxVector vector,
                      MpduInfo mpdu,
                      SignalNoiseDbm signal,
                      uint16_t station);
    void HandleWifiTx(Ptr<const Packet> frame,
                      uint16_t frequency,
                      WifiTxVector vector,
                      MpduInfo mpdu,
                      uint16_t station);
    template <typename Ip>
    void HandleIp(Ptr<const Packet> packet, Ptr<Ip> ip, uint32_t interface);
    void Read(FrameKind kind, Ptr<const Packet> frame);

    uint32_t m_unfinishedLimit{4}; //!< attribute UnfinishedLimit
    uint32_t m_streamLimit{0};     //!< attribute StreamLimit
    uint64_t m_maxBytes{0};        //!< attribute MaxBytes
    bool m_disposed{false};        //!< reads nothing any more
    OverheardTraffic m_traffic;    //!< what it makes of the frames
    std::vector<uint8_t> m_bytes;  //!< of the frame being read

    TracedCallback<const Overheard&> m_overheard; //!< trace source Overheard
};

} // namespace ns3::dlearn

#endif // DLEARN_EAVESDROPPER_H
