/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FLTRUST_SERVER_H
#define DLEARN_FLTRUST_SERVER_H

#include "dlearn-client-rule.h"
#include "dlearn-fedavg-server.h"

#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-types.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * FLTrust: the server trains on a few samples that it trusts, its root data, and believes updates
 * as far as they have the direction of its own update g_0 from the same model:
 *
 *   TS_i = max(0, cos(g_i, g_0)),
 *   g = sum_i TS_i (||g_0|| / ||g_i||) g_i / sum_i TS_i.
 *
 * Cao, Fang, Liu and Gong 2021, "FLTrust: Byzantine-robust Federated Learning via Trust
 * Bootstrapping", NDSS (arXiv:2012.13995), equations 2 to 4 and Algorithm 2. The paper's global
 * learning rate is LearningRate. The score of an update of norm 0 is 0. A round whose scores are
 * all 0 is skipped. The number of samples of a client has no effect.
 */
class FlTrustServer : public FedAvgServer
{
  public:
    static TypeId GetTypeId();

    /**
     * Before Setup().
     *
     * @param rule trains on the root data as clients do on theirs; not set up yet
     * @param data the root data
     * @throw std::invalid_argument unless the rule takes the model and returns a difference alone
     */
    void SetRoot(Ptr<ClientRule> rule, Ptr<LocalData> data);

    /** @return attribute RootSamples */
    uint32_t GetRootSamples() const { return m_samples; }

    bool CountsClientsOnce() const override { return true; }

    double GetFlops(size_t updates) const override;

    int64_t AssignStreams(int64_t stream) override;

  protected:
    void DoDispose() override;
    void CheckAttributes() const override;
    ModelVector Move(const std::vector<ClientUpdate>& updates) override;

    double GetSamples(const ClientUpdate& update) const override
    {
        return m_scores.at(update.client);
    }

  private:
    uint32_t m_samples{100};              //!< attribute RootSamples
    Ptr<ClientRule> m_root;               //!< trains on root data
    Ptr<LocalData> m_data;                //!< root data
    uint32_t m_round{0};                  //!< the next one of m_root
    std::map<LearnerId, double> m_scores; //!< of this round
};

} // namespace ns3::dlearn

#endif // DLEARN_FLTRUST_SERVER_H
