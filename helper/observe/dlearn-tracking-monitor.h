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
 * Watches the tracking invariant of GradientTracking from outside: when all learners have closed
 * a round, the sum over all of
 *
 *   y_i - g_i + mass under way to i
 *
 * is zero up to rounding, as long as no noise is added and no mass was lost or altered. The mass
 * under way on an edge j -> i is beta C_ij times what j has pushed up to the end of its round less
 * what j had pushed in the newest round that i has accepted, at the end of the same round of its
 * own; only a LossCompensation that keeps such sums (RunningSum) has any. With the weights of the
 * receivers, so that a sender that subtracts another amount from its tracker is detected; and with
 * the sums that the sender made, not those that the receiver read, so that any change by
 * compression, rounding or a Byzantine learner is a violation.
 *
 * A violation is the largest modulus of the sum's entries. It is infinite once numbers are no
 * longer finite. Rounds that some learner skipped (a crash) cannot be checked and are omitted;
 * later rounds can, because crashes destroy no mass.
 */
class TrackingMonitor : public Object
{
  public:
    static TypeId GetTypeId();
    TrackingMonitor();
    ~TrackingMonitor() override;

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
        uint32_t closed{0}; //!< how many have
    };

    /** The mass of another learner that one has truly got. */
    struct Edge
    {
        ModelVector mass;             //!< as the sender pushed it
        std::vector<uint32_t> rounds; //!< by entry, as AcceptedMass::rounds
        int64_t newest{-1};           //!< of these; -1 for none
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
    std::vector<int64_t> m_newest;                              //!< round closed last; -1 for none
    std::vector<std::vector<LearnerId>> m_receivers;            //!< of pushes, by sender
    std::vector<std::map<uint32_t, ModelVector>> m_sums;        //!< newest pushes, by sender, round
    std::map<std::pair<LearnerId, LearnerId>, Edge> m_edges;    //!< by receiver and sender
    std::map<uint32_t, OpenRound> m_open;                       //!< by round
    double m_largest{std::numeric_limits<double>::quiet_NaN()}; //!< violation so far
    uint32_t m_judged{0};                                       //!< rounds judged
    TracedCallback<uint32_t, double> m_trace;                   //!< TrackingInvariant
    TraceConnections m_traces;
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACKING_MONITOR_H
