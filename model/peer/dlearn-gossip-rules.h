/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GOSSIP_RULES_H
#define DLEARN_GOSSIP_RULES_H

#include "dlearn-gradient-tracking.h"
#include "dlearn-update-rule.h"

#include "ns3/dlearn-learner-rule.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The common part of rules of peers without noise and privacy account: a learner sends one vector
 * to all its out-neighbours and moves its model with theirs. Below, x_i is the model of learner i
 * with d entries, g_i the gradient of its newest batch at x_i, eta the step of the StepSchedule,
 * w_ij the weight of neighbour j and w_ii = 1 - sum_j w_ij. Sums over j run over the in-neighbours.
 *
 * A derived class makes the vector once in a round (MakeVector(), also when it only listens), and
 * moves the model (Move()).
 */
class GossipRule : public RoundRule
{
  public:
    static TypeId GetTypeId();

    /** @return channel STATE, with vectors of d entries unless overridden */
    std::vector<RuleChannel> GetChannels() const override;

    /** @return true unless overridden: vectors of several rounds must not be mixed */
    bool NeedsCommonRounds() const override { return true; }

    double GetStepSize(uint32_t round) const { return m_step->Get(round); }

  protected:
    void DoSetup() override { m_step->Check(); }

    std::vector<std::string> FindWarnings() const override;

    /** @return the round's vector */
    virtual ModelVector MakeVector() = 0;

    /** @return the message for the round's vector, which is itself unless overridden */
    virtual ModelVector Pack(const ModelVector& vector) { return vector; }

    /** Move m_model. @param pushed whether the round's own message left the node */
    virtual void Move(const Inbox& inbox, bool pushed) = 0;

    void DoAbandon(bool /* transmitted */) override {}

    /** @return x_i - eta direction */
    ModelVector Descend(const ModelVector& direction) const
    {
        return m_model - GetStepSize(m_round) * direction;
    }

    ModelVector m_vector; //!< result of MakeVector()

  private:
    std::vector<Ptr<NoiseMechanism>> GetMechanisms() const final { return {}; }

    Outbox DoSend() final;
    void DoEndRound(const Inbox& inbox) final;

    Ptr<StepSchedule> m_step; //!< attribute StepSchedule
};

/**
 * @ingroup dlearn
 * CHOCO-SGD: SGD with compressed gossip (Koloskova, Stich and Jaggi, "Decentralized stochastic
 * optimization and gossip algorithms with compressed communication", ICML 2019, Algorithm 2). Every
 * learner keeps public copies c_j, first 0, of its neighbours' models and of its own. With a
 * compressor Q and gamma = Gamma:
 *
 *   h_i  = x_i - eta g_i,   q_i = Q(h_i - c_i)        (sent)
 *   c_j' = c_j + q_j        for itself and each neighbour
 *   x_i' = h_i + gamma sum_j w_ij (c_j' - c_i').
 *
 * Q is the Compressor of the MessageExchange, as a contraction and without error feedback, whose
 * part c has; without one Q rounds to the numbers on the wire. c_i follows what receivers read.
 *
 * Loss: a receiver's copy of c_j differs from the sender's by the sum of the q_j that it did not
 * get, for good. A difference that comes late is as good as one in time. With RestartEvery = K all
 * copies begin at 0 again in rounds K, 2K, ..., which ends such errors.
 */
class ChocoSgd : public GossipRule
{
  public:
    static TypeId GetTypeId();

    bool NeedsWholeVectors() const override { return true; }

    bool CorrectsCompression() const override { return true; }

    void Sent(ModelChannel /* channel */, const Reading& read) override { m_sent = read(); }

    void TakeLate(LearnerId sender, ModelChannel channel, const Arrival& arrival) override;

  protected:
    void DoSetup() override;
    ModelVector MakeVector() override;
    ModelVector Pack(const ModelVector& vector) override;
    void Move(const Inbox& inbox, bool pushed) override;
    void DoAbandon(bool transmitted) override;

  private:
    /** A public copy of a model, since a round in which copies began at 0. */
    struct Copy
    {
        ModelVector values; //!< d entries
        uint32_t epoch{0};  //!< number of restarts
    };

    /** Begin a copy at 0 if copies have begun so since. @return whether the copy is of that time */
    bool Refresh(Copy& copy, uint32_t round) const;

    void Add(Copy& copy, uint32_t round, const ModelVector& difference) const;

