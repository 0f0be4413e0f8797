/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-images.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-gradient-inversion.h"
#include "ns3/dlearn-peer-learners.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>

namespace ns3::dlearn
{

namespace
{

/** @return the image behind the messages */
InvertedGradient
Invert(const ImageParameters& p, ConstVectorRef theta, ConstVectorRef gradient, const Task& task)
{
    const auto& loss = dynamic_cast<const SampleLoss&>(task);
    if (p.task == "softmax" && p.batch == 1)
    {
        const uint32_t inputs = loss.GetInputs();
        return InvertSoftmaxGradient(inputs, theta, gradient, std::sqrt(inputs));
    }
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(1);
    InversionOptions options;
    options.samples = p.batch;
    options.starts = p.starts;
    options.iterations = p.iterations;
    return InvertGradient(loss, theta, gradient, options, *random);
}

/** @return share of the true labels that are among the found ones */
double
CountLabels(Eigen::VectorXd truth, Eigen::VectorXd found)
{
    std::sort(truth.begin(), truth.end());
    std::sort(found.begin(), found.end());
    Eigen::VectorXd common(truth.size());
    const auto end = std::set_intersection(truth.begin(),
                                           truth.end(),
                                           found.begin(),
                                           found.end(),
                                           common.begin());
    return static_cast<double>(end - common.begin()) / static_cast<double>(truth.size());
}

/** @return what the attacker finds, without the accuracy */
ImageLoot
FindImages(const ImageParameters& p, Run& scenario, const GradientEstimator& estimator)
{
    const Dataset& train = scenario.GetTask()->GetTrain();
    const auto data = std::make_shared<Dataset>(train);
    const Ptr<Task> task = CreateTask(p.task, {data, data}, 0);
    if (p.task != "softmax") // which has 64 bits: differences need them
    {
        task->SetAttribute("FloatBits", UintegerValue(64));
        task->SetData(data, nullptr);
    }
    const auto& streams = scenario.Get<PeerLearners>().GetStreams();
    ImageLoot sum;
    for (LearnerId id = 0; id < streams.size(); ++id)
    {
        const auto estimate = estimator.Estimate(id, 0);
        Require(estimate.has_value(), "messages of learner {} or its neighbours were lost", id);
        const SampleIndices& log = streams[id]->GetLog();
        const Dataset truth = Subset(train, {log.begin(), log.begin() + p.batch});
        const InvertedGradient found = Invert(p, *estimator.FindModel(id, 0), *estimate, *task);
        sum.error += GetInversionError(truth.features, found.features, 0, 1);
        sum.labels += CountLabels(truth.labels, found.labels);
        sum.black += truth.features.squaredNorm() / static_cast<double>(truth.features.size());
    }
    const auto learners = static_cast<double>(streams.size());
    return {0, sum.error / learners, sum.labels / learners, sum.black / learners};
}

} // namespace

LdpOnlineSteps
ImageParameters::GetSteps() const
{
    return {1, 0.71, coupling, 0.7};
}

RunSpec
ImageParameters::MakeOptions(double factor) const
{
    RunSpec options = LdpOnlinePreset(program);
    Apply(options);
    options.task = task;
    options.unitNorm = false; // pixels from 0 to 1
    options.partition = partition;
    options.batchSize = batch;
    options.regularization = 0;
    options.rounds = rounds;
    options.evaluateEvery = rounds; // the last round is always evaluated
    options.noise = 0.05 * factor;
    return options;
}

ImageLoot
LearnAndListen(const ImageParameters& p, double factor)
{
    Run scenario(p.MakeOptions(factor));
    GradientEstimator estimator(scenario.GetGraph(), p.GetSteps(), 1);
    const auto eavesdropper = CreateObject<Eavesdropper>();
    eavesdropper->TraceConnectWithoutContext("Overheard",
                                             MakeCallback(&GradientEstimator::Note, &estimator));
    for (const auto& learner : scenario.GetPeers())
    {
        const Ptr<Node> node = learner->GetNode();
        for (uint32_t k = 1; k < node->GetNDevices(); ++k) // the first is loopback
        {
            eavesdropper->Listen(node->GetDevice(k));
        }
    }
    std::ostream nowhere(nullptr);
    scenario.Execute(nowhere);
    ImageLoot loot = FindImages(p, scenario, estimator);
    loot.accuracy = scenario.GetSummaries().back().mean.accuracy;
    return loot;
}

} // namespace ns3::dlearn
