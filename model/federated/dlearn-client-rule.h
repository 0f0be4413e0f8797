/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CLIENT_RULE_H
#define DLEARN_CLIENT_RULE_H

#include "dlearn-client-release.h"

#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-message.h"
#include "ns3/dlearn-optimizer.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A client's half of an algorithm with a server. It knows neither time nor packets: for each model
 * that the client takes up, an application calls
 *
 *  1. BeginRound(t, message) with the server's model: draw the round's data.
 *  2. Compute(): the expensive part, a pure function of the client's own state. It touches no
 *     ns-3 object but the task, so that an application may run it on another thread.
 *  3. Send(): the update, noise included; it counts as sent. If CanContinue() is false afterwards,
 *     the update is not sent, and EndRound() not called.
 *  4. EndRound(transmitted): whether any of the update left the node.
 *
 * A crash may leave out 2 to 4, but 4 always follows 3. Rounds increase, but need not be
 * consecutive.
 */
class ClientRule : public LearnerRule
{
  public:
    static TypeId GetTypeId();

    /** Prepare for the first round. @throw std::invalid_argument for a wrong configuration */
    virtual void Setup(Ptr<LocalData> data) = 0;

    /** After Setup(). @param model that all learners have before the first round; zero unless set
     */
    virtual void SetInitialModel(const ModelVector& /* model */) {}

    /**
     * After Setup(). The server's rule must return the same (ServerRule::GetFormat()).
     *
     * @return entries and names of figures of the messages of a channel. Unless overridden a
     *         request has an entry for each client of the server, other messages are as long as the
     *         task's model, and there are no figures
     */
    virtual MessageFormat GetFormat(ModelChannel channel) const
    {
        const bool request = channel == ModelChannel::REQUEST;
        return {request ? m_clients : GetData()->GetTask()->GetDimension(), {}};
    }

    /**
     * @param round t, larger than that of any earlier call
     * @param message received from the server: its model, in the format of channel MODEL.
     * GetModel() is then the model from which training starts
     */
    virtual void BeginRound(uint32_t round, const Message& message) = 0;

    /** The round's local training. */
    virtual void Compute() = 0;

    /** @return the update for the server, in the format of channel UPDATE */
    virtual Message Send() = 0;

    /** @return whether a receiver may take an entry of an update that a compressor leaves out for
     * 0; true unless overridden */
    virtual bool MayLackEntries() const { return true; }

    /**
     * The server's schedule sets something between two rounds (ServerSchedule::GetSettings()).
     *
     * @param name of an attribute, unless overridden
     * @param value of it
     * @throw std::invalid_argument for another name, or a value out of range
     */
    virtual void TakeSetting(const std::string& name, double value);

    /** @return the simulated seconds that the round's Compute() takes; unless overridden none: the
     *          application's ComputeModel says how long */
    virtual std::optional<double> FindTrainingTime() const { return std::nullopt; }

    /** @return gradient steps of the open round; 0: unknown; 1 unless overridden */
    virtual uint64_t CountSteps() const { return 1; }

    /**
     * Figures are sent without clipping or noise. Those that depend on data, which are all but
     * samples, steps and seconds, are refused if the rule has a privacy account, unless the rule
     * itself adds noise to them and accounts for it.
     *
     * @return whether it does; false unless overridden
     */
    virtual bool ProtectsFigures() const { return false; }

    /** @param transmitted whether any of the update left the node */
    virtual void EndRound(bool /* transmitted */) {}

    /**
     * Answer a later step of a round (ServerRule::Ask()), between Send() and EndRound(), each step
     * at most once, and in order. It takes no simulated computing time.
     *
     * @param step from 1
     * @param request in the format of channel REQUEST
     * @return the answer, in the format of channel ANSWER; without values: none, as unless
     *         overridden
     */
    virtual Message Answer(uint32_t /* step */, const Message& /* request */) { return {}; }

    /** Before Setup(). @param clients number of all clients of the server @param self own number */
    void SetClients(uint32_t clients, LearnerId self)
    {
        m_clients = clients;
        m_self = self;
    }

    /** @return the kind of Send(); a difference of models unless overridden */
    virtual UpdateKind GetUpdateKind() const { return UpdateKind::DIFFERENCE; }

    /** @return the attribute Release: clipping, noise and privacy account, to be configured before
     *          Setup(); null unless overridden: none */
    virtual Ptr<ClientRelease> GetRelease() const { return nullptr; }

