/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EDGE_RULE_H
#define DLEARN_EDGE_RULE_H

#include "dlearn-federated-client.h"
#include "dlearn-federated-server.h"

#include "ns3/dlearn-client-rule.h"

#include <cstdint>
#include <functional>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The rule of an edge server, which is a client of the server of the tier above and, on the same
 * node, a FederatedServer of the tier below (JoinTiers()). Its training is Period rounds of that
 * server, from the model of the tier above; its update is the difference that they make (HierFAVG:
 * Liu, Zhang, Song, Letaief, ICC 2020). The figure samples, which rides with it, is the number of
 * samples behind the updates that the server has used, the mean of these rounds: with a
 * FedAvgServer in both tiers and Period 1 that is FedAvg.
 *
 * Rule, schedule, staleness and message layer of both tiers are those of any server and client.
 */
class EdgeRule : public ClientRule
{
  public:
    static TypeId GetTypeId();

    /** Before Setup(). @param server of the tier below, which has its surroundings */
    void SetServer(const Ptr<FederatedServer>& server) { m_server = server; }

    Ptr<FederatedServer> GetServer() const { return m_server; }

    uint32_t GetPeriod() const { return m_period; }

    /** @param data null: an edge server has none */
    void Setup(Ptr<LocalData> data) override;

    /** @return the format of the server of the tier below, without its figures; with an update
     *          rides the figure samples */
    MessageFormat GetFormat(ModelChannel channel) const override;

    void BeginRound(uint32_t round, const Message& message) override;

    bool Begin(const std::function<void()>& done) override
    {
        m_server->Serve(m_start, m_period, done);
        return true;
    }

    void Compute() override {}

    Message Send() override;

    Ptr<const LocalData> GetData() const override { return nullptr; }

    const ModelVector& GetModel() const override { return m_server->GetRule()->GetModel(); }

    uint64_t GetWork() const override { return 0; }

    uint64_t CountSteps() const override { return 0; }

    std::string GetRole() const override { return "edge"; }

  protected:
    void DoDispose() override;

  private:
    Ptr<FederatedServer> m_server; //!< of the tier below
    uint32_t m_period{1};          //!< attribute Period
    ModelVector m_start;           //!< of the tier above
};

/**
 * @ingroup dlearn
 * Make an edge server of a client of one tier and the server of the tier below, both on one node:
 * if one of them goes down or restarts, so does the other. Call it before the client's SetContext()
 * and after that of the server.
 *
 * @param client whose rule is an EdgeRule
 * @param server of the tier below
 * @throw std::invalid_argument for another rule
 */
void JoinTiers(const Ptr<FederatedClient>& client, const Ptr<FederatedServer>& server);

} // namespace ns3::dlearn

#endif // DLEARN_EDGE_RULE_H
