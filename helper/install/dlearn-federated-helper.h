/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_HELPER_H
#define DLEARN_FEDERATED_HELPER_H

#include "ns3/dlearn-edge-rule.h"
#include "ns3/dlearn-federated-client.h"
#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-privacy-plans.h"
#include "ns3/object-factory.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** The clients of each edge server, by number: each client 1, 2, ... once. @ingroup dlearn */
using EdgeClients = std::vector<std::vector<LearnerId>>;

/** @ingroup dlearn
 *  An edge server: a learner of one tier and the server of the next one, see JoinTiers(). */
struct EdgeServer
{
    Ptr<TrainingApplication> upper; //!< a FederatedClient with the rule EdgeRule; without a server
                                    //!< above it a PeerApplication with EdgeGossip
    Ptr<FederatedServer> server;    //!< on the same node
    std::vector<LearnerId> clients; //!< of this server
};

/** A server and its clients, or a server, edge servers and their clients, or the latter two.
 *  @ingroup dlearn */
struct Federation
{
    Ptr<FederatedServer> server; //!< learner 0; null: the first edge server is learner 0
    std::vector<Ptr<FederatedClient>> clients; //!< learners 1, 2, ...
    std::vector<EdgeServer> edges; //!< behind them all clients, then all servers of these; none:
                                   //!< one tier
    bool roams{false}; //!< whether clients move between edge servers, of which none has one before
                       //!< FederatedHelper::HandOver()
    std::optional<Graph> graph{}; //!< of all learners, where there are edge servers

    /** @return all learners, in the order of their numbers */
    std::vector<Ptr<LearnerApplication>> GetLearners() const;
};

/**
 * @ingroup dlearn
 * Installs a FederatedServer on the first node of a Network and a FederatedClient on each other.
 *
 * Attributes of all clients are set with SetClientAttribute() or Config::SetDefault(), those of
 * their parts between Create() and Connect(), through GetRule() and similar functions:
 *
 * @code
 *   FederatedHelper helper;
 *   helper.SetServerAttribute("Rounds", UintegerValue(20));
 *   Federation federation = helper.Create(network);
 *   FederatedHelper::Connect(federation, network, data, initialModel);
 *   FederatedHelper::AssignStreams(federation, 1000);
 * @endcode
 */
class FederatedHelper
{
  public:
    FederatedHelper();

    /**
     * The graph for the nodes of tiers: server, clients, edge servers.
     *
     * @param edges clients of each edge server
     * @param halves whether the servers of the edge servers follow as other learners, as in
     *        Federation
     * @param peers graph of the edge servers, the first of which takes the place of the server;
     *        nothing: there is a server
     */
    static Graph MakeTiers(const EdgeClients& edges,
                           bool halves = false,
                           const std::optional<Graph>& peers = std::nullopt);

    /** Set an attribute of the server, which Create() makes. */
    void SetServerAttribute(const std::string& name, const AttributeValue& value)
    {
        m_server.Set(name, value);
    }

    /**
     * Set the ResponseTimeout of all servers, and their SuspicionTimeout to twice that: a client
     * that misses two answers in a row is suspected.
     *
     * @param responseTimeout longest wait for an answer, more than 0
     */
    void SetResponseTimeout(Time responseTimeout);

    /** Set an attribute of the servers of edge servers. */
    void SetEdgeAttribute(const std::string& name, const AttributeValue& value)
    {
        m_edge.Set(name, value);
    }

    /** Set an attribute of edge servers as clients, such as Rule, an EdgeRule; not as peers. */
    void SetEdgeClientAttribute(const std::string& name, const AttributeValue& value)
    {
        m_edgeClient.Set(name, value);
    }

    /** Set an attribute of all clients. */
    void SetClientAttribute(const std::string& name, const AttributeValue& value)
    {
        m_client.Set(name, value);
    }

    /**
     * Create the applications and add them to the nodes. All listen before the server sends.
     *
     * @param network built for a star around learner 0, of at least two learners
     * @return the applications, without surroundings yet
     */
    Federation Create(const Network& network) const;

