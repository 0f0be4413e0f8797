/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DRIFT_RULES_H
#define DLEARN_DRIFT_RULES_H

#include "dlearn-client-rule.h"
#include "dlearn-fedavg-server.h"

#include <map>

/**
 * @file
 * Methods for clients with unequal data, whose local training drifts away from the common minimum.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Local gradient steps with a control variate, a vector of the client that corrects the gradients
 * of a round: LocalSgd steps along g_k(w) + d. It changes after a round of which any of the update
 * left the node, and is 0 at first.
 */
class ControlledSgd : public LocalSgd
{
  public:
    static TypeId GetTypeId();

    void SetInitialModel(const ModelVector& model) override;

    /** @return the control variate */
    const ModelVector& GetControl() const { return m_control; }

  protected:
    void DoBeginRound() override;
    void DoEndRound(bool transmitted) override;
    ModelVector Train(const ModelVector& start, const SampleIndices& samples) override;

    /** @return d of the round */
    virtual ModelVector GetDirection() const = 0;

    /** @param moved w_i - w @return the next control variate */
    virtual ModelVector GetNext(const ModelVector& moved) const = 0;

    ModelVector m_control; //!< the control variate
    ModelVector m_next;    //!< that of the next round, if the update leaves

  private:
    bool m_converges{false}; //!< whether the steps of the round end at a finite model
};

/**
 * @ingroup dlearn
 * The client's half of SCAFFOLD (Karimireddy et al., ICML 2020, Algorithm 1, option II). The server
 * sends c behind its model w; the client takes K steps of length eta along g_k(w_i) + c - c_i, and
 * then
 *
 *   c_i <- c_i - c + (w - w_i) / (K eta).
 *
 * The update is w_i - w, and behind it the new c_i itself, so that a lost update does not make
 * server and client disagree for longer than until the next one arrives. The Optimizer must make
 * plain gradient steps.
 */
class Scaffold : public ControlledSgd
{
  public:
    static TypeId GetTypeId();

    MessageFormat GetFormat(ModelChannel channel) const override;

    /** @return false: c_i is not a difference */
    bool MayLackEntries() const override { return false; }

  protected:
    void CheckAttributes() const override;
    void DoBeginRound() override;
    ModelVector Train(const ModelVector& start, const SampleIndices& samples) override;

    ModelVector GetDirection() const override { return m_received.values - m_control; }

    ModelVector GetNext(const ModelVector& moved) const override;

  private:
    double m_rate{0}; //!< eta of the round
};

/**
 * @ingroup dlearn
 * The server's half of SCAFFOLD: w <- w + eta_t mean of w_i - w over the clients whose updates are
 * there, all with the same weight, and c is the mean over all clients of the c_i that each sent
 * with its newest update here, 0 before. Without loss of messages these are the clients' own c_i,
 * as in the paper.
 */
class ScaffoldServer : public FedAvgServer
{
  public:
    static TypeId GetTypeId();

    uint32_t GetPlannedWeight(uint32_t /* samples */) const override { return 1; }

    MessageFormat GetFormat(ModelChannel channel) const override;
    Outbox GetModels(const std::vector<LearnerId>& clients) const override;
    std::function<void()> RememberLearned() override;

    /** @return c */
    ModelVector GetControl() const;

    double GetFlops(size_t updates) const override
    {
        return FedAvgServer::GetFlops(updates) + 1.0 * m_context.samples.size() * m_model.size();
    }

  protected:
    ModelVector Move(const std::vector<ClientUpdate>& updates) override;

    double GetSamples(const ClientUpdate& /* update */) const override { return 1; }

  private:
    std::map<LearnerId, ModelVector> m_controls; //!< c_i, as received
};

