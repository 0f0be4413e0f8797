/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-data.h"

#include "dlearn-run-learners.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/** Samples of a client and round, unless said, of data that are drawn anew. */
constexpr uint32_t FRESH_SAMPLES = 50;

/** @return sigma of all clients, or of each */
std::vector<double>
GetNoiseStds(const RunSpec& spec)
{
    std::vector<double> stds;
    for (const std::string& item : SplitText(spec.noiseStd, ','))
    {
        const auto number = ParseNumber(item);
        Require(number && std::isfinite(*number) && *number >= 0,
                "noise-std must be a number of at least 0, or a list of them, got '",
                spec.noiseStd,
                "'");
        Require(*number <= LARGEST_SETTING,
                "noise-std must be at most ",
                LARGEST_SETTING,
                ", got '",
                spec.noiseStd,
                "'");
        stds.push_back(*number);
    }
    Require(stds.size() == 1 || stds.size() == spec.learners,
            "noise-std must be one number or one for each of the ",
            spec.learners,
            " clients, got ",
            stds.size());
    return stds;
}

/** @return samples of a client in a round; 0 for its whole share */
uint32_t
GetSamples(const RunSpec& spec)
{
    return spec.IsCafCor() ? spec.batchSize.value_or(50) : spec.samples.value_or(0);
}

/** @return shards of all clients, those of Byzantine ones at the end */
std::vector<SampleIndices>
Partition(const RunSpec& spec, const Dataset& data)
{
    if (spec.byzantineData == "shards")
    {
        return PartitionByName(spec.partition, data, spec.learners, RunStreams::PARTITION);
    }
    const uint32_t honest = spec.learners - spec.byzantine;
    auto shards = PartitionByName(spec.partition, data, honest, RunStreams::PARTITION);
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(RunStreams::BYZANTINE);
    SampleIndices all = FirstSamples(data.GetSize());
    const auto count = std::max<size_t>(all.size() / honest, 1);
    for (uint32_t client = honest; client < spec.learners; ++client)
    {
        ShuffleFirst(all, count, *random);
        shards.emplace_back(all.begin(), all.begin() + count);
    }
    return shards;
}

/** Fix the random streams of all clients' data. */
void
AssignStreams(const FederatedData& data)
{
    for (size_t client = 0; client < data.clients.size(); ++client)
    {
        data.clients[client]->AssignStreams(RunStreams::SAMPLES + 10 * client);
    }
}

} // namespace

FederatedData
DrawLinearGaussian(const RunSpec& spec)
{
    LinearGaussianProblemOptions problem;
    problem.clients = spec.learners;
    problem.dimension = spec.dimension;
    problem.sparsity = spec.sparsity;
    problem.initialError = spec.initialError;
    problem.heterogeneity = spec.heterogeneity;
    // Defaults must fit any numbers of clients and entries; what a user gave is refused instead.
    const RunSpec usual(spec.kind, spec.program);
    const auto isDefault = [&spec](const char* option, auto value, auto initial) {
        return value == initial && spec.invocation.options.count(option) == 0;
    };
    if (isDefault("sparsity", spec.sparsity, usual.sparsity))
    {
        problem.sparsity = std::min(spec.sparsity, spec.dimension);
    }
    const bool pairs = spec.learners > 1 && (spec.dimension > 1 || spec.learners % 2 == 0);
    if (!pairs && isDefault("heterogeneity", spec.heterogeneity, usual.heterogeneity))
    {
        problem.heterogeneity = 0; // the differences of all clients add up to 0
    }
    problem.noiseStds = GetNoiseStds(spec);
    problem.drift = spec.drift;
    const uint32_t samples = spec.samples.value_or(FRESH_SAMPLES);
    FederatedData data;
    data.problem = CreateObject<LinearGaussianProblem>();
    data.problem->AssignStreams(RunStreams::DATA);
    data.problem->Draw(problem);
    for (uint32_t client = 0; client < spec.learners; ++client)
    {
        const auto own = CreateObject<LinearGaussianData>();
        own->SetProblem(data.problem, client, samples);
        data.clients.push_back(own);
    }
    AssignStreams(data);
    data.initialModel = data.problem->GetInitialModel();
    data.title = "linear-gaussian (" + std::to_string(spec.dimension) + " features, " +
                 std::to_string(samples) + " fresh samples a client and round)";
    return data;
}

FederatedData
ShareData(const RunSpec& spec, const LoadedData& loaded, bool flipLabels)
{
    const auto makeTask = [&](const LoadedData& samples) {
        const auto task = CreateTask(spec.task, samples, spec.regularization);
        if (spec.IsCafCor())
        {
            task->SetAttribute("ClipNorm", DoubleValue(spec.ProtectsSamples() ? spec.clip : 0));
        }
        return task;
    };
    FederatedData data;
    data.task = makeTask(loaded);
    std::vector<SampleIndices> shards = Partition(spec, *loaded.train);
    data.labels = CountLabels(*loaded.train, shards);
    for (uint32_t client = 0; client < spec.learners; ++client)
    {
        Ptr<const Task> task = data.task;
        SampleIndices& shard = shards[client];
        if (flipLabels && client >= spec.learners - spec.byzantine)
        {
            // A copy of this client's shard only: the data set may be large.
            data.origins[client + 1] = shard;
            task = makeTask(FlipLabels(loaded, shard));
        }
        data.shards.push_back(shard.size());
        const auto own = CreateObject<ShardData>();
        own->SetEpochs(spec.epochs);
        own->SetShard(task, shard, GetSamples(spec));
        data.clients.push_back(own);
    }
    AssignStreams(data);
    data.initialModel = data.task->DrawInitialModel(RunStreams::INITIAL);
    data.title = DescribeData(*loaded.train);
    return data;
}

} // namespace ns3::dlearn
