/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_RULE_H
#define DLEARN_PEER_RULE_H

#include "dlearn-neighbor-combiner.h"
#include "dlearn-pending-release.h"
#include "dlearn-projection.h"
#include "dlearn-round-rule.h"

#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-privacy-unit.h"

#include <memory>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What all rules share in which a learner sends one noisy vector to all its neighbours and
 * mixes what they send with its own: drawing data, adding noise, keeping the privacy account
 * and its budget, mixing, projecting. A rule derived from it says what is sent
 * (GetReleased), with which step and coupling, and how theta moves (Move).
 *
 * A round: BeginRound() draws the batch; Compute() evaluates the gradient; Send() asks the
 * ledger whether it can afford the release, adds noise and addresses the vector to all
 * out-neighbours, or returns nothing and from then on CanContinue() is false; EndRound()
 * books the release and the coupling that was realised, then moves theta.
 *
 * A neighbour that is missing is left out of the mixing sum, which leaves its weight with
 * the learner's own vector; of a partial arrival the entries that came are used. An older
 * vector that stands in for a missing one counts as received: the weight on the learner's
 * own vector is the same. A learner may listen on after its budget is spent.
 *
 * With the attribute Aggregator, or SetAggregator(), the mixing is robust (RobustMixing): up to
 * Byzantine of the neighbours may lie, and partial arrivals count as missing. Not every
 * aggregator leaves an account that can be kept; Setup() then insists that there is no ledger.
 *
 * Noise, ledger and projection are one object a learner, made from the TypeId attributes on
 * first use: set their attributes before Setup(). A release whose round never ended (a crash
 * between Send() and EndRound()) is booked as sent when the next round begins.
 */
