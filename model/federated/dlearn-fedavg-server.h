/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDAVG_SERVER_H
#define DLEARN_FEDAVG_SERVER_H

#include "dlearn-server-rule.h"

#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-types.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The total weight of each entry of a sum of weighted vectors, some of them incomplete. It makes a
 * mean of each entry, over the vectors with that entry.
 */
class EntryTotals
{
  public:
    /**
     * @param weight of a vector in the sum, at least 0
     * @param present whether an entry arrived, empty: all; otherwise of the same size in all
     *        calls
     */
    void Add(double weight, const std::vector<bool>& present);

    /** @return weight of all vectors */
    double GetAll() const { return m_all; }

    /**
     * The share of a vector in the mean of an entry is its weight over the entry's total.
     *
     * @param present entries of one of the vectors, as of Add()
     * @return smallest total of these entries; infinity without entries
     */
    double GetLeast(const std::vector<bool>& present) const;

    /**
     * @param mean sum of the weighted vectors, with 0 in missing entries, over GetAll(). It becomes
     *        the sum over the total of each entry, and 0 in entries that no vector has. Without
     *        missing entries it does not change
     */
    void Renormalise(VectorRef mean) const;

  private:
    double m_all{0};       //!< weight of all vectors
    ModelVector m_arrived; //!< in each entry, of those whose entry arrived; empty while all did
};

/**
 * @ingroup dlearn
 * Weighted averaging of the clients' updates Delta_i = w_i - w (McMahan et al., AISTATS 2017), with
 * the staleness weights of FedBuff (Nguyen et al., AISTATS 2022):
 *
 *   Delta = sum_i n_i s_i Delta_i / sum_i n_i,
 *
 * where n_i are the samples of the clients whose updates are there, as reported by the figure
 * samples if it rides with them (attribute ReportedSamples), and s_i the weights of their
 * staleness, 1 for an update of the current model. As in FedBuff the staleness weights are not in
 * the denominator: a buffer of old updates takes a short step. The Optimizer takes -Delta for a
 * gradient: by default w <- w + eta_t v with v <- Momentum v + Delta (FedAvgM: Hsu, Qi, Brown,
 * 2019), where eta_t is LearningRate; AdamOptimizer and its kin make it FedAdam, FedYogi and
 * FedAdagrad (Reddi et al., ICLR 2021).
 *
 * The entries of incomplete updates are used: in each entry, Delta is the mean over the clients
 * whose entry arrived, and 0 without one.
 *
 * A trusted server (CDP) adds noise to Delta, before the momentum: attribute Noise. If a
 * client's budget forbids the release, the model stays the same, and GetWithheld() counts. Missing
 * entries make the shares of others larger: a client pays for all of its entries as for its largest
 * share (EntryTotals::GetLeast()).
 *
 * An update that is a mean of several clients' weighs as much as their samples together.
 *
 * With Divisor N > 0, Delta is the sum over N whoever takes part, n_i are those known before the
 * run, and a round without updates has Delta = 0, with noise: that is what privacy by secret
 * sampling needs, with N the expected sum of the n_i (FedAvgPlan).
 *
 * With ClipQuantile gamma > 0 the clip C adapts to this quantile of the updates' norms (Andrew,
 * Thakkar, McMahan, Ramaswamy, "Differentially Private Learning with Adaptive Clipping", NeurIPS
 * 2021, Algorithm 1). The figure clip of a model says C, and the figure within of an update b_i =
 * 1/2, or -1/2 if the update was longer. With the weights and the divisor of Delta,
 *
 *   b = 1/2 + sum_i n_i s_i b_i / sum_i n_i,   C <- C exp(-ClipRate (b - gamma)),
 *
 * from C = ClipNorm on. The server clips updates at C, too, also those of older models, and counts
 * b_i at most 1/2. A trusted server adds noise of standard deviation ClipNoise to b, and more to
 * Delta than without adaption. For it releases both as one vector
 *
 *   (a ClipNorm/C Delta, c 2 ClipNorm (b - 1/2)),
 *   a^2 + c^2 = 1,   c = Scale / (2 ClipNorm ClipNoise),
 *
 * with the noise Scale on every entry. A client's part of it has at most the norm ClipNorm times
 * its weight, as with the fixed clip ClipNorm: it moves by that where the client is there or not,
 * by twice that where it is replaced (b_i by 1), so that accounts stay as they are. On Delta that
 * is noise Scale C / (a ClipNorm): with Scale = z ClipNorm/m and ClipNoise = sigma_b/m, for m
 * clients of equal weight, the paper's (z^-2 - (2 sigma_b)^-2)^(-1/2) C/m. Its sigma_b = m/20 is
 * ClipNoise 0.05.
 *
 * Of updates that are longer than the model (GetFormat()) it averages the first entries.
 *
 * With the defaults and fresh updates this is FedAvg: w = sum_i n_i w_i / sum_i n_i.
 */
