/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wire-behavior.h"

#include "ns3/dlearn-part.h"
#include "ns3/pointer.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(WireBehavior);

TypeId
WireBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::WireBehavior")
                            .SetParent<ByzantineBehavior>()
                            .SetGroupName("Dlearn")
                            .AddAttribute("Inner",
                                          "What it does under its own name, as SetInner() says; "
                                          "none for silence.",
                                          TypeId::ATTR_GET,
                                          PointerValue(),
                                          MakePointerAccessor(&WireBehavior::m_inner),
                                          MakePartChecker<ByzantineBehavior>());
    return tid;
}

void
WireBehavior::DoDispose()
{
    if (m_inner)
    {
        m_inner->Dispose();
    }
    m_inner = nullptr;
    ByzantineBehavior::DoDispose();
}

void
WireBehavior::SetStrangers(const std::map<LearnerId, Address>& strangers)
{
    m_strangers = strangers;
    if (const auto wire = DynamicCast<WireBehavior>(m_inner))
    {
        wire->SetStrangers(strangers);
    }
}

void
WireBehavior::Deliver(LearnerId learner, uint32_t round, const Outbox& outbox, const SendPort& port)
{
    if (!outbox.empty() && !outbox.front().recipients.empty())
    {
        Attack({learner, round, outbox, port});
    }
    if (m_inner)
    {
        m_inner->Deliver(learner, round, outbox, port);
        return;
    }
    port.done();
}

void
WireBehavior::Cancel()
{
    if (m_inner)
    {
        m_inner->Cancel();
    }
}

void
WireBehavior::Receive(const std::pair<LearnerId, ModelChannel>& source,
                      uint32_t round,
                      const Arrival& arrival)
{
    if (m_inner)
    {
        m_inner->Receive(source, round, arrival);
    }
}

int64_t
WireBehavior::AssignStreams(int64_t stream)
{
    return m_inner ? m_inner->AssignStreams(stream) : 0;
}

std::vector<LearnerId>
WireBehavior::GetNames(const Occasion& occasion) const
{
    std::vector<LearnerId> names = occasion.outbox.front().recipients;
    for (const auto& [stranger, address] : m_strangers)
    {
        names.push_back(stranger);
    }
    names.push_back(occasion.learner);
    return names;
}

void
WireBehavior::SendToNeighbors(const Occasion& occasion,
                              LearnerId sender,
                              const std::vector<Bytes>& fragments)
{
    std::vector<LearnerId> recipients = occasion.outbox.front().recipients;
    recipients.erase(std::remove(recipients.begin(), recipients.end(), sender), recipients.end());
    for (const Bytes& fragment : fragments)
    {
        if (!recipients.empty())
        {
            occasion.port.sendBytes(recipients, fragment);
        }
    }
}

void
WireBehavior::SendToStrangers(const Occasion& occasion, const std::vector<Bytes>& fragments) const
{
    for (const auto& [stranger, address] : m_strangers)
    {
        for (const Bytes& fragment : fragments)
        {
            occasion.port.sendDatagram(address, fragment);
        }
    }
}

WireBehavior::Bytes
WireBehavior::Seal(ModelHeader header, const Bytes& payload)
{
    header.payloadLength = payload.size();
    header.Seal(payload.data());
    Bytes bytes(ModelHeader::SIZE);
    header.Write(bytes.data());
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
}

} // namespace ns3::dlearn