    double m_gamma{0};                  //!< attribute Gamma
    uint32_t m_restart{0};              //!< attribute RestartEvery
    ModelVector m_half;                 //!< h_i
    ModelVector m_sent;                 //!< q_i
    Copy m_own;                         //!< c_i
    std::map<LearnerId, Copy> m_copies; //!< c_j
};

/**
 * @ingroup dlearn
 * The common part of D2 and Extra, which are exact where data differ, with a constant step and full
 * gradients: a correction z_i, first 0, takes up what the exchange of vectors y moves,
 *
 *   s_i  = sum_j w_ij (y_j - y_i),   z_i' = z_i + GetPart() s_i.
 *
 * The weights must be symmetric. Then the z_i sum to 0, and where the models rest the gradients do.
 *
 * Loss: a missing vector leaves its weight to y_i, so that the sum of z stays wrong by its part of
 * s_i, and the models rest where eta sum_i g_i = sum_i z_i. A vector that comes late, at most
 * LATEST rounds, corrects z_i.
 */
class CorrectedRule : public GossipRule
{
  public:
    static TypeId GetTypeId();

    void TakeLate(LearnerId sender, ModelChannel channel, const Arrival& arrival) override;

    /** @return z_i, d entries */
    const ModelVector& GetCorrection() const { return m_correction; }

  protected:
    static constexpr uint32_t LATEST = 8; //!< rounds whose late vectors are used

    void DoSetup() override;
    void Move(const Inbox& inbox, bool pushed) final;

  private:
    virtual double GetPart() const = 0;

    /** @return x_i', with z_i still of this round. @param exchanged y_i + s_i */
    virtual ModelVector GetNext(const ModelVector& exchanged) const = 0;

    ModelVector m_correction;
    std::map<uint32_t, ModelVector> m_missed; //!< y_i of rounds with a missing vector
};

/**
 * @ingroup dlearn
 * D2 (Tang, Lian, Yan, Zhang and Liu, "D2: Decentralized training over decentralized data", ICML
 * 2018, Algorithm 1):
 *
 *   x(1) = W (x(0) - eta g(0)),   x(t+1) = W (2 x(t) - x(t-1) - eta (g(t) - g(t-1))),
 *
 * written with z(t) = x(t) - x(t-1) + eta g(t-1): y = x - eta g + z is sent, x' = y + s, z' = z +
 * s. The eigenvalues of W must be above -1/3, which w_ii >= 1/3 ensures.
 */
class D2 : public CorrectedRule
{
  public:
    static TypeId GetTypeId();

  protected:
    ModelVector MakeVector() override { return Descend(m_gradient) + GetCorrection(); }

  private:
    double GetPart() const override { return 1; }

    ModelVector GetNext(const ModelVector& exchanged) const override { return exchanged; }
};

/**
 * @ingroup dlearn
 * EXTRA (Shi, Ling, Wu and Yin, "EXTRA: An exact first-order algorithm for decentralized consensus
 * optimization", SIAM J. Optim. 25(2), 2015) with its usual second matrix (I + W) / 2:
 *
 *   x(1) = W x(0) - eta g(0),
 *   x(t+2) = (I + W) x(t+1) - (I + W) / 2 x(t) - eta (g(t+1) - g(t)),
 *
 * written with z(t) = sum over r < t of (W - I) x(r) / 2: y = x is sent, x' = x + s - eta g + z,
 * z' = z + s / 2.
 */
class Extra : public CorrectedRule
{
  public:
    static TypeId GetTypeId();

  protected:
    ModelVector MakeVector() override { return m_model; }

  private:
    double GetPart() const override { return 0.5; }

    ModelVector GetNext(const ModelVector& exchanged) const override
    {
        return exchanged - GetStepSize(m_round) * m_gradient + GetCorrection();
    }
};

/**
 * @ingroup dlearn
 * Push-DIGing: gradient tracking over any strongly connected graph, directed or not (Nedic,
 * Olshevsky and Shi, "Achieving geometric convergence for distributed optimization over
 * time-varying graphs", SIAM J. Optim. 27(4), 2017, Algorithm 2). With p_i = 1 / (1 + out-degree),
 * which is column-stochastic, u = x, v = 1 and y = g in round 0:
 *
 *   message = p_i (u_i - eta y_i), p_i y_i, p_i v_i            (2d + 1 numbers)
 *   u_i', v_i' = the sums of these over i itself and its in-neighbours
 *   x_i' = u_i' / v_i',   y_i' = the sum of theirs + g_i(x_i') - g_i(x_i).
 *
 * The weights of the graph play no part. Messages are longer than the model: never compressed.
 *
 * The sum of all y is that of all gradients, and the sum of all v is the number of learners, less
 * what was lost, for good. What comes late counts in the next round. With RunningSum as
 * LossCompensation a loss only delays. A round from which nothing left the node keeps all.
 */
