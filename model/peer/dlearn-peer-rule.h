/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_RULE_H
#define DLEARN_PEER_RULE_H

#include "dlearn-mixing.h"
#include "dlearn-update-rule.h"

#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-task.h"
#include "ns3/dlearn-types.h"

#include <memory>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The common part of all rules in which a learner sends one noisy vector to all its neighbours and
 * mixes what they send with its own: drawing data, adding noise, keeping the privacy account
 * and its budget, mixing, projecting. Each of these is a part: a NoiseMechanism, a PrivacyLedger
 * and the PrivacyUnit that it protects, a StepSchedule, an Aggregator where mixing is robust, a
 * Projection. A derived rule has a GetTypeId() that names the default parts (AddParts), and
 * defines the vector that is sent (GetReleasedStep) and how theta moves (Move).
 *
 * A round: BeginRound() draws the batch; Compute() evaluates the gradient; Send() asks the
 * ledger whether it can afford the release, adds noise and addresses the vector to all
 * out-neighbours, or returns nothing and from then on CanContinue() is false; EndRound()
 * records the release and the coupling that was realised, then moves theta.
 *
 * A neighbour that is missing is left out of the mixing sum, which leaves its weight with
 * the learner's own vector; of a partial arrival the entries that came are used. An older
 * vector that stands in for a missing one counts as received: the weight on the learner's
 * own vector is the same. A learner may listen on after its budget is spent.
 *
 * With the attribute Aggregator, or SetAggregator(), the mixing is robust (RobustMixing): up to
 * Byzantine of the neighbours may be Byzantine, and partial arrivals count as missing. Not every
 * aggregator leaves an account that can be kept; Setup() then insists that there is no ledger.
 */
class PeerRule : public RoundRule
{
  public:
    static TypeId GetTypeId();

    /** @return channel STATE, with vectors of a model's length unless overridden */
    std::vector<RuleChannel> GetChannels() const override;

    /** @return whether the mixing is robust: what is missing of a vector may be of any size */
    bool NeedsWholeVectors() const override { return m_aggregator != nullptr; }

    /** Fix the streams of the noise, then those of the aggregator. */
    int64_t AssignStreams(int64_t stream) final;

    /** @return the learner's own noise mechanism */
    Ptr<NoiseMechanism> GetNoiseMechanism() const { return m_noise; }

    /** @return the learner's own ledger; null when it keeps none, refused if of another kind */
    Ptr<PrivacyLedger> GetPrivacyLedger() const { return GetAccount<PrivacyLedger>(); }

    /** @return the learner's own projection */
    Ptr<Projection> GetProjection() const { return m_projection; }

    /** @return what mixes robustly; null for the weighted sum */
    Ptr<Aggregator> GetAggregator() const { return m_aggregator; }

    /** @param aggregator with its parts; to be set before Setup() */
    void SetAggregator(Ptr<Aggregator> aggregator);

    /** @return rounds in which robust mixing had too few vectors and did nothing */
    uint64_t GetSkippedMixings() const { return m_robust ? m_robust->GetSkipped() : 0; }

    /** @return lambda_t, step on the gradient; that of the StepSchedule unless overridden */
    virtual double GetStepSize(uint32_t round) const { return m_step->Get(round); }

    /** @return gamma_t, factor on all weights; 1 for rules without a CouplingSchedule */
    double GetCoupling(uint32_t round) const { return m_coupling ? m_coupling->Get(round) : 1; }

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
     * Aggregator, Byzantine, MissingAreByzantine, StepSchedule and StepSize to a rule, and
     * StepExponent or StepRatio: each rule has its own defaults.
     */
    static TypeId AddParts(TypeId tid, const Parts& defaults, const DefaultSchedule& step);

    /** Add CouplingSchedule, Coupling and CouplingExponent: gamma_t = initial (t+1)^-exponent. */
    static TypeId AddCoupling(TypeId tid, double initial, double exponent);

    std::vector<Ptr<NoiseMechanism>> GetMechanisms() const final;

    /** @return the step of a round, before what a derived rule makes of it */
    const StepSchedule& GetStepSchedule() const { return *m_step; }

