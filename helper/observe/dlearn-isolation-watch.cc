/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-isolation-watch.h"

#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-udp-broadcast-transport.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/** @return whether messages should come in the rounds of a learner */
bool
ExpectsMessages(LearnerApplication& learner)
{
    const auto peer = dynamic_cast<PeerApplication*>(&learner);
    return HasRounds(learner) && (!peer || !peer->GetRule()->GetExpected().empty());
}

/** @return whether a message of a learner came late */
bool
HasLate(const LearnerApplication& learner)
{
    const auto& records = learner.GetRecords();
    return std::any_of(records.begin(), records.end(), [](const RoundRecord& record) {
        return record.late > 0;
    });
}

/** @return whether any byte has arrived at a learner */
bool
HasHeard(const LearnerApplication& learner)
{
    return learner.GetExchange()->GetTransport()->GetRxBytes() > 0;
}

/** @return what learners have refused, and why, such as "240 undecodable"; empty when nothing */
std::string
ListRefused(const std::vector<Ptr<LearnerApplication>>& learners)
{
    using Counters = MessageReceiver::Counters;
    std::string list;
    const auto add = [&](uint64_t Counters::*counter, const std::string& why) {
        uint64_t count = 0;
        for (const auto& learner : learners)
        {
            count += learner->GetExchange()->GetCounters().*counter;
        }
        if (count > 0)
        {
            list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + why;
        }
    };
    add(&Counters::notFinite, "not finite");
    add(&Counters::undecodable, "that cannot be decoded");
    add(&Counters::wrongLength, "fragments of vectors of another length");
    return list;
}

/** Why peers that broadcast may hear nothing, and what to do. */
const char* const BROADCASTS_COLLIDE =
    "with transport broadcast each packet is sent once, without an acknowledgement, and lost when "
    "learners send at the same time: set reliable, such as --reliable=nack; or learners may be out "
    "of range of their radio, or timeouts too short";

/** @return whether a learner broadcasts, and nothing is done about what is lost */
bool
BroadcastsOnce(const LearnerApplication& learner)
{
    const auto transport = PeekPointer(learner.GetExchange()->GetTransport());
    const auto broadcast = dynamic_cast<const UdpBroadcastTransport*>(transport);
    return broadcast && !broadcast->RepeatsFragments();
}

/** @return whether a learner has never sent anything, as its budget did not allow it; @p down says
 *          why learners are down */
bool
HasWithheld(const LearnerApplication& learner, const std::map<LearnerId, LearnerEvent::Kind>& down)
{
    const auto why = down.find(learner.GetLearnerId());
    return why != down.end() && why->second == LearnerEvent::Kind::BUDGET_SPENT &&
           learner.GetRecords().empty();
}

/** @return whether a learner has sent its vectors, as far as it depends on the learner itself: over
 *          TCP nothing leaves the node before there is a connection */
bool
HasTriedToSend(const LearnerApplication& learner)
{
    return HasRounds(learner) && !learner.GetRecords().empty();
}

/** @return whether it is known that learners have sent nothing; not of those of other ranks */
bool
HaveSentNothing(const std::set<LearnerId>& senders, const std::vector<Ptr<LearnerApplication>>& all)
{
    return std::all_of(senders.begin(), senders.end(), [&all](LearnerId sender) {
        return IsOnThisRank(*all[sender]->GetNode()) &&
               all[sender]->GetExchange()->GetTransport()->GetTxBytes() == 0 &&
               !HasTriedToSend(*all[sender]);
    });
}

} // namespace

bool
HasRounds(const LearnerApplication& learner)
{
    return learner.GetRounds() > 0 && !learner.IsByzantine();
}

Ptr<LearnerApplication>
FindServer(const std::vector<Ptr<LearnerApplication>>& learners)
{
    const auto server = std::find_if(learners.begin(), learners.end(), [](const auto& learner) {
        return learner->GetRole() == "server";
    });
    return server == learners.end() ? nullptr : *server;
}

std::set<LearnerId>
GetSenders(const LearnerApplication& learner, const std::vector<Ptr<LearnerApplication>>& all)
{
    std::set<LearnerId> senders;
    if (const auto peer = dynamic_cast<const PeerApplication*>(&learner))
    {
        for (const auto& [sender, channel] : peer->GetRule()->GetExpected())
        {
            senders.insert(sender);
        }
        return senders;
    }
    for (const auto& other : all)
    {
        senders.insert(other->GetLearnerId());
    }
    senders.erase(learner.GetLearnerId());
    return senders;
}

