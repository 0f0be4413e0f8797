/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-link-statistics.h"

#include "ns3/ethernet-header.h"
#include "ns3/node-list.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/simulator.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

#ifdef DLEARN_WITH_LTE
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-rrc.h"
#include "ns3/lte-pdcp.h"
#include "ns3/lte-radio-bearer-info.h"
#include "ns3/lte-rlc.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-rrc.h"
#include "ns3/object-map.h"
#endif

#include <utility>

namespace ns3::dlearn
{

#ifdef DLEARN_WITH_LTE

namespace
{

/** @return the bearer of a number, by the attribute DataRadioBearerMap of an object; null: none */
Ptr<LteDataRadioBearerInfo>
FindBearer(const Ptr<Object>& owner, uint8_t id)
{
    ObjectMapValue bearers;
    owner->GetAttribute("DataRadioBearerMap", bearers);
    for (auto entry = bearers.Begin(); entry != bearers.End(); ++entry)
    {
        const auto bearer = DynamicCast<LteDataRadioBearerInfo>(entry->second);
        if (bearer && bearer->m_drbIdentity == id)
        {
            return bearer;
        }
    }
    return nullptr;
}

/** @return the base station of a cell; null: none */
Ptr<LteEnbNetDevice>
FindBaseStation(uint16_t cell)
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t k = 0; k < (*node)->GetNDevices(); ++k)
        {
            const auto device = DynamicCast<LteEnbNetDevice>((*node)->GetDevice(k));
            if (device && device->HasCellId(cell))
            {
                return device;
            }
        }
    }
    return nullptr;
}

/** Counts by the traces of one direction of a link. */
class LteDirection : public LinkWatch
{
  public:
    using LinkWatch::LinkWatch;

    /** @param sender bearer at the end that sends @param receiver bearer at the other end */
    void Watch(const LteDataRadioBearerInfo& sender, const LteDataRadioBearerInfo& receiver)
    {
        sender.m_rlc->TraceConnectWithoutContext("TxPDU",
                                                 MakeCallback(&LteDirection::HandleSent, this));
        sender.m_rlc->TraceConnectWithoutContext("TxDrop",
                                                 MakeCallback(&LteDirection::HandleDrop, this));
        receiver.m_pdcp->TraceConnectWithoutContext(
            "RxPDU",
            MakeCallback(&LteDirection::HandleArrival, this));
    }

    void NoteBegin() override
    {
        LinkWatch::NoteBegin();
        m_subframes = 0;
    }

  private:
    void HandleSent(uint16_t /* rnti */, uint8_t /* channel */, uint32_t size)
    {
        record.txBytes += size;
        m_subframes += m_last == Simulator::Now() ? 0 : 1;
        m_last = Simulator::Now();
    }

    void HandleDrop(Ptr<const Packet> /* packet */) { ++record.queueDrops; }

    void HandleArrival(uint16_t /* rnti */, uint8_t /* channel */, uint32_t /* size */, uint64_t ns)
    {
        m_delays.Add(NanoSeconds(ns)); // from buffer to buffer
    }

    double GetBusySeconds() const override { return m_subframes * MilliSeconds(1).GetSeconds(); }

    Time m_last{-1};       //!< newest subframe in which it sent
    double m_subframes{0}; //!< in which it sent, of 1 ms each
};

} // namespace

void
LinkStatistics::HandleBearer(NetDevice* client,
                             uint64_t /* imsi */,
                             uint16_t cell,
                             uint16_t rnti,
                             uint8_t id)
{
    const auto station = FindBaseStation(cell);
    if (!station || !station->GetRrc()->HasUeManager(rnti))
    {
        return;
    }
    const auto own = FindBearer(dynamic_cast<LteUeNetDevice&>(*client).GetRrc(), id);
    const auto other = FindBearer(station->GetRrc()->GetUeManager(rnti), id);
    if (!own || !other)
    {
        return;
    }
    const Node& from = *client->GetNode();
    const Node& to = *station->GetNode();
    auto& links = m_lte[{from.GetId(), client->GetIfIndex(), cell}];
    for (const bool down : {false, true})
    {
        auto& link = links[down];
        if (!link)
        {
            link = std::make_unique<LteDirection>(m_begin);
        }
        link->record.link = "lte-" + std::to_string(cell);
        link->record.from = Name(down ? to : from);
        link->record.to = Name(down ? from : to);
        static_cast<LteDirection&>(*link).Watch(down ? *other : *own, down ? *own : *other);
    }
    Join(from.GetId(), Name(to));
}

void
LinkStatistics::AddLte(const Ptr<NetDevice>& device)
{
    if (const auto client = DynamicCast<LteUeNetDevice>(device))
    {
        // The device owns the trace: a pointer that counts would keep both for ever.
        m_traces.Add(client->GetRrc(),
                     "DrbCreated",
                     MakeCallback(&LinkStatistics::HandleBearer, this, PeekPointer(device)));
    }
}

#else // an ns-3 without LTE

void
LinkStatistics::AddLte(const Ptr<NetDevice>& /* device */)
{
}

#endif