class FedAvgServer : public SteppingServer
{
  public:
    static TypeId GetTypeId();

    double GetFlops(size_t updates) const override
    {
        return (2.0 * updates + m_optimizer->GetFlops()) * m_model.size();
    }

    /** @return whether it is this class, as one derived from it may need single updates, and has no
     *          noise, whose accounts need them */
    bool TakesMeans() const override
    {
        return GetInstanceTypeId() == GetTypeId() && !m_noise && m_quantile == 0;
    }

    /** Refuses a server's noise with momentum, where shares of earlier means are owed in full, a
     *  Divisor and a ClipQuantile. */
    void CheckPartialUpdates() const override;

    MessageFormat GetFormat(ModelChannel channel) const override;
    Outbox GetModels(const std::vector<LearnerId>& clients) const override;
    std::function<void()> RememberLearned() override;

    double GetClip() const override
    {
        return m_quantile > 0 ? m_clipNorm * m_growth : ServerRule::GetClip();
    }

  protected:
    void CheckAttributes() const override;

    bool MovesWithoutUpdates() const override { return m_divisor > 0; }

    ModelVector Move(const std::vector<ClientUpdate>& updates) override;

    /** @return n_i, or the sum of those of its members, or the weight that a derived class has in
     * place of it */
    virtual double GetSamples(const ClientUpdate& update) const;

  private:
    /** @param total divisor of the means @param within mean of the b_i
     *  @return false when a budget forbids their release */
    bool AddNoise(const std::vector<ClientUpdate>& updates,
                  const EntryTotals& totals,
                  double total,
                  ModelVector& mean,
                  double& within) const;

    /** @return c; 0 without noise or ClipQuantile */
    double GetClipShare() const;

    bool m_reported{true};    //!< attribute ReportedSamples
    double m_divisor{0};      //!< attribute Divisor
    double m_quantile{0};     //!< attribute ClipQuantile
    double m_clipNorm{1};     //!< attribute ClipNorm
    double m_clipRate{0.2};   //!< attribute ClipRate
    double m_clipNoise{0.05}; //!< attribute ClipNoise
    double m_growth{1};       //!< of C, over ClipNorm
};

/**
 * @ingroup dlearn
 * Mixing a client's model into the server's as it arrives (FedAsync: Xie, Koyejo, Gupta, 2019):
 *
 *   w <- (1 - a s_i) w + a s_i w_i,
 *
 * with a = Mixing and s_i the weight of the update's staleness. A client's model w_i is the one
 * that it was given plus its update. Several updates at once are mixed in one after the other.
 */
class FedAsyncServer : public ServerRule
{
  public:
    static TypeId GetTypeId();

    double GetFlops(size_t updates) const override
    {
        return 4.0 * updates * m_model.size(); // (1 - a) w + a (base + Delta), an entry
    }

  protected:
    void CheckAttributes() const override;
    ModelVector Move(const std::vector<ClientUpdate>& updates) override;

  private:
    double m_mixing{0.6}; //!< attribute Mixing
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDAVG_SERVER_H