    /** @return the client's data; null before Setup(), and if it trains elsewhere (Begin()) */
    virtual Ptr<const LocalData> GetData() const = 0;

    /** @return the role of a client with this rule in results; client unless overridden */
    virtual std::string GetRole() const { return "client"; }

    /**
     * A model that the client keeps for itself, on which it is evaluated. It may be asked for at
     * any time, also while another thread computes: it changes in Send(), never in Compute().
     *
     * @return it; null unless overridden: the client has none, and uses the server's model
     */
    virtual const ModelVector* FindPersonalModel() const { return nullptr; }

    /** Signature of the trace Exposure: the client's round of the event. */
    using ExposureTracedCallback = void (*)(uint32_t round);

  protected:
    /** @return the client's number, from 1 */
    LearnerId GetSelf() const { return m_self; }

    TracedCallback<uint32_t> m_exposureTrace; //!< Exposure

  private:
    uint32_t m_clients{1}; //!< of the server
    LearnerId m_self{1};
};

/** @ingroup dlearn
 *  A client whose ClientRelease clips its vectors, adds noise and accounts for them. */
class ReleasingClient : public ClientRule
{
  public:
    void EndRound(bool transmitted) final
    {
        m_release->End(m_round, transmitted || IsReleased());
        DoEndRound(transmitted);
    }

    Ptr<ClientRelease> GetRelease() const final { return m_release; }

    bool CanContinue() const final { return !m_release->IsExhausted(); }

    std::vector<std::string> GetWarnings() const override;

    Ptr<const PrivacyAccount> GetLedger() const final { return m_release->GetLedger(); }

    Ptr<const LocalData> GetData() const final { return m_data; }

    void SetInitialModel(const ModelVector& model) override { m_model = model; }

    /** @return the client's model */
    const ModelVector& GetModel() const final { return m_model; }

  protected:
    void DoDispose() override;

    /** The round is over: keep what it changed in the rule's state, or not.
     *  @param transmitted whether any of the update left the node */
    virtual void DoEndRound(bool /* transmitted */) {}

    /** Open the account, as ClientRelease::Setup(). */
    void SetUpRelease(const std::string& name, double clip, double momentum);

    Ptr<LocalData> m_data;
    Ptr<const Task> m_task;
    Ptr<ClientRelease> m_release{CreateObject<ClientRelease>()}; //!< attribute Release
    uint32_t m_round{0};
    ModelVector m_model;
};

/**
 * @ingroup dlearn
 * The common part of rules of clients that train a local model w_i from the server's model w, and
 * return the difference w_i - w. A derived rule defines the training. If GetFormat() says so, other
 * entries follow the model and the difference in their messages, or the last entries of the model
 * stay with the client, which keeps those of its last training.
 *
 * For privacy the difference is clipped to norm C = ClipNorm (0, the default: none) and gets noise,
 * Clip(w_i - w; C) + noise; see FedAvgPlan, and ClientRelease for the account, with the threat
 * models LocalDp and CentralDp. Entries that follow the difference are clipped with it, as one
 * vector, and get noise, too. With CentralDp, whose noise is on the model only, there must be none.
 *
 * With AdaptiveClip C is the figure clip of the server's model, and the figure within of the update
 * is 1/2, or -1/2 if the difference was longer than C; the server accounts for both (FedAvgServer,
 * ClipQuantile). ClipNorm is the norm on which the account rests.
 */
class LocalTraining : public ReleasingClient
{
  public:
    static TypeId GetTypeId();

    void Setup(Ptr<LocalData> data) final;
    void BeginRound(uint32_t round, const Message& message) final;
    void Compute() final;
    Message Send() final;
    MessageFormat GetFormat(ModelChannel channel) const override;

    bool ProtectsFigures() const override { return m_adaptive; }

  protected:
    bool IsSetUp() const { return m_data != nullptr; }

    /** @throw std::invalid_argument when an attribute does not fit the data */
    virtual void CheckAttributes() const = 0;

    /** A round begins: copy the attributes that Train() uses. */
    virtual void DoBeginRound() {}

    /**
     * Train. It may change the rule's own state, maybe on another thread; a change that is to last
     * only if the update has left is made in DoEndRound().
     *
     * @param start the server's model w
     * @param samples of the round, in the order of use
     * @return w_i
     */
    virtual ModelVector Train(const ModelVector& start, const SampleIndices& samples) = 0;

    /** The training is over: GetModel() is w_i. Others may use its results from now on. */
    virtual void DoSend() {}