IsolationWatch::IsolationWatch(const std::vector<Ptr<LearnerApplication>>& learners,
                               const std::map<LearnerId, LearnerEvent::Kind>& down,
                               RunWarnings& warnings,
                               std::vector<RunEvent>& events)
    : m_learners(learners),
      m_server(FindServer(learners)),
      m_down(down),
      m_warnings(warnings),
      m_events(events),
      m_hearing(learners.size())
{
    for (const auto& learner : m_learners)
    {
        m_traces.Add(learner, "RoundEnd", MakeCallback(&IsolationWatch::HandleRoundEnd, this));
    }
}

void
IsolationWatch::HandleRoundEnd(const RoundRecord& record)
{
    Hearing& hearing = m_hearing[record.node];
    LearnerApplication& learner = *m_learners[record.node];
    if (hearing.settled || !ExpectsMessages(learner) ||
        (m_server == &learner && record.expected == 0))
    {
        return;
    }
    hearing.settled = record.used > 0;
    hearing.rounds += hearing.settled ? 0 : 1;
    if (hearing.rounds == SILENT_ROUNDS)
    {
        NoteIsolated(record.node);
    }
}

std::string
IsolationWatch::ExplainSilence(const LearnerApplication& learner) const
{
    const bool server = m_server == &learner;
    const auto any = [&](const auto& holds) {
        return server && std::any_of(m_learners.begin(), m_learners.end(), [&](const auto& other) {
                   return other != m_server && holds(*other);
               });
    };
    if (HasLate(learner))
    {
        return ": messages come, but after the rounds have closed; raise deadline or timeout";
    }
    const std::string refused = ListRefused({m_learners[learner.GetLearnerId()]});
    if (!refused.empty())
    {
        return ": messages come, but are refused: " + refused;
    }
    if (any([](const LearnerApplication& client) {
            return client.GetState() == LearnerApplication::State::TRAINING;
        }))
    {
        return ": clients still train when its rounds close; raise deadline or timeout";
    }
    const auto up = [this](const LearnerApplication& client) {
        return client.GetState() != LearnerApplication::State::STOPPED &&
               !HasWithheld(client, m_down);
    };
    if (server && !any(up))
    {
        return ": all clients have crashed, left, or spent their budgets or batteries";
    }
    if (!server && HaveSentNothing(GetSenders(learner, m_learners), m_learners))
    {
        return ": its neighbours have sent nothing: they are down, still compute, or are silent";
    }
    const bool trained = any([](const auto& client) { return !client.GetRecords().empty(); });
    const std::string unread = server && !trained ? ListRefused(m_learners) : "";
    if (!unread.empty())
    {
        return ": its models come, but clients refuse them: " + unread;
    }
    const bool heard = HasHeard(learner) || (!trained && any(HasHeard));
    const std::string what = heard ? ": packets come, but no whole message in time; "
                                   : ": not one packet comes in time; ";
    if (!server && BroadcastsOnce(learner))
    {
        return what + BROADCASTS_COLLIDE;
    }
    const bool tcp =
        DynamicCast<const TcpTransport>(learner.GetExchange()->GetTransport()) != nullptr;
    return what + (heard ? "raise deadline or timeout, or lower loss" +
                               std::string(tcp ? "" : ", or use transport tcp")
                         : "learners may be out of range of their radio, links down, nodes "
                           "without a route, too many packets lost, or timeouts too short");
}

void
IsolationWatch::NoteIsolated(LearnerId learner)
{
    Hearing& hearing = m_hearing[learner];
    hearing.settled = true;
    const auto senders = GetSenders(*m_learners[learner], m_learners);
    if (std::all_of(senders.begin(), senders.end(), [this](LearnerId sender) {
            return HasWithheld(*m_learners[sender], m_down);
        }))
    {
        return; // RunWatch has said why nothing comes
    }
    const std::string reason = ExplainSilence(*m_learners[learner]);
    const std::string rounds = hearing.rounds == 1
                                   ? "the first round"
                                   : "the first " + std::to_string(hearing.rounds) + " rounds";
    m_warnings.Add("isolated" + reason,
                   learner,
                   "no message has arrived in time in " + rounds + " of ",
                   reason);
    const auto& records = m_learners[learner]->GetRecords();
    m_events.push_back(
        {Simulator::Now(), learner, records.back().round, "isolated", reason.substr(2)});
}

void
IsolationWatch::Finish()
{
    for (LearnerId learner = 0; learner < m_hearing.size(); ++learner)
    {
        if (!m_hearing[learner].settled && m_hearing[learner].rounds > 0)
        {
            NoteIsolated(learner);
        }
    }
}

} // namespace ns3::dlearn
