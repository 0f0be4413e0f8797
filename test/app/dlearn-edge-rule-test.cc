/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Two edge servers with three clients each beside a straight iteration of HierFAVG (Liu, Zhang,
 * Song, Letaief, ICC 2020, algorithm 1), and three of two each, which are peers, beside one of
 * Multi-Level Local SGD (Castiglia, Das, Patterson, ICLR 2021, algorithm 1). Clients train for
 * 10 ms, each server computes for 5 ms.
 */

#include "dlearn-federation-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-edge-rule.h"
#include "ns3/dlearn-graph-generators.h"

#include <tuple>

namespace ns3::dlearn
{
namespace test
{
namespace
{

constexpr double STEP = 0.3;

class TieredFederation : public FederationTest
{
  protected:
    TieredFederation()
    {
        for (const uint32_t count : {1, 2, 4, 1, 1, 2})
        {
            samples.push_back(Eigen::MatrixXd::NullaryExpr(3, count, [this](auto row, auto column) {
                return std::sin(7.0 * ++drawn + 3.0 * row + column);
            }));
        }
    }

    /** Tiers, or all clients of one server without @p period. */
    void BuildTiers(const std::string& name, uint32_t period, uint32_t rounds)
    {
        NetworkSetup setup;
        m_network = CreateNetwork(name);
        if (period == 0)
        {
            setup.server = 0;
        }
        Graph graph = period > 0 ? FederatedHelper::MakeTiers(edges, false, peers) : Star(7);
        for (LearnerId client = 1; client <= 6 && roams; ++client)
        {
            graph.AddEdge(client, client <= 3 ? 8 : 7);
        }
        m_network->Build(graph, setup);
        m_network->AssignStreams(1);
        FederatedHelper helper;
        const ObjectFactoryValue server(MakeFixed(5));
        helper.SetServerAttribute("ComputeModel", server);
        helper.SetEdgeAttribute("ComputeModel", server);
        helper.SetServerAttribute("Rounds", UintegerValue(rounds));
        helper.SetServerAttribute("ResponseTimeout", TimeValue(timeout));
        helper.SetServerAttribute("SuspicionTimeout", TimeValue(1.5 * timeout));
        helper.SetClientAttribute("ComputeModel", ObjectFactoryValue(MakeFixed(10)));
        m_federation =
            period > 0 ? helper.Create(*m_network, edges, peers) : helper.Create(*m_network);
        m_federation.roams = roams;
        m_server = m_federation.server;
        SetFloatBits(64);
        std::vector<Ptr<LocalData>> data;
        for (size_t k = 0; k < samples.size(); ++k)
        {
            data.push_back(CreateObject<FixedData>(samples[k]));
            const auto rule = m_federation.clients[k]->GetRule();
            rule->SetAttribute("BatchSize", UintegerValue(1));
            rule->SetAttribute("StepSize", DoubleValue(STEP));
        }
        for (const EdgeServer& edge : m_federation.edges)
        {
            edge.upper->GetLearnerRule()->SetAttribute("Period", UintegerValue(period));
            if (peers)
            {
                edge.upper->SetAttribute("Rounds", UintegerValue(rounds));
                edge.upper->SetAttribute("ResponseTimeout", TimeValue(timeout));
                edge.upper->SetAttribute("SuspicionTimeout", TimeValue(1.5 * timeout));
            }
        }
        Connect(data, ModelVector::Constant(3, 2));
    }

    static ObjectFactory MakeFixed(uint32_t milliseconds)
    {
        ObjectFactory factory("ns3::dlearn::FixedCompute");
        factory.Set("Duration", TimeValue(MilliSeconds(milliseconds)));
        return factory;
    }

    /** @return model and samples of an edge server after rounds of its own */
    std::pair<ModelVector, double> Serve(size_t edge, ModelVector own, uint32_t period) const
    {
        const Eigen::VectorXd stiffness = Eigen::VectorXd::LinSpaced(3, 0.5, 1.5);
        double weight = 0;
        for (uint32_t round = 0; round < period; ++round)
        {
            ModelVector sum = ModelVector::Zero(3);
            weight = 0;
            for (const LearnerId client : edges[edge])
            {
                ModelVector local = own;
                const Eigen::MatrixXd& data = samples[client - 1];
                for (const auto& sample : data.colwise())
                {
                    local -= STEP * stiffness.cwiseProduct(local - sample);
                }
                sum += static_cast<double>(data.cols()) * local;
                weight += data.cols();
            }
            own = sum / weight;
        }
        return {own, weight};
    }

    /** @return the model after a round of the edge servers from @p first on */
    ModelVector Iterate(const ModelVector& model, uint32_t period, size_t first) const
    {
        ModelVector mean = ModelVector::Zero(3);
        double total = 0;
        for (size_t edge = first; edge < edges.size(); ++edge)
        {
            if (edges[edge].empty())
            {
                continue;
            }
            const auto [own, weight] = Serve(edge, model, period);
            mean += weight * own;
            total += weight;
        }
        return mean / total;
    }

