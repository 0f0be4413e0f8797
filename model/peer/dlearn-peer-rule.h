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
#include "ns3/pointer.h"

#include <memory>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The common part of all rules in which a learner sends one noisy vector to all its neighbours and
 * mixes their vectors with its own: data, noise, privacy account and budget, mixing, projection.
 * Each of these is a part: a NoiseMechanism, a PrivacyLedger and the PrivacyUnit that it protects,
 * a StepSchedule, an Aggregator where mixing is robust, a Projection. A derived rule names the
 * default parts in its GetTypeId() (AddParts), and defines the sent vector (GetReleasedStep) and
 * the next theta (Move).
 *
 * A round: BeginRound() draws the batch; Compute() evaluates the gradient; Send() asks the
 * ledger whether it can afford the release, adds noise and addresses the vector to all
 * out-neighbours; else it returns nothing, and CanContinue() stays false. EndRound() records the
 * release and the realised coupling, and moves theta.
 *
 * A missing neighbour leaves its weight to the learner's own vector; a partial arrival does so in
 * its missing entries. An older vector in place of a missing one counts as received. A learner may
 * continue to listen after its budget is spent.
 *
 * With the attribute Aggregator, or SetAggregator(), the mixing is robust (RobustMixing): up to
 * Byzantine of the neighbours may be Byzantine, and partial arrivals count as missing. With some
 * aggregators no account is possible; Setup() then refuses a ledger.
 */
class PeerRule : public RoundRule
{
  public:
    static TypeId GetTypeId();

    /** @return channel STATE, with vectors of a model's length unless overridden */
    std::vector<RuleChannel> GetChannels() const override;

    /** @return whether the mixing is robust */
    bool NeedsWholeVectors() const override { return m_aggregator != nullptr; }

    int64_t AssignStreams(int64_t stream) final;

    Ptr<NoiseMechanism> GetNoiseMechanism() const { return m_noise; }

    /** @return the ledger; null: none; one of another kind is refused */
    Ptr<PrivacyLedger> GetPrivacyLedger() const { return GetAccount<PrivacyLedger>(); }

    /** @return the attribute Aggregator; null: weighted sum */
    Ptr<Aggregator> GetAggregator() const { return m_aggregator; }

    /** @param aggregator with its parts; to be set before Setup() */
    void SetAggregator(Ptr<Aggregator> aggregator)
    {
        SetAttribute("Aggregator", PointerValue(aggregator));
    }

    /** @return rounds in which robust mixing had too few vectors */
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

    /** @return the StepSchedule, which GetStepSize() may change */
    const StepSchedule& GetStepSchedule() const { return *m_step; }

    /** @return the CouplingSchedule; null: none */
    Ptr<const StepSchedule> GetCouplingSchedule() const { return m_coupling; }

    /** @return violated conditions on the weights; derived rules add theirs */
    std::vector<std::string> FindWarnings() const override;

    void TakeBatch(const SampleIndices& batch) override;

    void DoEndRound(const Inbox& inbox) override;

    void DoAbandon(bool transmitted) override { SettleRelease(transmitted); }

    /** @return the recursion that an account must bound; OTHER unless overridden: none does */
    virtual StateRecursion GetRecursion() const { return StateRecursion::OTHER; }

    /** @return the vector to send, still without noise: theta less GetReleasedStep() gradients */
    ModelVector GetReleased() const;

    /**
     * Called for every release, once the budget allows it.
     *
     * @param released GetReleased() with noise
     * @return the message, of GetLength(STATE) entries: a function of `released` and of public
     *         values; `released` unless overridden
     */
    virtual ModelVector Pack(const ModelVector& released) { return released; }

    /** @return step on the gradient in the sent vector; 0 unless overridden */
    virtual double GetReleasedStep() const { return 0; }

    /** @return newest batches that a gradient averages over, 0 for all; 1 unless overridden */
    virtual uint32_t GetHistoryWindow() const { return 1; }

    /** @return whether an Aggregator has an effect, as Move() uses Mix(); true unless overridden */
    virtual bool UsesMix() const { return true; }

    /**
     * @param inbox messages of the round
     * @return the update for the privacy account, without batches and shares
     */
    virtual UpdateEvent GetUpdateEvent(const Inbox& inbox) const;

    /** @return theta_{t+1}, not yet projected */
    virtual ModelVector Move(const Inbox& inbox) const = 0;

    /** Mix the messages that arrived with a vector, with gamma_t = GetCoupling(): MixHeard(), or
     *  RobustMixing. */
    ModelVector Mix(const ModelVector& own, const Inbox& inbox) const;

    /**
     * Mix the noisy states and step along the gradient d_t:
     *
     *   theta_t^i + sum_j gamma_t w_ij (y_t^j - theta_t^i) - lambda_t d_t^i,
     *
     * where y is the noisy theta, and the sum runs over the messages that arrived. This is
     * StateRecursion::COUPLED.
     */
    ModelVector MixAndDescend(const Inbox& inbox) const
    {
        return Mix(m_model, inbox) - GetStepSize(m_round) * m_gradient;
    }

    /** @return sum_j w_ij over all in-neighbours */
    double GetInWeight() const { return SumWeights(GetNeighbors().in); }

    ModelVector m_noisy; //!< GetReleased(), with noise if released

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
    Ptr<StepSchedule> m_coupling;      //!< attribute CouplingSchedule; null: none
    double m_smoothness{0};            //!< attribute Smoothness
    Ptr<Aggregator> m_aggregator;      //!< attribute Aggregator; null: none
    uint32_t m_byzantine{0};           //!< attribute Byzantine
    bool m_missingAreByzantine{false}; //!< attribute MissingAreByzantine

    Ptr<PrivacyLedger> m_ledger;            //!< the account, as of Setup(); null: none
    bool m_unknownConstants{false};         //!< whether the account lacks some, without noise
    std::unique_ptr<RobustMixing> m_robust; //!< null: weighted sum
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_RULE_H
