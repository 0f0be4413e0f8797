/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-edge-rule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-mixing.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

TypeId
TierBelow::AddPeriod(TypeId tid)
{
    return tid.AddAttribute("Period",
                            "Rounds of the tier below in a round of the tier above.",
                            UintegerValue(1),
                            MakeUintegerAccessor(&TierBelow::m_period),
                            MakeUintegerChecker<uint32_t>(1));
}

void
TierBelow::RequireServer() const
{
    Require(m_server != nullptr,
            "EdgeRule and EdgeGossip are rules of edge servers, which the options tiers and "
            "aggregate-at make, or JoinTiers()");
}

uint32_t
TierBelow::CountShared(ModelChannel channel) const
{
    return std::min(m_server->GetFormat(channel).length, static_cast<uint32_t>(GetServed().size()));
}

NS_OBJECT_ENSURE_REGISTERED(EdgeRule);

TypeId
EdgeRule::GetTypeId()
{
    static TypeId tid = AddPeriod(MakeTypeId<EdgeRule, ClientRule>("ns3::dlearn::EdgeRule"));
    return tid;
}

void
EdgeRule::DoDispose()
{
    m_server = nullptr;
    ClientRule::DoDispose();
}

MessageFormat
EdgeRule::GetFormat(ModelChannel channel) const
{
    const bool shared = channel == ModelChannel::MODEL || channel == ModelChannel::UPDATE;
    MessageFormat format;
    format.length = channel == ModelChannel::REQUEST ? ClientRule::GetFormat(channel).length
                    : shared                         ? CountShared(channel)
                                                     : GetModel().size();
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

NS_OBJECT_ENSURE_REGISTERED(EdgeGossip);

TypeId
EdgeGossip::GetTypeId()
{
    static TypeId tid = AddPeriod(MakeTypeId<EdgeGossip, UpdateRule>("ns3::dlearn::EdgeGossip"));
    return tid;
}

void
EdgeGossip::DoDispose()
{
    m_server = nullptr;
    UpdateRule::DoDispose();
}

Outbox
EdgeGossip::Send()
{
    Outgoing message{ModelChannel::STATE, {}, GetModel().head(CountShared(ModelChannel::MODEL))};
    for (const auto& [neighbor, weight] : m_neighbors.out)
    {
        message.recipients.push_back(neighbor);
    }
    return message.recipients.empty() ? Outbox() : Outbox{message};
}

void
EdgeGossip::EndRound(const Inbox& inbox)
{
    ModelVector model = GetModel();
    auto shared = model.head(CountShared(ModelChannel::MODEL));
    shared = MixHeard(shared, m_neighbors.in, inbox, ModelChannel::STATE, 1);
    m_server->GetRule()->SetModel(model);
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
JoinTiers(const Ptr<LearnerApplication>& learner, const Ptr<FederatedServer>& server)
{
    const auto rule = learner->GetLearnerRule();
    const auto tier = dynamic_cast<TierBelow*>(PeekPointer(rule));
    Require(tier != nullptr,
            "JoinTiers: the learner of the tier above needs the rule ns3::dlearn::EdgeRule, or as "
            "a peer ns3::dlearn::EdgeGossip, got {}",
            rule->GetInstanceTypeId().GetName());
    tier->SetServer(server);
    server->ServeOnly();
    Follow(learner, PeekPointer(server));
    Follow(server, PeekPointer(learner));
}

} // namespace ns3::dlearn
