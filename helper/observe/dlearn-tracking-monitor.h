/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACKING_MONITOR_H
#define DLEARN_TRACKING_MONITOR_H

#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Checks the tracking invariant of GradientTracking: when all learners have closed a round, the sum
 * over all of
 *
 *   y_i - g_i + mass under way to i
 *
 * is zero up to rounding, as long as no noise is added and no mass was lost or altered. The mass
 * under way on an edge j -> i is beta C_ij times the sum that j had pushed by the end of its round,
 * less the sum that i had accepted by the end of the same round; it is zero unless a
 * LossCompensation keeps such sums (RunningSum). The weights are those of the receivers, so that a
 * sender that subtracts another amount is detected; the sums are those of the sender, so that any
 * change by compression, rounding or a Byzantine learner is a violation.
 *
 * A violation is the largest modulus of the sum's entries, infinite for numbers that are not
 * finite. Rounds that a learner skipped (a crash) are omitted; later rounds are checked, because
 * crashes destroy no mass.
 */
class TrackingMonitor : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Hook into the learners; once.
     *
     * @param learners all of the run, in the order of their numbers, set up
     * @throw std::invalid_argument when the rule of one of them is not GradientTracking
     */
    void Watch(const std::vector<Ptr<PeerApplication>>& learners);

    /** @return largest violation of all rounds judged so far; NaN before the first */
    double GetLargestViolation() const { return m_largest; }

    /** @return number of rounds judged */
    uint32_t GetRounds() const { return m_judged; }

    /**
     * Signature of the trace TrackingInvariant.
     * @param round k
     * @param violation largest modulus of an entry of sum_i (y_i - g_i + mass under way to i)
     */
    using InvariantTracedCallback = void (*)(uint32_t round, double violation);

  protected:
    void DoDispose() override;

  private:
    /** A round that not all learners have closed yet. */
    struct OpenRound
    {
        ModelVector sum;    //!< over the learners that have closed it
        uint32_t closed{0}; //!< number of these learners
    };

    /** The mass that a learner has accepted from another. */
    struct Edge
    {
        ModelVector mass;             //!< as the sender pushed it
        std::vector<uint32_t> rounds; //!< by entry, as AcceptedMass::rounds
        int64_t newest{-1};           //!< newest round; -1: none
    };

    void HandleOutbox(LearnerId learner, uint32_t round, const Outbox& outbox);
    void ForgetAccepted(LearnerId sender);
    const ModelVector& FollowEdge(LearnerId receiver,
                                  LearnerId sender,
                                  const AcceptedMass& accepted);
    void HandleRoundEnd(const RoundRecord& record);
    void DropHopeless();

    std::vector<Ptr<PeerApplication>> m_learners;
    std::vector<Ptr<GradientTracking>> m_rules;                 //!< by learner
    std::vector<double> m_pulls;                                //!< sum_i beta C_ij, by sender j
    std::vector<int64_t> m_newest;                              //!< round closed last; -1: none
    std::vector<std::vector<LearnerId>> m_receivers;            //!< of pushes, by sender
    std::vector<std::map<uint32_t, ModelVector>> m_sums;        //!< newest pushes, by sender, round
    std::map<std::pair<LearnerId, LearnerId>, Edge> m_edges;    //!< by receiver and sender
    std::map<uint32_t, OpenRound> m_open;                       //!< by round
    double m_largest{std::numeric_limits<double>::quiet_NaN()}; //!< violation so far
    uint32_t m_judged{0};                                       //!< rounds
    TracedCallback<uint32_t, double> m_trace;                   //!< TrackingInvariant
    TraceConnections m_traces;
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACKING_MONITOR_H
