/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FOOLSGOLD_SERVER_H
#define DLEARN_FOOLSGOLD_SERVER_H

#include "dlearn-fedavg-server.h"

#include "ns3/dlearn-types.h"

#include <Eigen/Core>
#include <functional>
#include <map>
#include <vector>

namespace ns3::dlearn
{

/**
 * The weights of FoolsGold: clients whose histories have the same direction lose theirs. With the
 * cosines c_ij of histories (0 for i = j and for a zero history) and v_i = max_j c_ij, honest
 * clients are pardoned, c_ij *= v_i / v_j where v_j > v_i; then
 *
 *   a_i = 1 - max_j c_ij, within [0, 1],   a_i /= max_j a_j,
 *   weight_i = ln(a_i / (1 - a_i)) + 1/2, within [0, 1].
 *
 * Fung, Yoon and Beschastnikh 2020, "The Limitations of Federated Learning in Sybil Settings",
 * RAID, Algorithm 1, with confidence 1 and all entries as indicative features. Where all a_i are 0,
 * so are all weights.
 *
 * @param histories n x d, finite
 * @return n weights
 */
Eigen::VectorXd GetFoolsGoldWeights(const RowMatrix<double>& histories);

/**
 * @ingroup dlearn
 * FedAvgServer with GetFoolsGoldWeights() in place of the numbers of samples. The history of a
 * client is the sum of its updates so far; only those with an update in the round are compared.
 * The weights are divided by their sum, where the paper adds up weighted updates: the step stays as
 * long as that of a mean. A round whose weights are all 0 is skipped.
 */
class FoolsGoldServer : public FedAvgServer
{
  public:
    static TypeId GetTypeId();

    std::function<void()> RememberLearned() override;

    bool CountsClientsOnce() const override { return true; }

    double GetFlops(size_t updates) const override
    {
        return FedAvgServer::GetFlops(updates) + (updates + 1.0) * updates * m_model.size();
    }

  protected:
    void CheckAttributes() const override;
    ModelVector Move(const std::vector<ClientUpdate>& updates) override;

    double GetSamples(const ClientUpdate& update) const override
    {
        return m_weights.at(update.client);
    }

  private:
    std::map<LearnerId, ModelVector> m_histories; //!< sums of updates
    std::map<LearnerId, double> m_weights;        //!< of this round
};

} // namespace ns3::dlearn

#endif // DLEARN_FOOLSGOLD_SERVER_H