LinkStatistics::LinkStatistics(const NodeContainer& learners,
                               ActivityFinder find,
                               EventListener listener)
    : m_find(std::move(find)),
      m_listener(std::move(listener)),
      m_begin(Simulator::Now())
{
    for (LearnerId id = 0; id < learners.GetN(); ++id)
    {
        m_learners.emplace(learners.Get(id)->GetId(), id);
    }
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t k = 0; k < (*node)->GetNDevices(); ++k)
        {
            const Ptr<NetDevice> device = (*node)->GetDevice(k);
            AddDevice(device);
            AddLte(device);
        }
    }
}

std::string
LinkStatistics::Name(const Node& node) const
{
    const auto learner = m_learners.find(node.GetId());
    return learner == m_learners.end() ? "node " + std::to_string(node.GetId())
                                       : std::to_string(learner->second);
}

void
LinkStatistics::AddDevice(const Ptr<NetDevice>& device)
{
    const auto node = device->GetNode();
    const auto find = [&]() -> NodeActivity& {
        NodeActivity* const activity = m_find(*node);
        return activity ? *activity : m_unread;
    };
    auto watch = WatchDevice(device, find, m_segments[node->GetId()]);
    if (!watch)
    {
        return;
    }
    watch->record.from = Name(*node);
    if (const auto channel = DynamicCast<PointToPointChannel>(device->GetChannel()))
    {
        const Ptr<NetDevice> other = channel->GetDevice(channel->GetDevice(0) == device ? 1 : 0);
        watch->record.to = Name(*other->GetNode());
        m_traces.Add(other, "PhyRxDrop", MakeCallback(&LinkWatch::HandleLoss, watch.get()));
    }
    else if (const auto wifi = DynamicCast<WifiNetDevice>(device))
    {
        m_stations[wifi->GetMac()->GetAddress()] = Name(*node);
        if (const auto mac = DynamicCast<StaWifiMac>(wifi->GetMac()))
        {
            const uint32_t id = node->GetId();
            m_traces.Add(mac, "Assoc", MakeCallback(&LinkStatistics::HandleAssociation, this, id));
            m_traces.Add(mac,
                         "DeAssoc",
                         MakeCallback(&LinkStatistics::HandleDisassociation, this, id));
        }
    }
    else
    {
        const Address own = device->GetAddress();
        m_senders[Mac48Address::ConvertFrom(own)] = watch.get();
        m_traces.Add(device, "PhyRxDrop", MakeCallback(&LinkStatistics::HandleBusLoss, this, own));
    }
    m_watches.push_back(std::move(watch));
}

/** Trace PhyRxDrop of a device on a bus, which hears all frames. */
void
LinkStatistics::HandleBusLoss(Address own, Ptr<const Packet> packet)
{
    EthernetHeader header(false);
    packet->PeekHeader(header);
    const Mac48Address to = header.GetDestination();
    const auto sender = m_senders.find(header.GetSource());
    if (sender != m_senders.end() && (to.IsGroup() || to == Mac48Address::ConvertFrom(own)))
    {
        sender->second->HandleLoss(packet);
    }
}

void
LinkStatistics::HandleAssociation(uint32_t node, Mac48Address accessPoint)
{
    Join(node, m_stations[accessPoint]);
}

void
LinkStatistics::HandleDisassociation(uint32_t node, Mac48Address accessPoint)
{
    Report(node, "disassociated", "from " + m_stations[accessPoint]);
}

void
LinkStatistics::Join(uint32_t node, const std::string& to)
{
    const std::string from = std::exchange(m_at[node], to);
    const bool moved = !from.empty() && from != to;
    Report(node, moved ? "handed-over" : "associated", (moved ? from + " " : "") + "to " + to);
}

void
LinkStatistics::Report(uint32_t node, const std::string& event, const std::string& detail) const
{
    const auto learner = m_learners.find(node);
    if (m_listener && learner != m_learners.end())
    {
        m_listener({Simulator::Now(), learner->second, std::nullopt, event, detail});
    }
}

std::vector<LinkWatch*>
LinkStatistics::ListWatches() const
{
    std::vector<LinkWatch*> watches;
    for (const auto& watch : m_watches)
    {
        watches.push_back(watch.get());
    }
    for (const auto& [client, links] : m_lte)
    {
        watches.insert(watches.end(), {links[0].get(), links[1].get()});
    }
    return watches;
}

void
LinkStatistics::NoteBegin()
{
    m_begin = Simulator::Now();
    for (LinkWatch* watch : ListWatches())
    {
        watch->NoteBegin();
    }
}

void
LinkStatistics::NoteEnd(bool over)
{
    if (!over) // as it is for each of a thousand clients that has sent its update
    {
        m_end.reset();
        return;
    }
    m_end = Simulator::Now();
    for (LinkWatch* watch : ListWatches())
    {
        watch->NoteEnd();
    }
}

std::vector<LinkRecord>
LinkStatistics::GetRecords() const
{
    std::vector<LinkRecord> records;
    for (const LinkWatch* watch : ListWatches())
    {
        records.push_back(watch->Finish(m_end));
    }
    return records;
}

} // namespace ns3::dlearn
