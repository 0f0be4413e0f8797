/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ISOLATION_WATCH_H
#define DLEARN_ISOLATION_WATCH_H

#include "dlearn-run-event.h"
#include "dlearn-run-warnings.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-life-cycle.h"
#include "ns3/dlearn-trace-connections.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param learner of a run
 * @return whether it trains or serves, and is honest: its rounds and its model count
 */
bool HasRounds(const LearnerApplication& learner);

/**
 * @ingroup dlearn
 * @param learners of a run
 * @return the server of a federation; null among peers
 */
Ptr<LearnerApplication> FindServer(const std::vector<Ptr<LearnerApplication>>& learners);

/**
 * @ingroup dlearn
 * @param learner of a run
 * @param all learners of the run
 * @return the learners that it expects messages from; for a server or a client all others
 */
std::set<LearnerId> GetSenders(const LearnerApplication& learner,
                               const std::vector<Ptr<LearnerApplication>>& all);

/**
 * @ingroup dlearn
 * Notices learners that get no usable message in their first rounds though some should come, says
 * once what the likely reason is, and what to do. A part of RunWatch.
 */
class IsolationWatch
{
  public:
    /** Rounds without any usable message after which a learner counts as isolated. */
    static constexpr uint32_t SILENT_ROUNDS = 5;

    /**
     * All arguments must outlive this.
     *
     * @param learners all applications of the run, in the order of their numbers
     * @param down why learners are down or have ended, at any time
     * @param warnings get those of isolated learners
     * @param events get them, too
     */
    IsolationWatch(const std::vector<Ptr<LearnerApplication>>& learners,
                   const std::map<LearnerId, LearnerEvent::Kind>& down,
                   RunWarnings& warnings,
                   std::vector<RunEvent>& events);

    IsolationWatch(const IsolationWatch&) = delete;
    IsolationWatch& operator=(const IsolationWatch&) = delete;

    /** The run is over: judge the learners that had too few rounds until now. */
    void Finish();

  private:
    /** What a learner has received. */
    struct Hearing
    {
        uint32_t rounds{0};  //!< closed without any usable message
        bool settled{false}; //!< whether a message has come, or the learner counts as isolated

        /** @param archive saves or loads the values */
        template <typename Archive>
        void VisitState(Archive& archive)
        {
            archive(rounds, settled);
        }
    };

    /** @param record of a round; several without a message are worth a warning */
    void HandleRoundEnd(const RoundRecord& record);

    /** @param learner that gets no message, though some may have been sent */
    void NoteIsolated(LearnerId learner);

    /** @return the likely reason why a learner gets no message, after a colon */
    std::string ExplainSilence(const LearnerApplication& learner) const;

    const std::vector<Ptr<LearnerApplication>>& m_learners; //!< all
    Ptr<LearnerApplication> m_server;                       //!< of a federation, else null
    const std::map<LearnerId, LearnerEvent::Kind>& m_down;  //!< why learners are down
    RunWarnings& m_warnings;                                //!< of the run
    std::vector<RunEvent>& m_events;                        //!< of the run
    std::vector<Hearing> m_hearing;                         //!< one a learner
    TraceConnections m_traces;                              //!< of the learners
};

} // namespace ns3::dlearn

#endif // DLEARN_ISOLATION_WATCH_H
