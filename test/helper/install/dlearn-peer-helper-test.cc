/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-sample-stream.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/dlearn-udp-transport.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** Nodes do not outlive a test. */
class PeerHelperTest : public testing::Test
{
  protected:
    void TearDown() override { Simulator::Destroy(); }
};

TEST_F(PeerHelperTest, RefusesANetworkThatIsNotBuilt)
{
    const auto network = CreateNetwork("ideal");
    ExpectRefused([&] { PeerHelper().Create(*network); },
                  "PeerHelper: the network has no nodes yet; its Build() comes first");
}

TEST_F(PeerHelperTest, RefusesALearnerThatIsNull)
{
    const Graph graph = MetropolisWeights(MakeRing(3));
    const auto network = CreateNetwork("ideal");
    network->Build(graph, NetworkOptions());
    auto learners = PeerHelper().Create(*network);
    learners[2] = nullptr;
    ExpectRefused(
        [&] {
            PeerHelper::Connect(learners,
                                *network,
                                graph,
                                CreateObject<LogisticTask>(),
                                std::vector<Ptr<SampleStream>>(3));
        },
        "PeerHelper: learner 2 must not be null");
}

TEST_F(PeerHelperTest, RefusesTransportsThatDoNotUnderstandEachOther)
{
    const Graph graph = MetropolisWeights(MakeRing(3));
    const auto network = CreateNetwork("ideal");
    network->Build(graph, NetworkOptions());
    const auto learners = PeerHelper().Create(*network);
    learners[2]->GetExchange()->SetAttribute("Transport", TypeIdValue(TcpTransport::GetTypeId()));
    ExpectRefused(
        [&] {
            PeerHelper::Connect(learners,
                                *network,
                                graph,
                                CreateObject<LogisticTask>(),
                                std::vector<Ptr<SampleStream>>(3));
        },
        "PeerHelper: all learners must have the same transport, but learner 0 has "
        "ns3::dlearn::UdpTransport and another one ns3::dlearn::TcpTransport");
}

TEST_F(PeerHelperTest, RefusesASampleStreamOfTwoLearners)
{
    const Graph graph = MetropolisWeights(MakeRing(3));
    const auto network = CreateNetwork("ideal");
    network->Build(graph, NetworkOptions());
    const auto shared = CreateObject<SampleStream>();
    ExpectRefused(
        [&] {
            PeerHelper().Install(*network,
                                 graph,
                                 CreateObject<LogisticTask>(),
                                 {shared, CreateObject<SampleStream>(), shared});
        },
        "PeerHelper: each learner must have a sample stream of its own, but learners 0 and 2 have "
        "the same");
}

TEST_F(PeerHelperTest, RefusesTasksOfDifferentSizes)
{
    const Graph graph = MetropolisWeights(MakeRing(3));
    const auto network = CreateNetwork("ideal");
    network->Build(graph, NetworkOptions());
    std::vector<Ptr<const Task>> tasks;
    std::vector<Ptr<SampleStream>> streams;
    for (const Eigen::Index features : {4, 4, 5})
    {
        const auto data = std::make_shared<Dataset>();
        data->features = Eigen::MatrixXd::Ones(features, 2);
        data->labels = Eigen::Vector2d(0, 1);
        data->classes = 2;
        const auto task = CreateObject<LogisticTask>();
        task->SetData(data, data);
        tasks.push_back(task);
        streams.push_back(CreateObject<SampleStream>());
    }
    const auto learners = PeerHelper().Create(*network);
    ExpectRefused(
        [&] {
            PeerHelper::Connect(learners,
                                *network,
                                PeerHelper::ChannelGraphs{{ModelChannel::STATE, graph}},
                                tasks,
                                streams,
                                {});
        },
        "models of all learners must have the same size, but that of learner 2 has ");
}

} // namespace
} // namespace ns3::dlearn