    Message m_received; //!< in the round: the entries that follow the model, and the figures
    Message m_attached; //!< set by Train(): the entries that follow the difference, and the figures

  private:
    double m_clipNorm{0};   //!< attribute ClipNorm
    bool m_adaptive{false}; //!< attribute AdaptiveClip
    ModelVector m_start;    //!< the server's model
    ModelVector m_trained;  //!< by Compute(), maybe on another thread
};

/**
 * @ingroup dlearn
 * Local gradient steps over mini-batches, the client's half of FedAvg. The round's n samples are
 * cut into K batches, and
 *
 *   w <- w - lambda_t (g_k(w) + Proximal (w - w_received)),   k = 0..K-1,
 *
 * with g_k the average gradient over batch k and lambda_t the step of a StepSchedule, StepSize in
 * all rounds by default; t is the round as the client counts rounds. Another Optimizer makes other
 * steps along what is in brackets. Its state begins anew in each round or, with KeepState, goes on
 * from the last round of which any of the update left the node. With BatchSize B the batches
 * are those of B samples, and a smaller last one, of each pass over the data
 * (ShardData::SetEpochs()), as usual in the literature. With BatchSize 0 there are
 * K = LocalSteps batches of floor(n / K) samples, and up to K - 1 samples at the end stay unused.
 * With Proximal 0 and a least-squares task that is Algorithm 1 of Zhang et al. with finite K; with
 * more it is FedProx (Li et al., MLSys 2020), whose term pulls the client to the model that it
 * was given. Regularization and clipping are the task's. A derived rule may add a direction to the
 * gradients of a round, or take the same steps from another model.
 */
class LocalSgd : public LocalTraining
{
  public:
    static TypeId GetTypeId();

    /** @return samples of all batches */
    uint64_t GetWork() const override;

    uint64_t CountSteps() const override { return GetBatches(m_data->GetSamples()).size(); }

  protected:
    void CheckAttributes() const override;
    void DoBeginRound() override;
    void DoEndRound(bool transmitted) override;
    ModelVector Train(const ModelVector& start, const SampleIndices& samples) override;

    /**
     * Take the steps of the round, as Train().
     *
     * @param model where they begin
     * @param anchor the model that pulls
     * @param pull strength of that, in place of Proximal
     * @param samples of the round
     * @param state of the Optimizer
     * @return where they end
     */
    ModelVector Descend(ModelVector model,
                        const ModelVector& anchor,
                        double pull,
                        const SampleIndices& samples,
                        Optimizer::State& state) const;

    /** @return the attribute Optimizer */
    const Optimizer& GetOptimizer() const { return *m_optimizer; }

    ModelVector m_direction; //!< added to all gradients of the round; empty: none
    double m_proximal{0};    //!< attribute Proximal

    /** Copies of attributes, which may change while a thread trains. */
    struct Training
    {
        uint32_t steps{1};      //!< LocalSteps
        uint32_t batch{0};      //!< BatchSize
        double proximal{0};     //!< Proximal
        Optimizer::Step step;   //!< of the Optimizer, with lambda_t
        Optimizer::State state; //!< of the Optimizer
    };

    Training m_training;

  private:
    /** @return the samples of each step */
    std::vector<SampleIndices> GetBatches(const SampleIndices& samples) const;

    uint32_t m_steps{1};        //!< attribute LocalSteps
    uint32_t m_batch{0};        //!< attribute BatchSize
    Ptr<Optimizer> m_optimizer; //!< attribute Optimizer
    bool m_keeps{false};        //!< attribute KeepState
    Optimizer::State m_state;   //!< of the last round whose update left, with KeepState
};

/**
 * @ingroup dlearn
 * The exact minimum of the client's own objective over the round's samples: infinitely many
 * local steps (K = infinity of Zhang et al.). If there are many minima, as in least squares with
 * more parameters than samples, it is the one nearest to the received model, at which gradient
 * descent from there ends: MinimizeFrom().
 *
 * The task must be a ConvexTask.
 */
class LocalSolve : public LocalTraining
{
  public:
    static TypeId GetTypeId();

    /** @return samples x min(samples, parameters), the cost of the factorization */
    uint64_t GetWork() const override;

  protected:
    void CheckAttributes() const override;
    ModelVector Train(const ModelVector& start, const SampleIndices& samples) override;
};

} // namespace ns3::dlearn

#endif // DLEARN_CLIENT_RULE_H
