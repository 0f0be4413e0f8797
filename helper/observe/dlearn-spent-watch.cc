/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-spent-watch.h"

#include <utility>

namespace ns3::dlearn
{

SpentWatch::SpentWatch(const std::vector<Ptr<LearnerApplication>>& learners, Listener listener)
    : m_listener(std::move(listener))
{
    for (const auto& learner : learners)
    {
        const Account account = learner->GetLearnerRule()->GetLedger();
        if (account && learner->GetRounds() > 0 && !learner->IsByzantine())
        {
            m_traces.Add(learner->GetExchange(),
                         "MessageTx",
                         MakeCallback(&SpentWatch::HandleMessage, this, account));
            m_traces.Add(learner,
                         "StateTransition",
                         MakeCallback(&SpentWatch::HandleState, this, account));
        }
    }
}

void
SpentWatch::HandleMessage(Account account,
                          const EncodedMessage& /* message */,
                          const std::vector<LearnerId>& /* recipients */)
{
    m_listener({account->GetEpsilon(), account->GetNominalEpsilon()});
}

void
SpentWatch::HandleState(Account account,
                        LearnerApplication::State /* left */,
                        LearnerApplication::State entered)
{
    if (entered == LearnerApplication::State::STOPPED ||
        entered == LearnerApplication::State::FINISHED)
    {
        m_listener({account->GetEpsilon(), account->GetNominalEpsilon()});
    }
}

} // namespace ns3::dlearn