    /** Three edge servers in a row, peers of each other, with 3, 5 and 3 samples. */
    void MakePeers()
    {
        edges = {{1, 2}, {3, 4}, {5, 6}};
        peers = MakePath(3);
    }

    /** @return models of the peers after rounds: whether the first one takes part, and is heard */
    std::vector<ModelVector> Gossip(const std::vector<std::pair<bool, bool>>& rounds,
                                    uint32_t period) const
    {
        std::vector<ModelVector> models(3, ModelVector::Constant(3, 2));
        for (const auto& [there, heard] : rounds)
        {
            std::vector<ModelVector> served;
            for (size_t edge = 0; edge < 3; ++edge)
            {
                served.push_back(Serve(edge, models[edge], edge > 0 || there ? period : 0).first);
            }
            // With degrees 1, 2, 1: 3 w_01 = 5 w_10 = min(3 / 2, 5 / 3), as 3 w_21 = 5 w_12.
            models = served;
            models[0] += (there ? 0.5 : 0) * (served[1] - served[0]);
            models[1] += (heard ? 0.3 : 0) * (served[0] - served[1]);
            models[1] += 0.3 * (served[2] - served[1]);
            models[2] += 0.5 * (served[1] - served[2]);
        }
        return models;
    }

    EdgeClients edges{{1, 2, 3}, {4, 5, 6}};
    std::optional<Graph> peers;
    bool roams{false};                    //!< whether clients move
    Time timeout{Seconds(1)};             //!< of the server
    std::vector<Eigen::MatrixXd> samples; //!< of each client
    int drawn{0};
};

class Tiers : public TieredFederation,
              public testing::WithParamInterface<std::tuple<std::string, uint32_t>>
{
};

TEST_P(Tiers, EqualTheStraightIteration)
{
    const auto [network, period] = GetParam();
    BuildTiers(network, period, 5);
    Run();
    ModelVector expected = ModelVector::Constant(3, 2);
    for (uint32_t round = 0; round < 5; ++round)
    {
        expected = Iterate(expected, period, 0);
    }
    const ModelVector model = m_server->GetRule()->GetModel();
    EXPECT_LT((model - expected).cwiseAbs().maxCoeff(), 1e-12);
    for (const auto& learner : m_federation.GetLearners())
    {
        EXPECT_EQ(learner->GetRecords().size(),
                  learner->GetRole() == "edge" || learner->GetRole() == "server" ? 5 : 5 * period);
    }
    // All else is rounding: 64 bits on the wire.
    if (period == 1)
    {
        TearDown();
        BuildTiers(network, 0, 5);
        Run();
        EXPECT_LT((model - m_server->GetRule()->GetModel()).cwiseAbs().maxCoeff(), 1e-15);
    }
}

INSTANTIATE_TEST_SUITE_P(Networks,
                         Tiers,
                         testing::Combine(testing::Values("ideal", "p2p", "csma"),
                                          testing::Values(1U, 2U, 4U)));

// A round takes 20 ms. Without the first edge server two of them last 105 ms, then it is suspected.
// It is back in time for the round that begins at 310 ms.
TEST_F(TieredFederation, AnEdgeServerGoesAndComesBack)
{
    timeout = MilliSeconds(100);
    for (const bool half : {true, false})
    {
        BuildTiers("ideal", 1, 12);
        const EdgeServer edge = m_federation.edges[0];
        At(MilliSeconds(5), [&] { half ? edge.upper->Crash() : edge.server->Crash(); });
        At(MilliSeconds(293), [&] { half ? edge.upper->Restart() : edge.server->Restart(); });
        Run();
        const Lines rounds = GetRounds();
        ASSERT_EQ(rounds.size(), 12U);
        EXPECT_EQ(rounds[0], "105 1/2 0 1");
        EXPECT_EQ(rounds[1], "210 1/2 0 1");
        EXPECT_EQ(rounds[2], "230 1/2 0 1");
        EXPECT_EQ(rounds[11].substr(3), " 2/2 0 0");
        ModelVector expected = ModelVector::Constant(3, 2);
        for (const RoundRecord& record : m_server->GetRecords())
        {
            expected = Iterate(expected, 1, 2 - record.used);
        }
        EXPECT_LT((m_server->GetRule()->GetModel() - expected).cwiseAbs().maxCoeff(), 1e-12);
        TearDown();
    }
}

// A round takes 20 ms, and updates come after 10 ms, in the order of the clients.
// An edge server does not wait for those that have gone: it uses the update of client 1, which
// comes before another one, but not that of client 6. When all have gone, its round ends, and so
// does its part in those of the server.
TEST_F(TieredFederation, ClientsMoveToAnotherEdgeServer)
{
    roams = true;
    BuildTiers("ideal", 1, 6);
    const auto move = [this](LearnerId client, std::optional<size_t> edge) {
        FederatedHelper::HandOver(m_federation, client, edge);
    };
    Lines events;
    for (const EdgeServer& edge : m_federation.edges)
    {
        edge.server->TraceConnectWithoutContext(
            "Event",
            Callback<void, const LearnerEvent&>([&events](const LearnerEvent& event) {
                std::ostringstream line;
                line << Simulator::Now().GetMilliSeconds() << " " << event.learner << " "
                     << ToString(event.kind) << " " << event.other.value_or(0);
                events.push_back(line.str());
            }));
    }
    for (LearnerId client = 1; client <= 6; ++client)
    {
        move(client, client <= 3 ? 0 : 1);
    }
    events.clear();
    At(MilliSeconds(5), [&] { move(1, 1); });
    At(MilliSeconds(25), [&] { move(6, std::nullopt); });
    At(MilliSeconds(35), [&] { move(6, 0); });
    At(MilliSeconds(65), [&] { move(2, 1), move(3, 1), move(6, 1); });
    Run();
    EXPECT_EQ(events,
              (Lines{"5 10 client-joined 1",
                     "5 9 client-left 1",
                     "25 10 client-left 6",
                     "35 9 client-joined 6",
                     "65 10 client-joined 2",
                     "65 9 client-left 2",
                     "65 10 client-joined 3",
                     "65 9 client-left 3",
                     "65 10 client-joined 6",
                     "65 9 client-left 6"}));
    ModelVector expected = ModelVector::Constant(3, 2);
    for (const EdgeClients& used : {EdgeClients{{1, 2, 3}, {4, 5, 6}},
                                    EdgeClients{{2, 3}, {1, 4, 5}},
                                    EdgeClients{{2, 3, 6}, {1, 4, 5}},
                                    EdgeClients{{}, {1, 4, 5}},
                                    EdgeClients{{}, {1, 2, 3, 4, 5, 6}},
                                    EdgeClients{{}, {1, 2, 3, 4, 5, 6}}})
    {
        edges = used;
        expected = Iterate(expected, 1, 0);
    }
    EXPECT_LT((m_server->GetRule()->GetModel() - expected).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_EQ(GetRounds(),
              (Lines{"20 2/2 0 0",
                     "40 2/2 0 0",
                     "60 2/2 0 0",
                     "80 2/2 0 0",
                     "100 1/1 0 0",
                     "120 1/1 0 0"}));
    for (const auto& learner : m_federation.GetLearners())
    {
        learner->CheckConservation();
    }
}

TEST_P(Tiers, OfPeersEqualTheStraightIteration)
{
    const auto [network, period] = GetParam();
    MakePeers();
    BuildTiers(network, period, 5);
    Run();
    const auto expected = Gossip(std::vector<std::pair<bool, bool>>(5, {true, true}), period);
    for (size_t edge = 0; edge < 3; ++edge)
    {
        const auto& [upper, server, clients] = m_federation.edges[edge];
        const ModelVector& model = upper->GetLearnerRule()->GetModel();
        EXPECT_LT((model - expected[edge]).cwiseAbs().maxCoeff(), 1e-12);
        EXPECT_EQ(upper->GetRecords().size(), 5);
        EXPECT_EQ(server->GetRecords().size(), 5 * period);
        EXPECT_EQ(upper->GetLearnerId(), edge == 0 ? 0 : 6 + edge);
        EXPECT_EQ(server->GetLearnerId(), 9 + edge);
    }
}

// A round takes 15 ms. The second edge server waits for the first one for 100 ms, twice, and
// suspects it then; the third one waits for the second. The first one is back at 263 ms and joins
// the round whose vector it hears at 275 ms. Its own one for that comes too late at 290 ms.
TEST_F(TieredFederation, APeerGoesAndComesBack)
{
    timeout = MilliSeconds(100);
    for (const bool half : {true, false})
    {
        MakePeers();
        BuildTiers("ideal", 1, 15);
        const EdgeServer edge = m_federation.edges[0];
        At(MilliSeconds(5), [&] { half ? edge.upper->Crash() : edge.server->Crash(); });
        m_federation.edges[2].upper->SetAttribute("ResponseTimeout", TimeValue(MilliSeconds(140)));
        At(MilliSeconds(263), [&] { half ? edge.upper->Restart() : edge.server->Restart(); });
        Run();
        std::vector<int64_t> closed;
        for (const RoundRecord& record : m_federation.edges[1].upper->GetRecords())
        {
            closed.push_back(record.closed.GetMilliSeconds());
        }
        closed.resize(7);
        EXPECT_EQ(closed, (std::vector<int64_t>{115, 230, 245, 260, 275, 305, 320}));
        std::vector<std::pair<bool, bool>> rounds(15, {true, true});
        std::fill_n(rounds.begin(), 4, std::pair(false, false));
        rounds[4] = {true, false};
        const auto expected = Gossip(rounds, 1);
        for (size_t k = 0; k < 3; ++k)
        {
            const ModelVector& model = m_federation.edges[k].upper->GetLearnerRule()->GetModel();
            EXPECT_LT((model - expected[k]).cwiseAbs().maxCoeff(), 1e-12);
        }
        TearDown();
    }
}

TEST_F(TieredFederation, EveryClientHasOneEdgeServer)
{
    for (const EdgeClients& wrong : {EdgeClients{{1, 2}, {2}}, EdgeClients{{1}, {3}}})
    {
        ExpectRefused([&] { FederatedHelper::MakeTiers(wrong); },
                      "each client 1, 2, ... must have one edge server");
    }
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
