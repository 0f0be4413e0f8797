/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EDGE_RULE_H
#define DLEARN_EDGE_RULE_H

#include "dlearn-federated-client.h"
#include "dlearn-federated-server.h"
#include "dlearn-peer-application.h"

#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-update-rule.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The tier below an edge server, for its rule in the tier above, whose training is Period rounds of
 * a FederatedServer on the same node (JoinTiers()).
 */
class TierBelow
{
  public:
    virtual ~TierBelow() = default;

    /** Before Setup(). @param server of the tier below, which has its surroundings */
    void SetServer(const Ptr<FederatedServer>& server) { m_server = server; }

    uint32_t GetPeriod() const { return m_period; }

  protected:
    /** @return the TypeId of a rule, with the attribute Period */
    static TypeId AddPeriod(TypeId tid);

    /** @throw std::invalid_argument without a server */
    void RequireServer() const;

    const ModelVector& GetServed() const { return m_server->GetRule()->GetModel(); }

    /** @return entries of the model that server and clients exchange on a channel */
    uint32_t CountShared(ModelChannel channel) const;

    Ptr<FederatedServer> m_server; //!< of the tier below
    uint32_t m_period{1};          //!< attribute Period
};

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
class EdgeRule : public ClientRule, public TierBelow
{
  public:
    static TypeId GetTypeId();

    void Setup(Ptr<LocalData> /* data */) override { RequireServer(); }

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

    const ModelVector& GetModel() const override { return GetServed(); }

    uint64_t GetWork() const override { return 0; }

    uint64_t CountSteps() const override { return 0; }

    std::string GetRole() const override { return "edge"; }

  protected:
    void DoDispose() override;

  private:
    ModelVector m_start; //!< of the tier above
};

/**
 * @ingroup dlearn
 * The rule of an edge server that has no server above it, but neighbours: it is a peer of other
 * edge servers and, on the same node, a FederatedServer of the tier below (JoinTiers()). Its
 * training is Period rounds of that server from its own model, which makes y_d; then it sends y_d
 * to its neighbours and averages (Multi-Level Local SGD: Castiglia, Das, Patterson, ICLR 2021,
 * Algorithm 1):
 *
 *   x_d' = y_d + sum_j w_dj (y_j - y_d).
 *
 * The clients of all edge servers count by their samples n_d if n_d w_dj = n_j w_jd
 * (Assumption 2), which MetropolisWeights() with these n ensures: sum_d n_d x_d stays the same.
 *
 * Loss: a missing vector, or entry, leaves its weight to y_d.
 */
class EdgeGossip : public UpdateRule, public TierBelow
{
  public:
    static TypeId GetTypeId();

    void Setup(const LearnerContext& context) override
    {
        RequireServer();
        m_neighbors = context.GetNeighbors(ModelChannel::STATE);
    }

    void BeginRound(uint32_t /* round */) override {}

    bool Begin(const std::function<void()>& done) override
    {
        m_server->Serve(GetModel(), m_period, done);
        return true;
    }

    void Compute() override {}

    Outbox Send() override;
    void EndRound(const Inbox& inbox) override;

    /** @return channel STATE, with the entries of the model that clients share */
    std::vector<RuleChannel> GetChannels() const override
    {
        return {{ModelChannel::STATE, CountShared(ModelChannel::MODEL), m_neighbors}};
    }

    bool NeedsCommonRounds() const override { return true; }

    const ModelVector& GetModel() const override { return GetServed(); }

    uint64_t GetWork() const override { return 0; }

  protected:
    void DoDispose() override;

  private:
    Neighbors m_neighbors;
};

/**
 * @ingroup dlearn
 * Make an edge server of a learner of one tier and the server of the tier below, both on one node:
 * if one of them goes down or restarts, so does the other. Call it before the learner's
 * SetContext() and after that of the server.
 *
 * @param learner a FederatedClient with the rule EdgeRule, or a PeerApplication with EdgeGossip
 * @param server of the tier below
 * @throw std::invalid_argument for another rule
 */
void JoinTiers(const Ptr<LearnerApplication>& learner, const Ptr<FederatedServer>& server);

} // namespace ns3::dlearn

#endif // DLEARN_EDGE_RULE_H
