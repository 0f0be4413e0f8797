/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDAVG_SERVER_H
#define DLEARN_FEDAVG_SERVER_H

#include "dlearn-entry-totals.h"
#include "dlearn-server-noise.h"
#include "dlearn-server-rule.h"

#include "ns3/dlearn-step-schedule.h"

namespace ns3::dlearn
{

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
class FedAvgServer : public ServerRule
{
  public:
    static TypeId GetTypeId();

    std::function<void()> RememberLearned() override;

    double GetFlops(size_t updates) const override;

    /** Refuses a server's noise with momentum, where shares of earlier means are owed in full. */
    void CheckPartialUpdates() const override;

  protected:
    void DoDispose() override;
    void CheckAttributes() const override;
    ModelVector Move(const std::vector<ClientUpdate>& updates) override;

  private:
    /** @return whether Setup() was called */
    bool IsSetUp() const { return m_model.size() > 0; }

    /**
     * @param updates in the mean
     * @param totals of their weights, in each entry
     * @param mean gets the noise, if there is some
     * @return false when a budget does not allow to release the mean
     */
    bool AddNoise(const std::vector<ClientUpdate>& updates,
                  const EntryTotals& totals,
                  ModelVector& mean) const;

    Ptr<StepSchedule> m_step; //!< attribute StepSchedule
    double m_momentum{0};     //!< attribute Momentum
    Ptr<ServerNoise> m_noise; //!< attribute Noise; null for none
    ModelVector m_velocity;   //!< v; empty before the first updates
    uint32_t m_moves{0};      //!< models since the initial one
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDAVG_SERVER_H
