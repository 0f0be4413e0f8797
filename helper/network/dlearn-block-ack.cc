/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-block-ack.h"

#include "ns3/block-ack-manager.h"
#include "ns3/callback.h"
#include "ns3/dlearn-check.h"
#include "ns3/ht-configuration.h"
#include "ns3/ht-frame-exchange-manager.h"
#include "ns3/mgt-headers.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/qos-txop.h"
#include "ns3/recipient-block-ack-agreement.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/uinteger.h"
#include "ns3/vht-configuration.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"

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

/** Reaches what ns-3 shows to derived classes only. */
struct BlockAckReceiver : HtFrameExchangeManager
{
    /**
     * @param manager of the receiver
     * @param sender of what it receives
     * @param tid of that
     * @param agreement it gets
     */
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

/** @return the device with an address; null for none */
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

/** @return what exchanges frames; null of radios before 802.11n */
Ptr<HtFrameExchangeManager>
GetExchange(const Ptr<WifiNetDevice>& radio)
{
    return DynamicCast<HtFrameExchangeManager>(radio->GetMac()->GetFrameExchangeManager());
}

/**
 * Give both sides an agreement, as the handshake of ns-3 does, unless there is one.
 *
 * @param from who sends
 * @param header of what it sends: its receiver and its TID count
 */
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

/** Sink of the trace Enqueue of the queue of @p from, which has not begun to send the packet. */
void
HandleEnqueue(WifiNetDevice* from, Ptr<const WifiMpdu> mpdu)
{
    const WifiMacHeader& header = mpdu->GetHeader();
    if (header.IsQosData() && !header.GetAddr1().IsGroup())
    {
        Agree(*from, header);
    }
}

/** Enter the agreement of best effort, and check it. */
void
EnterBlockAck(const std::string& name, const Ptr<WifiNetDevice>& from, const Ptr<WifiNetDevice>& to)
{
    WifiMacHeader header(WIFI_MAC_QOSDATA);
    header.SetAddr1(to->GetMac()->GetAddress());
    header.SetAddr2(from->GetMac()->GetAddress());
    header.SetQosTid(0);
    Agree(*from, header);
    const auto receiver = GetExchange(to);
    Require(
        !receiver ||
            (from->GetMac()->GetQosTxop(AC_BE)->GetBaAgreementEstablished(header.GetAddr1(), 0) &&
             receiver->GetBaAgreementEstablished(header.GetAddr2(), 0)),
        name,
        ": node ",
        from->GetNode()->GetId(),
        " and node ",
        to->GetNode()->GetId(),
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

} // namespace ns3::dlearn