    /** @return gamma_t; null for rules without one */
    Ptr<const StepSchedule> GetCouplingSchedule() const { return m_coupling; }

    /** @return violated conditions: the base class looks at the weights, which all rules have */
    std::vector<std::string> FindWarnings() const override;

    void TakeBatch(const SampleIndices& batch) override;

    void DoEndRound(const Inbox& inbox) override;
    void DoAbandon(bool transmitted) override;

    /**
     * @return how the state depends on itself, which decides what account can bound it; OTHER,
     *         which no account of this module bounds, unless overridden
     */
    virtual StateRecursion GetRecursion() const { return StateRecursion::OTHER; }

    /** @return the vector to send, still without noise: theta less GetReleasedStep() gradients */
    ModelVector GetReleased() const;

    /**
     * Called for every release, once the budget allows it.
     *
     * @param released GetReleased() with noise
     * @return what the message holds, of GetLength(STATE) entries: a function of `released` and
     *         of what is no secret; `released` itself unless overridden
     */
    virtual ModelVector Pack(const ModelVector& released) { return released; }

    /** @return how much of the gradient theta has moved before it is sent; 0 unless overridden */
    virtual double GetReleasedStep() const { return 0; }

    /** @return newest batches that a gradient averages over, 0 for all; 1 unless overridden */
    virtual uint32_t GetHistoryWindow() const { return 1; }

    /** @return whether an Aggregator has an effect, as Move() uses Mix(); true unless overridden */
    virtual bool UsesMix() const { return true; }

    /**
     * @param inbox what arrived
     * @return what the privacy account has to know of the update; its batches and shares are those
     *         of the unit of protection
     */
    virtual UpdateEvent GetUpdateEvent(const Inbox& inbox) const;

    /** @return theta_{t+1} after what arrived, still to be projected */
    virtual ModelVector Move(const Inbox& inbox) const = 0;

    /**
     * Mix what arrived with a vector, with gamma_t = GetCoupling(): MixHeard(), in which the
     * entries that came of a partial arrival are used, or RobustMixing.
     */
    ModelVector Mix(const ModelVector& own, const Inbox& inbox) const;

    /**
     * Mix the states as they were sent, with noise, and then go along the gradient d_t, as rules do
     * that couple states on a slower scale than that of the gradient:
     *
     *   theta_t^i + sum_j gamma_t w_ij (y_t^j - theta_t^i) - lambda_t d_t^i,
     *
     * where y is what was sent of theta, and the sum runs over what arrived. With that, the state
     * depends on itself as StateRecursion::COUPLED says.
     */
    ModelVector MixAndDescend(const Inbox& inbox) const;

    /** @return sum_j w_ij over all in-neighbours */
    double GetInWeight() const { return SumWeights(GetNeighbors().in); }

    ModelVector m_noisy; //!< what Send() released in this round; GetReleased() when nothing

  private:
    void DoSetup() final;
    Outbox DoSend() final;

    static TypeId AddMixing(TypeId tid);
    void MakeMixing();
    void SetUpPrivacy();

    /** @param event ReleaseEvent or UpdateEvent: gets the parts of the unit of protection */
    template <typename Event>
    void AddShares(Event& event) const;

    Ptr<NoiseMechanism> m_noise;       //!< attribute NoiseMechanism
    Ptr<Projection> m_projection;      //!< attribute Projection
    Ptr<StepSchedule> m_step;          //!< attribute StepSchedule
    Ptr<StepSchedule> m_coupling;      //!< attribute CouplingSchedule; null for rules without one
    double m_smoothness{0};            //!< attribute Smoothness
    Ptr<Aggregator> m_aggregator;      //!< attribute Aggregator; null for none
    uint32_t m_byzantine{0};           //!< attribute Byzantine
    bool m_missingAreByzantine{false}; //!< attribute MissingAreByzantine

    Ptr<PrivacyLedger> m_ledger;            //!< the account, as of Setup(); null for none
    bool m_unknownConstants{false};         //!< whether the account lacks some, without noise
    std::unique_ptr<RobustMixing> m_robust; //!< null for the weighted sum
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_RULE_H
