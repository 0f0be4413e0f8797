/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-stalls.h"

#include "ns3/block-ack-manager.h"
#include "ns3/callback.h"
#include "ns3/dlearn-check.h"
#include "ns3/ht-configuration.h"
#include "ns3/ht-frame-exchange-manager.h"
#include "ns3/mac48-address.h"
#include "ns3/mgt-headers.h"
#include "ns3/multi-user-scheduler.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/qos-txop.h"
#include "ns3/recipient-block-ack-agreement.h"
#include "ns3/simulator.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"
#include "ns3/vht-configuration.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/yans-wifi-phy.h"

#include <algorithm>
#include <limits>

namespace ns3::dlearn
{

std::vector<Ptr<WifiNetDevice>>
ListRadios()
{
    std::vector<Ptr<WifiNetDevice>> radios;
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t k = 0; k < (*node)->GetNDevices(); ++k)
        {
            if (const auto radio = DynamicCast<WifiNetDevice>((*node)->GetDevice(k)))
            {
                radios.push_back(radio);
            }
        }
    }
    return radios;
}

bool
UsesBlockAcks(const Ptr<WifiNetDevice>& radio)
{
    UintegerValue bytes;
    radio->GetMac()->GetAttribute("BE_MaxAmpduSize", bytes);
    return radio->GetVhtConfiguration() || (radio->GetHtConfiguration() && bytes.Get() > 0);
}

#if __has_include("ns3/eht-operation.h")

void
KeepBlockAcks(const Ptr<WifiNetDevice>& /* radio */)
{
}

void
EnterBlockAcks(const std::string& /* name */)
{
}

#else

namespace
{

/** Gives access to protected members. */
struct BlockAckReceiver : HtFrameExchangeManager
{
    static void Enter(HtFrameExchangeManager& manager,
                      Mac48Address sender,
                      uint8_t tid,
                      RecipientBlockAckAgreement agreement)
    {
        agreement.SetMacRxMiddle(manager.*(&BlockAckReceiver::m_rxMiddle));
        (manager.*(&BlockAckReceiver::m_agreements))
            .insert_or_assign(AgreementKey(sender, tid), agreement);
    }
};

/** @return the device with an address, or null */
Ptr<WifiNetDevice>
FindRadioAt(Mac48Address address)
{
    for (const auto& radio : ListRadios())
    {
        if (radio->GetMac()->GetAddress() == address)
        {
            return radio;
        }
    }
    return nullptr;
}

/** @return the frame exchange manager; null for radios before 802.11n */
Ptr<HtFrameExchangeManager>
GetExchange(const Ptr<WifiNetDevice>& radio)
{
    return DynamicCast<HtFrameExchangeManager>(radio->GetMac()->GetFrameExchangeManager());
}

/** Establish an agreement on both sides, as ns-3's handshake does, unless it exists. */
void
Agree(WifiNetDevice& from, const WifiMacHeader& header)
{
    const Mac48Address peer = header.GetAddr1();
    const uint8_t tid = header.GetQosTid();
    const Ptr<QosTxop> txop = from.GetMac()->GetQosTxop(tid);
    const Ptr<BlockAckManager> manager = txop->GetBaManager();
    if (manager->ExistsAgreement(peer, tid) ||
        !from.GetRemoteStationManager()->GetHtSupported(peer))
    {
        return;
    }
    const auto to = FindRadioAt(peer);
    const auto receiver = to ? GetExchange(to) : nullptr;
    if (!receiver)
    {
        return;
    }
    const Mac48Address self = header.GetAddr2();
    const uint16_t start = txop->PeekNextSequenceNumberFor(&header);
    const uint16_t size = receiver->GetSupportedBaBufferSize();
    RecipientBlockAckAgreement agreement(self, true, tid, size, 0, start, true);
    agreement.SetImmediateBlockAck();
    BlockAckReceiver::Enter(*receiver, self, tid, agreement);
    MgtAddBaRequestHeader request;
    request.SetTid(tid);
    request.SetAmsduSupport(true);
    request.SetImmediateBlockAck();
    request.SetBufferSize(0); // the receiver chooses it
    request.SetTimeout(0);
    request.SetStartingSequence(start);
    manager->CreateAgreement(&request, peer);
    MgtAddBaResponseHeader response;
    response.SetTid(tid);
    response.SetAmsduSupport(true);
    response.SetImmediateBlockAck();
    response.SetBufferSize(size);
    response.SetTimeout(0);
    manager->UpdateAgreement(&response, peer, start);
}

/** Sink of the trace source Enqueue of a queue of @p from, before it sends the packet. */
void
HandleEnqueue(WifiNetDevice* from, Ptr<const WifiMpdu> mpdu)
{
    const WifiMacHeader& header = mpdu->GetHeader();
    if (header.IsQosData() && !header.GetAddr1().IsGroup())
    {
        Agree(*from, header);
    }
}

/** Establish the agreement for best effort, and check it. */
void
EnterBlockAck(const std::string& name, const Ptr<WifiNetDevice>& from, const Ptr<WifiNetDevice>& to)
{
    WifiMacHeader header(WIFI_MAC_QOSDATA);
    header.SetAddr1(to->GetMac()->GetAddress());
    header.SetAddr2(from->GetMac()->GetAddress());
    header.SetQosTid(0);
    Agree(*from, header);
    const auto receiver = GetExchange(to);
    const auto txop = from->GetMac()->GetQosTxop(AC_BE);
    Require(
        !receiver || (txop->GetBaAgreementEstablished(header.GetAddr1(), 0) &&
                      receiver->GetBaAgreementEstablished(header.GetAddr2(), 0)),
        name + ": node " + std::to_string(from->GetNode()->GetId()) + " and node " +
            std::to_string(to->GetNode()->GetId()) +
            " must agree on block acknowledgement before learners begin, but one of them does not "
            "know of it: set ns3::WifiMac::BE_MaxAmpduSize to 0");
}

} // namespace