    /**
     * As above, with edge servers.
     *
     * @param network built for learner 0, the clients and the edge servers, in this order, such as
     *        for MakeTiers(), or for the former two, with edge servers as its guests. Gets a guest
     *        on the node of each edge server
     * @param edges clients of each edge server
     * @param peers the undirected graph of MakeTiers() for edge servers without a server. Their
     *        weights are MetropolisWeights() by the samples of their clients
     */
    Federation Create(Network& network,
                      const EdgeClients& edges,
                      const std::optional<Graph>& peers = std::nullopt) const;

    /**
     * Give the applications their surroundings.
     *
     * @param federation of Create()
     * @param network of Create()
     * @param data of each client, in order; edge servers have none
     * @param initialModel w_0
     */
    static void Connect(const Federation& federation,
                        const Network& network,
                        const std::vector<Ptr<LocalData>>& data,
                        const ModelVector& initialModel);

    /**
     * After Connect(): a client comes behind an edge server, which takes it, and leaves all others
     * (FederatedServer::Admit(), Dismiss()). An edge server is a client of the server while it has
     * clients.
     *
     * @param federation that roams
     * @param client 1, 2, ...
     * @param edge index of the edge server; nothing: none
     */
    static void HandOver(const Federation& federation,
                         LearnerId client,
                         std::optional<size_t> edge);

    /** Fix the random streams of the applications, not of the data, from a number on; @return the
     *  number of streams used */
    static int64_t AssignStreams(const Federation& federation, int64_t stream);

  private:
    /** @return a number of clients and maybe a server, on their nodes */
    Federation Make(const Network& network, uint32_t clients, bool server) const;

    ObjectFactory m_server;
    ObjectFactory m_client;
    ObjectFactory m_edge;
    ObjectFactory m_edgeClient;
};

/**
 * @ingroup dlearn
 * Make FedAvg private, between FederatedHelper's Create() and Connect(): each client clips its
 * updates to the norm of the plan (attribute ClipNorm of its rule), has a GaussianLedger with the
 * delta of the plan and a budget, and the noise of the plan is added by the clients (LocalDp) or by
 * the rule of the server (CentralDp; its attribute Noise). On the air (AirDp) the channel, which is
 * the attribute Air of the MessageExchange of all learners, hides updates in noise.
 *
 * @code
 *   FedAvgPlan plan;
 *   plan.model = CreateObject<LocalDp>(); // or CentralDp, AirDp
 *   plan.samples = samples;               // of each client
 *   plan.clip = 0.5;
 *   plan.rounds = 100;
 *   plan.delta = 1e-5;
 *   plan.noise = PlanFedAvgNoise(plan, 8); // for an epsilon of 8
 *   ProtectFederation(federation, plan, 8, 500);
 * @endcode
 *
 * With secret sampling the server's rule is FedAvgServer, and its schedule SynchronousSchedule with
 * PoissonSampling and AllPolicy; this sets the probability and the divisor of the plan, and
 * Connect() refuses a network that shows who takes part.
 *
 * @param federation of FederatedHelper::Create(); the rules of its clients are LocalTraining. With
 *        edge servers, plan.rounds are those of the clients, and the threat model is LocalDp
 * @param plan the run, with its noise
 * @param budget epsilon that no client exceeds; 0: none
 * @param stream first stream number of the noise
 * @return number of streams used
 * @throw std::invalid_argument when the plan is invalid, or does not fit the federation
 */
int64_t ProtectFederation(const Federation& federation,
                          const FedAvgPlan& plan,
                          double budget,
                          int64_t stream);

/** Options of the noise of CafCor. @ingroup dlearn */
struct CafCorNoiseOptions
{
    Ptr<CorrelatedNoise> correlated; //!< shared noise, without clients yet; null: none
    bool recovery{false};            //!< whether noise shared with dropouts may be revealed
};

/**
 * @ingroup dlearn
 * Make CafCor private: as above, for clients whose rule is CafCorWorker and a server whose rule is
 * RobustServer. At example level the task clips, and must be configured to do so.
 *
 * @param federation of FederatedHelper::Create()
 * @param plans of the clients, in order: they differ in their samples only
 * @param options of the noise
 * @param budget epsilon that no client exceeds; 0: none
 * @param stream first stream number of the noise
 * @return number of streams used
 * @throw std::invalid_argument when a plan is invalid, or does not fit the federation
 */
int64_t ProtectFederation(const Federation& federation,
                          const std::vector<CafCorPlan>& plans,
                          const CafCorNoiseOptions& options,
                          double budget,
                          int64_t stream);

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_HELPER_H
