/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_AUDIT_H
#define DLEARN_PEER_AUDIT_H

#include "dlearn-noise-fit.h"
#include "dlearn-peer-audit-plan.h"
#include "dlearn-recorded-noise.h"
#include "dlearn-recorded-rule.h"
#include "dlearn-wire-replay.h"

#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-loss-compensation.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/type-id.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What is audited. An interface given as a type stands for the default of the rule, or for what the
 * plan of a run draws.
 */
struct PeerAuditParts
{
    TypeId rule;                                          //!< the algorithm
    TypeId noise{NoiseMechanism::GetTypeId()};            //!< of all vectors
    TypeId ledger{PrivacyAccount::GetTypeId()};           //!< the account
    TypeId compressor{Compressor::GetTypeId()};           //!< of the message layer
    TypeId compensation{LossCompensation::GetTypeId()};   //!< of GradientTracking
    std::function<Ptr<UpdateRule>(Ptr<UpdateRule>)> wrap; //!< puts something around the rule
    bool faults{false}; //!< whether the run has faults, as DrawFaults() draws them
};

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
    bool IsNoisePlausible() const;

    /**
     * @return releases, over all runs so far, that did not leave the node in their own round but
     *         were part of later messages; they count as revealed
     */
    uint64_t GetLeaked() const;

  private:
    /** A rule with its noise. */
    struct AuditedRule
    {
        Ptr<UpdateRule> rule;                  //!< what the application or a replay calls
        Ptr<UpdateRule> base;                  //!< the same, without what was put around it
        std::vector<Ptr<RecordedNoise>> noise; //!< of its states, then of its trackers
    };

    /** One learner of the run. */
    struct Learner
    {
        Ptr<PeerApplication> application;   //!< in the network
        Ptr<RecordedRule> recorder;         //!< its rule
        AuditedRule inner;                  //!< what that records
        std::unique_ptr<WireRecorder> wire; //!< what left
    };

    void DrawData(UniformRandomVariable& random);
    Ptr<Task> MakeTask(const Eigen::MatrixXd& features, const Eigen::VectorXd& labels) const;
    AuditedRule MakeRule() const;
    void ConfigureRule(UpdateRule& rule) const;
    void ConfigureLedger(UpdateRule& rule) const;
    Ptr<RecordedNoise> WrapNoise(Ptr<NoiseMechanism> made, TypeId type) const;
    void ConfigureExchange(MessageExchange& exchange, LearnerId id) const;
    void DrawParts(UniformRandomVariable& random);
    bool IsAccepted() const;
    void CreateLearners(const Network& network);
    void AddFaults(const Network& network) const;
    Ptr<SampleStream> MakeStream(LearnerId id) const;
    Ptr<Task> MakeNeighbour(LearnerId id, UniformRandomVariable& random) const;
    SampleIndices ChooseSamples(LearnerId id, UniformRandomVariable& random) const;

    using Told = std::vector<std::vector<bool>>;
    AuditedRule MakeTwin(LearnerId id, Ptr<Task> task, const Told& told, double shift) const;
    Told FindTold(LearnerId id) const;
    Told FindLeaked(LearnerId id, const Told& told) const;
    bool LeavesTheSame(LearnerId id, const Told& told) const;
    double Compare(LearnerId id, UniformRandomVariable& random);
    double CompareWith(LearnerId id, const AuditedRule& twin, const Told& left, const Told& leaked);

    PeerAuditParts m_parts;                //!< what is audited
    std::unique_ptr<PeerAuditPlan> m_plan; //!< of the run
    Ptr<Task> m_task;                      //!< of the run
    std::vector<SampleIndices> m_shards;   //!< of the run
    std::vector<Learner> m_learners;       //!< of the run
    NoiseFit m_fit;                        //!< noise of all runs
    uint64_t m_leaked{0};                  //!< of all runs
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_AUDIT_H