void
KeepBlockAcks(const Ptr<WifiNetDevice>& radio)
{
    if (!UsesBlockAcks(radio))
    {
        return;
    }
    for (const AcIndex access : {AC_BE, AC_BK, AC_VI, AC_VO})
    {
        radio->GetMac()->GetTxopQueue(access)->TraceConnectWithoutContext(
            "Enqueue",
            MakeBoundCallback(&HandleEnqueue, PeekPointer(radio)));
    }
}

void
EnterBlockAcks(const std::string& name)
{
    for (const auto& radio : ListRadios())
    {
        const auto station = DynamicCast<StaWifiMac>(radio->GetMac());
        const auto accessPoint =
            station && station->IsAssociated() ? FindRadioAt(station->GetBssid(0)) : nullptr;
        if (accessPoint && UsesBlockAcks(radio) && UsesBlockAcks(accessPoint))
        {
            EnterBlockAck(name, radio, accessPoint);
            EnterBlockAck(name, accessPoint, radio);
        }
    }
}

#endif

namespace
{

/**
 * Sink of the trace source MacTxRtsFailed, after which the manager decides whether to retry: for
 * this decision, all frames are short.
 */
void
HandleRtsFailed(WifiRemoteStationManager* manager, uint32_t threshold, Mac48Address /* receiver */)
{
    manager->SetRtsCtsThreshold(std::numeric_limits<uint32_t>::max());
    Simulator::ScheduleNow(&WifiRemoteStationManager::SetRtsCtsThreshold,
                           Ptr<WifiRemoteStationManager>(manager),
                           threshold);
}

} // namespace

void
LimitRtsRetries(const Ptr<WifiRemoteStationManager>& manager, uint32_t threshold)
{
    if (HasTwoRetryCounters())
    {
        manager->TraceConnectWithoutContext(
            "MacTxRtsFailed",
            MakeBoundCallback(&HandleRtsFailed, PeekPointer(manager), threshold));
    }
}

bool
HasTwoRetryCounters()
{
    TypeId::AttributeInformation limit;
    return !WifiMac::GetTypeId().LookupAttributeByName("FrameRetryLimit", &limit);
}

