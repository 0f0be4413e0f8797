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
#include "ns3/simulator.h"
#include "ns3/type-id.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** Three peers in a ring. */
class PeerHelperTest : public testing::Test
{
  protected:
    PeerHelperTest()
        : m_graph(MetropolisWeights(MakeRing(3))),
          m_network(CreateNetwork("ideal"))
    {
        m_network->Build(m_graph, {});
        m_learners = PeerHelper().Create(*m_network);
        for (auto& stream : m_streams)
        {
            stream = CreateObject<SampleStream>();
        }
    }

    ~PeerHelperTest() override { Simulator::Destroy(); }

    /** Expect that the learners cannot be connected. */
    void Refuse(const std::string& message, std::vector<Ptr<const Task>> tasks = {})
    {
        tasks.resize(3, CreateObject<LogisticTask>());
        const PeerHelper::ChannelGraphs graphs{{ModelChannel::STATE, m_graph}};
        ExpectRefused(
            [&] { PeerHelper::Connect(m_learners, *m_network, graphs, tasks, m_streams, {}); },
            message);
    }

    Graph m_graph;
    Ptr<Network> m_network;
    std::vector<Ptr<PeerApplication>> m_learners;
    std::vector<Ptr<SampleStream>> m_streams{3};
};

TEST_F(PeerHelperTest, RefusesANetworkThatIsNotBuilt)
{
    ExpectRefused([&] { PeerHelper().Create(*CreateNetwork("ideal")); },
                  "PeerHelper: the network has no nodes yet; its Build() comes first");
}

TEST_F(PeerHelperTest, RefusesALearnerThatIsNull)
{
    m_learners[2] = nullptr;
    Refuse("PeerHelper: learner 2 must not be null");
}

TEST_F(PeerHelperTest, RefusesTransportsThatDoNotUnderstandEachOther)
{
    m_learners[2]->GetExchange()->SetAttribute("Transport", TypeIdValue(TcpTransport::GetTypeId()));
    Refuse("PeerHelper: all learners must have the same transport, but learner 0 has "
           "ns3::dlearn::UdpTransport and another one ns3::dlearn::TcpTransport");
}

TEST_F(PeerHelperTest, RefusesASampleStreamOfTwoLearners)
{
    m_streams[2] = m_streams[0];
    Refuse("PeerHelper: each learner must have a sample stream of its own, but learners 0 and 2 "
           "have the same");
}

TEST_F(PeerHelperTest, RefusesTasksOfDifferentSizes)
{
    std::vector<Ptr<const Task>> tasks;
    for (const Eigen::Index features : {4, 4, 5})
    {
        const auto data = std::make_shared<Dataset>();
        data->features = Eigen::MatrixXd::Ones(features, 2);
        data->labels = Eigen::Vector2d(0, 1);
        data->classes = 2;
        const auto task = CreateObject<LogisticTask>();
        task->SetData(data, data);
        tasks.push_back(task);
    }
    Refuse("models of all learners must have the same size, but that of learner 2 has ", tasks);
}

} // namespace
} // namespace ns3::dlearn