/**
 * @ingroup dlearn
 * The server of FedNova (Wang et al., NeurIPS 2020) for clients that take tau_i gradient steps of
 * the same length, without momentum:
 *
 *   w <- w + tau sum_i p_i (w_i - w) / tau_i,   tau = sum_i p_i tau_i,
 *
 * with p_i = n_i / sum_j n_j over the updates that are there. Clients report tau_i by the figure
 * steps. Attributes, staleness and noise are those of FedAvgServer, where an update has the weight
 * n_i tau / tau_i.
 */
class FedNovaServer : public FedAvgServer
{
  public:
    static TypeId GetTypeId();

    uint32_t GetPlannedWeight(uint32_t /* samples */) const override { return 0; }

    void CheckPartialUpdates() const override { ServerRule::CheckPartialUpdates(); }

  protected:
    void CheckAttributes() const override;
    ModelVector Move(const std::vector<ClientUpdate>& updates) override;
};

/**
 * @ingroup dlearn
 * The client's half of FedDyn (Acar et al., ICLR 2021, Algorithm 1), whose alpha is Proximal:
 * it takes steps along g_k(w_i) - h_i + alpha (w_i - w), and then h_i <- h_i - alpha (w_i - w).
 */
class FedDyn : public ControlledSgd
{
  public:
    static TypeId GetTypeId();

  protected:
    void CheckAttributes() const override;

    ModelVector GetDirection() const override { return -m_control; }

    ModelVector GetNext(const ModelVector& moved) const override
    {
        return m_control - m_training.proximal * moved;
    }
};

/**
 * @ingroup dlearn
 * The server's half of FedDyn: of m clients those in P send an update,
 *
 *   h <- h - alpha / m sum_{i in P} (w_i - w),   w <- mean_{i in P} w_i - h / alpha,
 *
 * with alpha = Proximal of both halves. Without loss of messages h is the mean of all h_i. An
 * update that left its client and was lost is in h_i, and not in h.
 */
class FedDynServer : public FedAvgServer
{
  public:
    static TypeId GetTypeId();

    uint32_t GetPlannedWeight(uint32_t /* samples */) const override { return 1; }

    void CheckPartialUpdates() const override { ServerRule::CheckPartialUpdates(); }

    std::function<void()> RememberLearned() override;

    /** @return h; empty before the first update */
    const ModelVector& GetControl() const { return m_control; }

  protected:
    void CheckAttributes() const override;
    ModelVector Move(const std::vector<ClientUpdate>& updates) override;
    ModelVector Step(const ModelVector& aggregate, double sign) override;

    double GetSamples(const ClientUpdate& /* update */) const override { return 1; }

  private:
    double m_proximal{0};  //!< attribute Proximal
    double m_share{0};     //!< of all clients, in the round
    ModelVector m_control; //!< h
};

/**
 * @ingroup dlearn
 * The server of q-FedAvg (Li, Sanjabi, Beirami, Smith, ICLR 2020, Algorithm 2), which gives clients
 * with a large loss F_i more weight:
 *
 *   w <- w - sum_i F_i^q D_i / sum_i (q F_i^(q-1) ||D_i||^2 + L F_i^q),   D_i = L (w - w_i),
 *
 * with L = 1 / ClientStep. Clients report F_i, the loss of w on their samples, by the figure loss.
 * With q = 0 it is the mean of all w_i, with the same weight for each.
 */
class QFedAvgServer : public FedAvgServer
{
  public:
    static TypeId GetTypeId();

    uint32_t GetPlannedWeight(uint32_t /* samples */) const override { return 0; }

    void CheckPartialUpdates() const override { ServerRule::CheckPartialUpdates(); }

  protected:
    void CheckAttributes() const override;
    ModelVector Move(const std::vector<ClientUpdate>& updates) override;

    double GetSamples(const ClientUpdate& /* update */) const override { return 1; }

  private:
    double m_q{1};            //!< attribute Q
    double m_clientStep{0.1}; //!< attribute ClientStep
};

} // namespace ns3::dlearn

#endif // DLEARN_DRIFT_RULES_H
