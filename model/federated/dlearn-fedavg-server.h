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
 * How much weight there is in each entry of a sum of weighted vectors, of some of which only some
 * entries arrived. It makes a mean of each entry, over the vectors of which that entry arrived.
 */
class EntryTotals
{
  public:
    /**
     * @param weight of a vector in the sum, greater than 0
     * @param present which of its entries arrived, empty for all; of the same size in all calls
     *        where it is not empty
     */
    void Add(double weight, const std::vector<bool>& present);

    /** @return weight of all vectors */
    double GetAll() const { return m_all; }

    /**
     * The share of a vector in a mean is its weight over the total of the entry; it is largest
     * where the total is smallest.
     *
     * @param present entries of one of the vectors, as of Add()
     * @return smallest total of these entries; infinity where there are none
     */
    double GetLeast(const std::vector<bool>& present) const;

    /**
     * @param mean sum of the weighted vectors, whose missing entries are 0, over GetAll(). It
     *        becomes that over the total of each entry, and 0 where no entry arrived. Nothing
     *        changes, to the last bit, where all entries arrived
     */
    void Renormalise(VectorRef mean) const;

  private:
    double m_all{0};       //!< weight of all vectors
    ModelVector m_arrived; //!< in each entry, of those whose entry arrived; empty while all did
};

/**
 * @ingroup dlearn
 * Weighted averaging of the clients' updates Delta_i = w_i - w (McMahan et al., AISTATS 2017),
 * with the server momentum of FedAvgM (Hsu, Qi, Brown, 2019) and the staleness weights of
 * FedBuff (Nguyen et al., AISTATS 2022):
 *
 *   Delta = sum_i n_i s_i Delta_i / sum_i n_i,
 *   v <- Momentum v + Delta,
 *   w <- w + eta_t v,
 *
 * where eta_t is the step of a StepSchedule for the model t = 0, 1, ..., LearningRate for all of
 * them by default, n_i are the samples of the clients whose updates are there and s_i the weights
 * of their staleness, 1 for an update of the current model. As in FedBuff the staleness weights are
 * not in the denominator: a buffer of old updates takes a short step.
 *
 * Of an update of which only some entries arrived these are used: in each entry, Delta is the mean
 * over the clients whose entry arrived, and 0 where none did.
 *
 * A trusted server (CDP) adds noise to Delta, before the momentum: attribute Noise. What a client's
 * budget does not allow it does not release; the model stays as it is, and GetWithheld() counts.
 * Where entries are missing, the others have larger shares of the mean. A client pays in all of its
 * entries as for the one in which its share is largest (EntryTotals::GetLeast()).
 *
 * With the defaults and fresh updates this is FedAvg: w = sum_i n_i w_i / sum_i n_i.
 */
class FedAvgServer : public SteppingServer
{
  public:
    static TypeId GetTypeId();

    double GetFlops(size_t updates) const override;

    /** Refuses a server's noise with momentum, where shares of earlier means are owed in full. */
    void CheckPartialUpdates() const override;

  protected:
    void CheckAttributes() const override;
    ModelVector Move(const std::vector<ClientUpdate>& updates) override;

  private:
    /** @return false when a budget does not allow to release the mean */
    bool AddNoise(const std::vector<ClientUpdate>& updates,
                  const EntryTotals& totals,
                  ModelVector& mean) const;
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
    double GetFlops(size_t updates) const override;

  protected:
    void CheckAttributes() const override;
    ModelVector Move(const std::vector<ClientUpdate>& updates) override;

  private:
    double m_mixing{0.6}; //!< attribute Mixing
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDAVG_SERVER_H