namespace
{

constexpr double SILENCE = -1000;                   //!< gain in dB of a radio that is off
const Time LONG_FRAME_LIFE = Seconds(5);            //!< longer lifetimes block a queue
const Time LEAST_ADDBA_TIMEOUT = MilliSeconds(100); //!< less expires on a busy medium

/** Settings of best effort, the access category of learners. */
struct BestEffort
{
    uint64_t ampdu;      //!< BE_MaxAmpduSize
    uint64_t amsdu;      //!< BE_MaxAmsduSize
    uint64_t inactivity; //!< BE_BlockAckInactivityTimeout
    Time response;       //!< AddBaResponseTimeout
    Time life;           //!< MaxDelay of its queue
};

/** @return the settings of a radio of 802.11n or later */
BestEffort
ReadBestEffort(const Ptr<WifiMac>& mac)
{
    const auto read = [&mac](const std::string& name) {
        UintegerValue value;
        mac->GetAttribute(name, value);
        return value.Get();
    };
    const Ptr<QosTxop> txop = mac->GetQosTxop(AC_BE);
    return {read("BE_MaxAmpduSize"),
            read("BE_MaxAmsduSize"),
            txop->GetBlockAckInactivityTimeout(),
            txop->GetAddBaResponseTimeout(),
            txop->GetWifiMacQueue()->GetMaxDelay()};
}

bool
HasMinstrel(const Ptr<WifiNetDevice>& radio)
{
    return radio->GetRemoteStationManager()->GetInstanceTypeId().GetName() ==
           "ns3::MinstrelHtWifiManager";
}

/** Refuse settings that stall or corrupt memory. */
void
RefuseStalls(const std::string& name, const Ptr<WifiNetDevice>& radio, bool kept)
{
    const BestEffort own = ReadBestEffort(radio->GetMac());
    Require(
        own.amsdu <= LONGEST_AMSDU || !HasMinstrel(radio),
        name + ": ns3::WifiMac::BE_MaxAmsduSize must be at most " + std::to_string(LONGEST_AMSDU) +
            " with minstrel-ht, as a larger frame that no longer fits a slow rate blocks its queue "
            "for ever; got " +
            std::to_string(own.amsdu) + ", " + std::to_string(SAFE_AMSDU) + " is a good value");
    Require(!DynamicCast<YansWifiPhy>(radio->GetPhy()) ||
                !radio->GetMac()->GetObject<MultiUserScheduler>(),
            name + ": a scheduler of OFDMA needs a SpectrumWifiPhy; on the YansWifiPhy of node " +
                std::to_string(radio->GetNode()->GetId()) + " nothing would be delivered");
    Require(
        kept || own.ampdu == 0,
        name + ": node " + std::to_string(radio->GetNode()->GetId()) +
            " uses A-MPDU, whose set-up in this ns-3 can stall and corrupts memory when stations "
            "compete; call PrepareWifi() of the network, or set ns3::WifiMac::BE_MaxAmpduSize to "
            "0");
}

/** Warn of settings that may stall. */
void
WarnOfStalls(std::vector<std::string>& warnings,
             const Ptr<WifiNetDevice>& radio,
             bool canLeave,
             bool kept)
{
    const auto warn = [&warnings](bool when, const std::string& text) {
        if (when && std::find(warnings.begin(), warnings.end(), text) == warnings.end())
        {
            warnings.push_back(text);
        }
    };
    const BestEffort own = ReadBestEffort(radio->GetMac());
    warn(!kept && UsesBlockAcks(radio),
         "Wi-Fi may stall for ever: in this ns-3 the two sides of 802.11ac or ax may disagree on "
         "block acknowledgement, also without A-MPDU; call PrepareWifi() of the network, or use "
         "802.11n without A-MPDU");
    warn(canLeave && own.life > LONG_FRAME_LIFE && (UsesBlockAcks(radio) || HasMinstrel(radio)),
         "Wi-Fi may stall: what waits for a station that is out of range or switched off is sent "
         "again until it is older than ns3::WifiMacQueue::MaxDelay, and frames to others wait "
         "behind it; set it to 1s");
    warn(!kept && UsesBlockAcks(radio) && own.response < LEAST_ADDBA_TIMEOUT,
         "Wi-Fi may stall: block acknowledgement is given up before its set-up is answered when "
         "stations compete; set ns3::QosTxop::AddBaResponseTimeout to 1s");
    warn(own.inactivity > 0,
         "Wi-Fi may stall: block acknowledgement ends after ns3::WifiMac::"
         "BE_BlockAckInactivityTimeout and is set up again while stations compete; set it to 0");
}

} // namespace

void
DropFrames(WifiMac& mac)
{
    for (const AcIndex category : {AC_BE_NQOS, AC_BE, AC_BK, AC_VI, AC_VO})
    {
        if (const auto queue = mac.GetTxopQueue(category))
        {
            queue->WipeAllExpiredMpdus();
            queue->Flush();
        }
    }
}

void
SwitchRadio(WifiNetDevice& radio, bool on)
{
    const auto phy = radio.GetPhy();
    if (!on)
    {
        if (phy->IsStateSleep())
        {
            phy->ResumeFromSleep();
        }
        DropFrames(*radio.GetMac());
        phy->SetOffMode(); // ends what it sends and receives
        phy->ResumeFromOff();
    }
    const double change = on ? -SILENCE : SILENCE;
    phy->SetTxGain(phy->GetTxGain() + change);
    phy->SetRxGain(phy->GetRxGain() + change);
}

bool
IsSwitchedOff(const WifiPhy& phy)
{
    return phy.GetRxGain() < SILENCE / 2;
}

std::vector<std::string>
CheckWifi(const std::string& name,
          const std::vector<Ptr<WifiNetDevice>>& radios,
          bool canLeave,
          bool kept)
{
    kept = kept || !BLOCK_ACKS_MAY_DISAGREE;
    std::vector<std::string> warnings;
    for (const auto& radio : radios)
    {
        if (radio->GetHtConfiguration())
        {
            RefuseStalls(name, radio, kept);
            WarnOfStalls(warnings, radio, canLeave, kept);
        }
    }
    return warnings;
}

void
RepairWifi(const std::vector<Ptr<WifiNetDevice>>& radios)
{
    for (const auto& radio : radios)
    {
        if (!radio->GetHtConfiguration())
        {
            continue;
        }
        const Ptr<WifiMac> mac = radio->GetMac();
        const BestEffort own = ReadBestEffort(mac);
        const Ptr<QosTxop> txop = mac->GetQosTxop(AC_BE);
        mac->SetAttribute("BE_MaxAmsduSize",
                          UintegerValue(std::min<uint64_t>(own.amsdu, SAFE_AMSDU)));
        mac->SetAttribute("BE_BlockAckInactivityTimeout", UintegerValue(0));
        txop->SetAttribute("AddBaResponseTimeout", TimeValue(Max(own.response, Seconds(1))));
        txop->GetWifiMacQueue()->SetAttribute("MaxDelay", TimeValue(SHORT_FRAME_LIFE));
        KeepBlockAcks(radio);
    }
}

} // namespace ns3::dlearn
