/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-lte-links.h"

#include "dlearn-delay-distribution.h"

#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-rrc.h"
#include "ns3/lte-pdcp.h"
#include "ns3/lte-radio-bearer-info.h"
#include "ns3/lte-rlc.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-rrc.h"
#include "ns3/node-list.h"
#include "ns3/object-map.h"
#include "ns3/simulator.h"

#include <map>

namespace ns3::dlearn
{

namespace
{

/** The shortest transmission: a subframe. */
const Time SUBFRAME = MilliSeconds(1);

/**
 * @param owner has an attribute DataRadioBearerMap
 * @param id number of a bearer
 * @return the bearer; null for none
 */
Ptr<LteDataRadioBearerInfo>
FindBearer(Ptr<Object> owner, uint8_t id)
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

/** @return the base station of a cell; null for none */
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

} // namespace

/** Counts what traces of one direction tell. */
class LteLinks::Direction
{
  public:
    /**
     * @param link name of the link
     * @param from end that sends
     * @param to the other end
     */
    void Name(const std::string& link, const std::string& from, const std::string& to)
    {
        m_record.link = link;
        m_record.from = from;
        m_record.to = to;
    }

    /**
     * @param sender bearer at the end that sends
     * @param receiver bearer at the other end
     */
    void Watch(const LteDataRadioBearerInfo& sender, const LteDataRadioBearerInfo& receiver)
    {
        sender.m_rlc->TraceConnectWithoutContext("TxPDU",
                                                 MakeCallback(&Direction::HandleSent, this));
        sender.m_rlc->TraceConnectWithoutContext("TxDrop",
                                                 MakeCallback(&Direction::HandleDrop, this));
        receiver.m_pdcp->TraceConnectWithoutContext("RxPDU",
                                                    MakeCallback(&Direction::HandleArrival, this));
    }

    /** Count from now on. */
    void NoteBegin()
    {
        m_subframes = 0;
        m_delays = DelayDistribution();
        m_record.txBytes = 0;
        m_record.queueDrops = 0;
    }

    /** Learners have finished. */
    void NoteEnd() { m_subframesAtEnd = m_subframes; }

    /**
     * @param begin of counting
     * @param end of learning; nothing for the present
     * @return the record, complete
     */
    LinkRecord Finish(Time begin, const std::optional<Time>& end) const
    {
        LinkRecord whole = m_record;
        const double time = (end.value_or(Simulator::Now()) - begin).GetSeconds();
        const double subframes = end ? m_subframesAtEnd : m_subframes;
        whole.busy = time > 0 ? subframes * SUBFRAME.GetSeconds() / time : 0;
        whole.queueMean = m_delays.GetMean();
        whole.queueWorst = m_delays.GetWorst();
        return whole;
    }

  private:
    /** Trace TxPDU of the RLC. */
    void HandleSent(uint16_t /* rnti */, uint8_t /* channel */, uint32_t size)
    {
        m_record.txBytes += size;
        m_subframes += m_last == Simulator::Now() ? 0 : 1;
        m_last = Simulator::Now();
    }

    /** Trace TxDrop of the RLC. */
    void HandleDrop(Ptr<const Packet> /* packet */) { ++m_record.queueDrops; }

    /** Trace RxPDU of the PDCP. */
    void HandleArrival(uint16_t /* rnti */,
                       uint8_t /* channel */,
                       uint32_t /* size */,
                       uint64_t delay)
    {
        m_delays.Add(NanoSeconds(delay));
    }

    LinkRecord m_record;        //!< but for what is computed at the end
    DelayDistribution m_delays; //!< from buffer to buffer
    Time m_last{-1};            //!< newest subframe in which it sent
    double m_subframes{0};      //!< in which it sent
    double m_subframesAtEnd{0}; //!< the same, when learners had finished
};

/** Hears of the bearers of a client, of which a handover makes new ones. */
class LteLinks::Client
{
  public:
    /**
     * @param device of the client
     * @param ends names the ends of its links, as long as this lives
     * @param attachments is told which base station the client belongs to, likewise
     */
    Client(const Ptr<LteUeNetDevice>& device, const LinkEnds& ends, Attachments& attachments)
        : m_device(PeekPointer(device)),
          m_ends(ends),
          m_attachments(attachments)
    {
        device->GetRrc()->TraceConnectWithoutContext("DrbCreated",
                                                     MakeCallback(&Client::HandleBearer, this));
    }

    /** Count from now on. */
    void NoteBegin()
    {
        for (auto& [cell, link] : m_links)
        {
            link.up.NoteBegin();
            link.down.NoteBegin();
        }
    }

    /** Learners have finished. */
    void NoteEnd()
    {
        for (auto& [cell, link] : m_links)
        {
            link.up.NoteEnd();
            link.down.NoteEnd();
        }
    }

    /**
     * @param begin of counting
     * @param end of learning; nothing for the present
     * @param records get those of its links
     */
    void AddRecords(Time begin,
                    const std::optional<Time>& end,
                    std::vector<LinkRecord>& records) const
    {
        for (const auto& [cell, link] : m_links)
        {
            records.push_back(link.up.Finish(begin, end));
            records.push_back(link.down.Finish(begin, end));
        }
    }

  private:
    /** What goes between the client and a base station. */
    struct Link
    {
        Direction up;   //!< from the client
        Direction down; //!< to the client
    };

    /** Trace DrbCreated. */
    void HandleBearer(uint64_t /* imsi */, uint16_t cell, uint16_t rnti, uint8_t id)
    {
        const auto station = FindBaseStation(cell);
        if (!station || !station->GetRrc()->HasUeManager(rnti))
        {
            return;
        }
        const auto own = FindBearer(m_device->GetRrc(), id);
        const auto other = FindBearer(station->GetRrc()->GetUeManager(rnti), id);
        if (own && other)
        {
            const std::string name = "lte-" + std::to_string(cell);
            const std::string client = m_ends.Name(*m_device->GetNode());
            const std::string base = m_ends.Name(*station->GetNode());
            Link& link = m_links[cell];
            link.up.Watch(*own, *other);
            link.down.Watch(*other, *own);
            link.up.Name(name, client, base);
            link.down.Name(name, base, client);
            m_attachments.Join(m_device->GetNode()->GetId(), base);
        }
    }

    LteUeNetDevice* m_device;         //!< plain, as its trace belongs to it
    const LinkEnds& m_ends;           //!< names the ends of its links
    Attachments& m_attachments;       //!< is told its base stations
    std::map<uint16_t, Link> m_links; //!< by cell
};

LteLinks::LteLinks(const NodeContainer& learners, Attachments& attachments)
    : m_ends(learners),
      m_begin(Simulator::Now())
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t k = 0; k < (*node)->GetNDevices(); ++k)
        {
            if (const auto client = DynamicCast<LteUeNetDevice>((*node)->GetDevice(k)))
            {
                m_clients.push_back(std::make_unique<Client>(client, m_ends, attachments));
            }
        }
    }
}

LteLinks::~LteLinks() = default;

void
LteLinks::NoteBegin()
{
    m_begin = Simulator::Now();
    for (const auto& client : m_clients)
    {
        client->NoteBegin();
    }
}

void
LteLinks::NoteEnd()
{
    for (const auto& client : m_clients)
    {
        client->NoteEnd();
    }
}

std::vector<LinkRecord>
LteLinks::GetRecords(const std::optional<Time>& end) const
{
    std::vector<LinkRecord> records;
    for (const auto& client : m_clients)
    {
        client->AddRecords(m_begin, end, records);
    }
    return records;
}

} // namespace ns3::dlearn
