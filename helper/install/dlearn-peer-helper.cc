/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-helper.h"

#include "dlearn-placed-learner.h"
#include "dlearn-transfer-estimate.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

namespace
{

void
RequireOneTransport(const std::vector<Ptr<PeerApplication>>& learners)
{
    const auto name = [](const Ptr<PeerApplication>& learner) {
        return learner->GetExchange()->GetTransport()->GetInstanceTypeId().GetName();
    };
    for (const auto& learner : learners)
    {
        Require(name(learner) == name(learners.front()),
                "PeerHelper: all learners must have the same transport, but learner 0 has {} and "
                "another one {}",
                name(learners.front()),
                name(learner));
    }
}

void
RequireOneDimension(const std::vector<Ptr<const Task>>& tasks)
{
    for (LearnerId id = 1; id < tasks.size(); ++id)
    {
        Require(!tasks[id] || !tasks[0] || tasks[id]->GetDimension() == tasks[0]->GetDimension(),
                "PeerHelper: models of all learners must have the same size, but that of learner "
                "{} has {} parameters and that of learner 0 {}",
                id,
                tasks[id] ? tasks[id]->GetDimension() : 0,
                tasks[0] ? tasks[0]->GetDimension() : 0);
    }
}

/** @return receivers and senders of a learner, some of them twice */
std::vector<LearnerId>
ListNeighbors(const PeerHelper::ChannelGraphs& graphs, LearnerId id)
{
    std::vector<LearnerId> neighbors;
    for (const auto& [channel, graph] : graphs)
    {
        for (const Graph::Row* row : {&graph.GetInNeighbors(id), &graph.GetOutNeighbors(id)})
        {
            for (const auto& [neighbor, weight] : *row)
            {
                neighbors.push_back(neighbor);
            }
        }
    }
    return neighbors;
}

/** Set the time that messages of other learners take; these may train longer. */
void
SetForecasts(const std::vector<Ptr<PeerApplication>>& learners,
             const Network& network,
             const PeerHelper::ChannelGraphs& graphs,
             const TransferEstimate& transfers)
{
    Time slowest;
    for (const auto& learner : learners)
    {
        slowest = Max(slowest, learner->GetTrainingTime());
    }
    for (LearnerId id = 0; id < learners.size(); ++id)
    {
        const Time lead = slowest - learners[id]->GetTrainingTime();
        const auto recovery =
            EstimateRecovery(*learners[id], network, id, ListNeighbors(graphs, id));
        learners[id]->SetForecast({transfers.GetTime(id) + lead, recovery});
    }
}

} // namespace

PeerHelper::PeerHelper()
{
    m_factory.SetTypeId(PeerApplication::GetTypeId());
}

std::vector<Ptr<PeerApplication>>
PeerHelper::Create(const Network& network) const
{
    std::vector<Ptr<PeerApplication>> learners;
    const NodeContainer& nodes = network.GetNodes();
    Require(nodes.GetN() > 0, "PeerHelper: the network has no nodes yet; its Build() comes first");
    for (uint32_t id = 0; id < nodes.GetN(); ++id)
    {
        const auto learner = m_factory.Create<PeerApplication>();
        PlaceLearner(learner, nodes.Get(id), network.GetReadyTime());
        learners.push_back(learner);
    }
    return learners;
}

void
PeerHelper::Connect(const std::vector<Ptr<PeerApplication>>& learners,
                    const Network& network,
                    const Graph& graph,
                    Ptr<const Task> task,
                    const std::vector<Ptr<SampleStream>>& streams,
                    const std::vector<ModelVector>& initialModels)
{
    const ChannelGraphs graphs{{ModelChannel::STATE, graph}};
    Connect(learners,
            network,
            graphs,
            std::vector<Ptr<const Task>>(learners.size(), task),
            streams,
            initialModels);
}

