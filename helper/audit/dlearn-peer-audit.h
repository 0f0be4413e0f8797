/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_AUDIT_H
#define DLEARN_PEER_AUDIT_H

#include "dlearn-audited-rule.h"
#include "dlearn-noise-fit.h"
#include "dlearn-peer-audit-data.h"
#include "dlearn-peer-audit-plan.h"
#include "dlearn-recorded-rule.h"
#include "dlearn-wire-replay.h"

#include "ns3/dlearn-peer-application.h"

#include <memory>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Compares the accounts of peers with what their messages really revealed, in random runs
 * (PeerAuditPlan).
 *
 * Each run is simulated with the real rules, applications and networks. A RecordedRule notes
 * what each rule was called with, a RecordedNoise what it released. Then the calls are made once
 * more to a second rule of the same configuration on neighbouring data, which releases the same
 * vectors wherever they were learned; how far it is from them before the noise is the loss
 * (AuditedLoss). Neighbours differ in what the account protects. In a LinearTask they differ by
 * as much as they may.
 *
 * A release is learned when a byte of its message left the node, or when it is needed to make what
 * is on the wire (WireReplay): what was withdrawn must not come back by way of error feedback or
 * sums.
 */
class PeerAudit
{
  public:
    /** @param parts what is audited */
    explicit PeerAudit(PeerAuditParts parts);
    ~PeerAudit();

    /**
     * Simulate one run and check every learner, after each of its rounds and at the end of the run.
     *
     * @param run number of ns-3's run, from which everything random follows
     * @return the smallest ratio of account and truth; NaN when an account is; infinity when
     *         no message revealed anything
     */
    double Run(uint64_t run);

    /** @return whether the noise of all runs so far may be of the law and scale that it claims */
    bool IsNoisePlausible() const { return m_fit.IsPlausible(); }

    /**
     * @return releases, over all runs so far, that did not leave the node in their own round but
     *         were part of later messages; they count as revealed
     */
    uint64_t GetLeaked() const { return m_leaked; }

  private:
    /** One learner of the run. */
    struct Learner
    {
        Ptr<PeerApplication> application;   //!< in the network
        Ptr<RecordedRule> recorder;         //!< its rule
        AuditedRule inner;                  //!< what that records
        std::unique_ptr<WireRecorder> wire; //!< what left
    };

    /** Whether each release of each noise was learned. */
    using Told = std::vector<std::vector<bool>>;

    /** @param random draws parts that the rules accept together, for the plan */
    void DrawParts(UniformRandomVariable& random);

    /** @return whether the rules accept the parts of the plan */
    bool IsAccepted() const;

    /**
     * @param exchange gets what the plan says
     * @param id of its learner
     */
    void ConfigureExchange(MessageExchange& exchange, LearnerId id) const;

    /** @param network gets the applications of the run */
    void CreateLearners(const Network& network);

    /** @param network gets faults, if the run has some */
    void AddFaults(const Network& network) const;

    /**
     * @param id of a learner
     * @param random chooses where there is a choice
     * @return those of its samples in which a neighbour differs; none when there is no neighbour
     */
    SampleIndices ChooseSamples(LearnerId id, UniformRandomVariable& random) const;

    /**
     * @param id of a learner
     * @param task with neighbouring or the same data
     * @param told releases that have to be the same as those of the learner
     * @param shift of the other releases
     * @return a second rule of the same configuration
     */
    AuditedRule MakeTwin(LearnerId id, Ptr<Task> task, const Told& told, double shift) const;

    /** @return releases of a learner of whose own message a byte left */
    Told FindTold(LearnerId id) const;

    /**
     * @param id of a learner
     * @param told what FindTold() returns
     * @return other releases that were part of later messages
     */
    Told FindLeaked(LearnerId id, const Told& told) const;

    /**
     * @param id of a learner
     * @param told releases that are the same
     * @return whether the same messages leave when all other releases are others
     */
    bool LeavesTheSame(LearnerId id, const Told& told) const;

    /**
     * @param id of a learner
     * @param random chooses a neighbour
     * @return the smallest ratio of account and truth
     */
    double Compare(LearnerId id, UniformRandomVariable& random);

    /**
     * @param id of a learner
     * @param twin rule on neighbouring data, after the same calls
     * @param left what FindTold() returns
     * @param leaked what FindLeaked() returns
     * @return the smallest ratio of account and truth
     */
    double CompareWith(LearnerId id, const AuditedRule& twin, const Told& left, const Told& leaked);

    PeerAuditParts m_parts;                //!< what is audited
    std::unique_ptr<PeerAuditPlan> m_plan; //!< of the run
    std::optional<PeerAuditData> m_data;   //!< of the run
    std::vector<Learner> m_learners;       //!< of the run
    NoiseFit m_fit;                        //!< noise of all runs
    uint64_t m_leaked{0};                  //!< of all runs
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_AUDIT_H
