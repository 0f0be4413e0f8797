/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-edge-rule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(EdgeRule);

TypeId
EdgeRule::GetTypeId()
{
    static TypeId tid = MakeTypeId<EdgeRule, ClientRule>("ns3::dlearn::EdgeRule")
                            .AddAttribute("Period",
                                          "Rounds of the tier below in a round of the tier above.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&EdgeRule::m_period),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
EdgeRule::DoDispose()
{
    m_server = nullptr;
    ClientRule::DoDispose();
}

void
EdgeRule::Setup(Ptr<LocalData> /* data */)
{
    Require(
        m_server != nullptr,
        "EdgeRule: the rule is for edge servers, which the options tiers and aggregate-at make, or "
        "JoinTiers()");
}

MessageFormat
EdgeRule::GetFormat(ModelChannel channel) const
{
    const bool shared = channel == ModelChannel::MODEL || channel == ModelChannel::UPDATE;
    const auto entries = static_cast<uint32_t>(GetModel().size());
    MessageFormat format;
    format.length = channel == ModelChannel::REQUEST ? ClientRule::GetFormat(channel).length
                    : shared ? std::min(m_server->GetFormat(channel).length, entries)
                             : entries;
    if (channel == ModelChannel::UPDATE)
    {
        format.figures.emplace_back("samples");
    }
    return format;
}

void
EdgeRule::BeginRound(uint32_t /* round */, const Message& message)
{
    m_start = GetModel();
    m_start.head(message.values.size()) = message.values;
}

Message
EdgeRule::Send()
{
    const auto length = GetFormat(ModelChannel::UPDATE).length;
    return {(GetModel() - m_start).head(length), {m_server->GetServedSamples()}};
}

namespace
{

/** Let a learner go down and restart with another one. */
void
Follow(const Ptr<LearnerApplication>& leader, LearnerApplication* follower)
{
    leader->TraceConnectWithoutContext(
        "Event",
        Callback<void, const LearnerEvent&>([follower](const LearnerEvent& event) {
            if (event.kind == LearnerEvent::Kind::RESTARTED)
            {
                follower->Restart();
            }
            else if (!event.other)
            {
                follower->Crash();
            }
        }));
}

} // namespace

void
JoinTiers(const Ptr<FederatedClient>& client, const Ptr<FederatedServer>& server)
{
    const auto rule = DynamicCast<EdgeRule>(client->GetRule());
    Require(rule != nullptr,
            "JoinTiers: the client of the tier above needs the rule ns3::dlearn::EdgeRule, got {}",
            client->GetRule()->GetInstanceTypeId().GetName());
    rule->SetServer(server);
    server->ServeOnly();
    Follow(client, PeekPointer(server));
    Follow(server, PeekPointer(client));
}

} // namespace ns3::dlearn