class PeerRule : public RoundRule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    ~PeerRule() override;

    std::vector<std::pair<LearnerId, ModelChannel>> GetExpected() const final;
    bool CanContinue() const final;
    Ptr<const PrivacyAccount> GetLedger() const final;

    /**
     * Fix the stream of the noise. The sample stream belongs to whoever made it and is not
     * touched.
     */
    int64_t AssignStreams(int64_t stream) final;

    /** @return the learner's own noise mechanism */
    Ptr<NoiseMechanism> GetNoiseMechanism();

    /** @return the learner's own ledger, to set its Budget; null when it keeps none */
    Ptr<PrivacyLedger> GetPrivacyLedger();

    /** @return the learner's own unit of protection */
    Ptr<PrivacyUnit> GetPrivacyUnit();

    /** @return the learner's own projection */
    Ptr<Projection> GetProjection();

    /** @return what mixes robustly; null for the weighted sum */
    Ptr<Aggregator> GetAggregator();

    /** @param aggregator with its parts, instead of the attribute; to be set before Setup() */
    void SetAggregator(Ptr<Aggregator> aggregator);

    /** @return rounds in which robust mixing had too few vectors and did nothing */
    uint64_t GetSkippedMixings() const;

    /**
     * @param round t
     * @return lambda_t, step on the gradient
     */
    virtual double GetStepSize(uint32_t round) const = 0;

    /**
     * @param round t
     * @return gamma_t, factor on all weights; 1 unless overridden
     */
    virtual double GetCoupling(uint32_t round) const;

  protected:
    /** Defaults of the attributes that name the parts of a rule. */
    struct Parts
    {
        TypeId noise;      //!< attribute NoiseMechanism
        TypeId ledger;     //!< attribute PrivacyLedger
        TypeId unit;       //!< attribute PrivacyUnit
        TypeId projection; //!< attribute Projection
    };

    /**
     * Add the attributes NoiseMechanism, PrivacyLedger, PrivacyUnit, Projection, Smoothness,
     * Aggregator, Byzantine and MissingAreByzantine to a rule: each rule has its own defaults of
     * the first four.
     *
     * @param tid of the rule
     * @param defaults its defaults
     * @return the TypeId with the attributes
     */
    static TypeId AddParts(TypeId tid, const Parts& defaults);

    /** @throw std::invalid_argument when an attribute of the rule is out of its range */
    virtual void CheckAttributes() const = 0;

    /**
     * @return conditions of the theory that the configuration violates; the base class looks
     *         at the weights, which all rules have
     */
    std::vector<std::string> FindWarnings() const override;

    /**
     * @param round t
     * @return the samples of the round; BatchSize new ones of the stream unless overridden
     */
    SampleIndices DrawBatch(uint32_t round) override;

    void TakeBatch(const SampleIndices& batch) override;
    void DoEndRound(const Inbox& inbox) override;
    void DoAbandon(bool transmitted) override;

    /**
     * @return how the state depends on itself, which decides what account can bound it; OTHER,
     *         which no account of this module bounds, unless overridden
     */
    virtual StateRecursion GetRecursion() const;

    /** @return the vector to send, still without noise; theta unless overridden */
    virtual ModelVector GetReleased() const;

    /**
     * Called for every release, once the budget allows it.
     *
     * @param released GetReleased() with noise
     * @return what the message holds, of GetLength(STATE) entries: a function of `released` and
     *         of what is no secret; `released` itself unless overridden
     */
    virtual ModelVector Pack(const ModelVector& released);

    /** @return step of a gradient that GetReleased() already contains; else 0 */
    virtual double GetReleasedStep() const;

    /** @return newest batches that a gradient averages over, 0 for all; 1 unless overridden */
    virtual uint32_t GetHistoryWindow() const;

    /** @return whether Move() uses Mix(), so that an Aggregator has an effect; true unless
     * overridden */
    virtual bool UsesMix() const;

    /**
     * @param inbox what arrived
     * @return what the privacy account is told about the move; its batches and shares are those
     *         of the unit of protection
     */
    virtual UpdateEvent GetUpdateEvent(const Inbox& inbox) const;

    /**
     * @param inbox what arrived
     * @return theta_{t+1}, still to be projected
     */
    virtual ModelVector Move(const Inbox& inbox) const = 0;

    /**
     * Mix as WeightedMixing or RobustMixing do, with gamma_t = GetCoupling().
     *
     * @param own the learner's own vector
     * @param inbox what arrived
     * @return the mixture
     */
    ModelVector Mix(const ModelVector& own, const Inbox& inbox) const;

    /** @return the noise mechanism, once Setup() has made it */
    Ptr<const NoiseMechanism> GetNoise() const;

    /** @return sum_j w_ij over all in-neighbours */
    double GetInWeight() const;

    ModelVector m_noisy; //!< what Send() released in this round; GetReleased() when nothing

  private:
    void DoSetup() final;
    Outbox DoSend() final;
    void MakeMixing();
    void SetLedgerConstants();

    TypeId m_noiseType;       //!< attribute NoiseMechanism
    TypeId m_ledgerType;      //!< attribute PrivacyLedger
    TypeId m_unitType;        //!< attribute PrivacyUnit
    TypeId m_projectionType;  //!< attribute Projection
    double m_smoothness{0};   //!< attribute Smoothness
    TypeId m_aggregatorType;  //!< attribute Aggregator
    uint32_t m_byzantine{0};  //!< attribute Byzantine
    bool m_missingLie{false}; //!< attribute MissingAreByzantine

    Ptr<NoiseMechanism> m_noise;                //!< made from m_noiseType
    Ptr<PrivacyLedger> m_ledger;                //!< made from m_ledgerType; null for none
    Ptr<PrivacyUnit> m_unit;                    //!< made from m_unitType
    Ptr<Projection> m_projection;               //!< made from m_projectionType
    Ptr<Aggregator> m_aggregator;               //!< made from m_aggregatorType; null for none
    std::unique_ptr<NeighborCombiner> m_mixing; //!< made by Setup()

    PendingRelease<PrivacyLedger, ReleaseEvent> m_pending; //!< sent but not yet booked
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_RULE_H