void
PeerHelper::Connect(const std::vector<Ptr<PeerApplication>>& learners,
                    const Network& network,
                    const Graph& states,
                    const Graph& trackers,
                    Ptr<const Task> task,
                    const std::vector<Ptr<SampleStream>>& streams,
                    const std::vector<ModelVector>& initialModels)
{
    const ChannelGraphs graphs{{ModelChannel::STATE, states}, {ModelChannel::TRACKER, trackers}};
    Connect(learners,
            network,
            graphs,
            std::vector<Ptr<const Task>>(learners.size(), task),
            streams,
            initialModels);
}

void
PeerHelper::Connect(const std::vector<Ptr<PeerApplication>>& learners,
                    const Network& network,
                    const ChannelGraphs& graphs,
                    const std::vector<Ptr<const Task>>& tasks,
                    const std::vector<Ptr<SampleStream>>& streams,
                    const std::vector<ModelVector>& initialModels)
{
    for (const auto& [channel, graph] : graphs)
    {
        RequireSize("PeerHelper",
                    std::string("the graph of channel ") + ToString(channel),
                    graph.GetSize(),
                    learners.size());
    }
    RequireSize("PeerHelper", "tasks", tasks.size(), learners.size());
    RequireSize("PeerHelper", "sample streams", streams.size(), learners.size());
    RequireOwn("PeerHelper", "sample stream", streams, 0);
    if (!initialModels.empty())
    {
        RequireSize("PeerHelper", "initial models", initialModels.size(), learners.size());
    }
    const std::vector<Ptr<LearnerApplication>> applications(learners.begin(), learners.end());
    RequireLearners("PeerHelper", applications);
    RequireOneTransport(learners);
    RequireOneDimension(tasks);
    SeparatePorts(applications);
    TransferEstimate transfers(network, applications);
    for (const auto& [channel, graph] : graphs)
    {
        for (LearnerId id = 0; id < learners.size(); ++id)
        {
            const size_t numbers = tasks[id] ? tasks[id]->GetDimension() : 0;
            transfers.Add(id, graph.GetOutNeighbors(id), numbers);
        }
    }
    for (LearnerId id = 0; id < learners.size(); ++id)
    {
        LearnerContext context;
        context.id = id;
        context.task = tasks[id];
        context.stream = streams[id];
        if (!initialModels.empty())
        {
            context.initialModel = initialModels[id];
        }
        Transport::Peers addresses;
        for (const auto& [channel, graph] : graphs)
        {
            const Neighbors& neighbors =
                context.neighbors[channel] = {graph.GetInNeighbors(id), graph.GetOutNeighbors(id)};
            for (const Graph::Row* row : {&neighbors.in, &neighbors.out})
            {
                for (const auto& [neighbor, weight] : *row)
                {
                    addresses[neighbor] = GetLearnerAddress(network, applications, id, neighbor);
                }
            }
        }
        learners[id]->SetContext(context, addresses);
        if (learners[id]->GetRoundPolicy()->IsAsynchronous())
        {
            learners[id]->GetExchange()->PreferNewest();
        }
    }
    SetForecasts(learners, network, graphs, transfers);
}

std::vector<Ptr<PeerApplication>>
PeerHelper::Install(const Network& network,
                    const Graph& graph,
                    Ptr<const Task> task,
                    const std::vector<Ptr<SampleStream>>& streams) const
{
    const auto learners = Create(network);
    Connect(learners, network, graph, task, streams);
    return learners;
}

std::vector<Ptr<SampleStream>>
PeerHelper::CreateStreams(const std::vector<SampleIndices>& shards,
                          uint32_t batchSize,
                          int64_t stream)
{
    std::vector<Ptr<SampleStream>> streams;
    for (const SampleIndices& shard : shards)
    {
        const auto samples = CreateObject<SampleStream>();
        samples->SetShard(shard, batchSize);
        samples->AssignStreams(stream++);
        streams.push_back(samples);
    }
    return streams;
}

int64_t
PeerHelper::AssignStreams(const std::vector<Ptr<PeerApplication>>& learners, int64_t stream)
{
    int64_t used = 0;
    for (const auto& learner : learners)
    {
        used += learner->AssignStreams(stream + used);
    }
    return used;
}

} // namespace ns3::dlearn