class PushDiging : public GossipRule
{
  public:
    static TypeId GetTypeId();

    std::vector<RuleChannel> GetChannels() const override;

    /** @return whether v is positive */
    bool IsUsable(ModelChannel channel, const ModelVector& values) const override;

    bool NeedsWholeVectors() const override { return true; }

    void TakeLate(LearnerId sender, ModelChannel channel, const Arrival& arrival) override;

    /** @return u, y and v, 2d + 1 entries; between rounds y lacks the next change of gradients */
    const ModelVector& GetState() const { return m_state; }

  protected:
    void DoSetup() override;

    std::vector<std::string> FindWarnings() const override { return {}; }

    ModelVector MakeVector() override;

    ModelVector Pack(const ModelVector& vector) override
    {
        return m_compensation->Push(GetShare() * vector);
    }

    void Move(const Inbox& inbox, bool pushed) override;
    void DoAbandon(bool transmitted) override;

  private:
    /** @return p_i */
    double GetShare() const { return 1.0 / static_cast<double>(1 + GetNeighbors().out.size()); }

    Ptr<LossCompensation> m_compensation; //!< attribute LossCompensation
    ModelVector m_state;                  //!< u, y and v
    ModelVector m_tracked;                //!< the gradient in y
    ModelVector m_late;                   //!< what came late, 2d + 1 entries
};

/**
 * @ingroup dlearn
 * The common part of ClippedGossip and SCClip, DSGD with clipped differences for graphs with
 * Byzantine neighbours (He, Karimireddy and Jaggi, "Byzantine-robust decentralized learning via
 * ClippedGossip", arXiv:2202.01545, 2022, Algorithm 2). With m_i = g_i in the first round, later
 * m_i' = beta m_i + (1 - beta) g_i, beta = Momentum:
 *
 *   h_i  = x_i - eta m_i                                         (sent)
 *   x_i' = h_i + sum_j w_ij min(1, tau_i / ||h_j - h_i||) (h_j - h_i).
 *
 * Loss: a missing vector leaves its weight to h_i; an older one may stand in for it.
 */
class ClippingRule : public GossipRule
{
  public:
    static TypeId GetTypeId();

    bool NeedsCommonRounds() const override { return false; }

    bool NeedsWholeVectors() const override { return true; }

  protected:
    /** Distance ||h_j - h_i|| and weight w_ij of each vector that arrived. */
    using Distances = std::vector<std::pair<double, double>>;

    ModelVector MakeVector() override;
    void Move(const Inbox& inbox, bool pushed) override;

  private:
    /** @return tau_i */
    virtual double GetRadius(Distances distances) const = 0;

    double m_momentum{0};  //!< attribute Momentum
    ModelVector m_average; //!< m_i; empty before the first round
};

/** @ingroup dlearn
 *  ClippingRule with a radius tau that is given. */
class ClippedGossip : public ClippingRule
{
  public:
    static TypeId GetTypeId();

  private:
    double GetRadius(Distances /* distances */) const override { return m_radius; }

    double m_radius{0}; //!< attribute Radius
};

/**
 * @ingroup dlearn
 * Self-centred clipping: ClippingRule whose radius adapts to the neighbourhood in each round. With
 * delta the largest weight that Byzantine of the neighbours have together, and S the nearest
 * vectors, h_i itself first, whose weights reach 1 - delta:
 *
 *   tau_i^2 = (1 / delta) sum over j in S of w_ij ||h_j - h_i||^2;   nothing is clipped if delta =
 * 0.
 *
 * The weight of a missing vector is that of h_i.
 */
class Scclip : public ClippingRule
{
  public:
    static TypeId GetTypeId();

  protected:
    void DoSetup() override;

  private:
    double GetRadius(Distances distances) const override;

    uint32_t m_byzantine{0};     //!< attribute Byzantine
    double m_byzantineWeight{0}; //!< delta
};

} // namespace ns3::dlearn

#endif // DLEARN_GOSSIP_RULES_H
