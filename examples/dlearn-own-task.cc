/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * A task that dlearn does not have, the regression of a quantile, learned by peers in a Wi-Fi cell.
 * A Monitor evaluates the models, ends the run, and has all warnings.
 */

#include "ns3/core-module.h"
#include "ns3/dlearn-module.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

using namespace ns3;
using namespace ns3::dlearn;

namespace mine
{

/** l(theta, (x, y)) = max(q r, (q - 1) r) with the residual r = y - theta' x. */
class QuantileTask : public Task
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("mine::QuantileTask")
                                .SetParent<Task>()
                                .AddConstructor<QuantileTask>()
                                .AddAttribute("Quantile",
                                              "Share q of the labels below the model.",
                                              DoubleValue(0.5),
                                              MakeDoubleAccessor(&QuantileTask::m_quantile),
                                              MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    uint32_t GetDimension() const override { return GetTrain().GetFeatures(); }

    double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const override
    {
        CheckModel(theta);
        CheckSamples(samples);
        double loss = GetRegularization() / 2 * theta.squaredNorm();
        for (size_t k = 0; k < samples.indices.size(); ++k)
        {
            const double residual = GetResidual(theta, samples.indices[k]);
            loss +=
                samples.weights[k] * std::max(m_quantile * residual, (m_quantile - 1) * residual);
        }
        return loss;
    }

    void ClippedGradient(ConstVectorRef theta,
                         const WeightedSamples& samples,
                         double clipNorm,
                         VectorRef gradient) const override
    {
        CheckGradient(theta, samples, clipNorm, gradient);
        gradient = GetRegularization() * theta; // its old content is arbitrary
        for (size_t k = 0; k < samples.indices.size(); ++k)
        {
            const uint32_t sample = samples.indices[k];
            const double slope = GetResidual(theta, sample) > 0 ? -m_quantile : 1 - m_quantile;
            const double norm = std::abs(slope) * GetTrain().features.col(sample).norm();
            const double scale = clipNorm > 0 && norm > clipNorm ? clipNorm / norm : 1;
            gradient += samples.weights[k] * scale * slope * GetTrain().features.col(sample);
        }
    }

    double GetAccuracy(ConstVectorRef /* theta */) const override
    {
        return std::numeric_limits<double>::quiet_NaN(); // a regression
    }

    double GetFlopsPerSample() const override { return 4.0 * GetDimension(); }

  protected:
    void CheckData() const override
    {
        Require(GetTrain().classes == 0,
                "QuantileTask: data must be those of a regression, got {} classes",
                GetTrain().classes);
    }

    double GetGradientBound() const override
    {
        return std::max(m_quantile, 1 - m_quantile) * GetMaxNorm();
    }

  private:
    double GetResidual(ConstVectorRef theta, uint32_t sample) const
    {
        return GetTrain().labels[sample] - theta.dot(GetTrain().features.col(sample));
    }

    double m_quantile{0.5}; //!< attribute Quantile
};

NS_OBJECT_ENSURE_REGISTERED(QuantileTask);

/** @return points (1, u), whose labels are spread evenly from u to u + 1: quantile q is (q, 1) */
Dataset
MakePoints()
{
    Dataset data;
    data.name = "points";
    data.features = Eigen::MatrixXd::Ones(2, 400);
    data.labels = ModelVector(400);
    for (uint32_t k = 0; k < 400; ++k)
    {
        data.features(1, k) = k % 20 / 10.0 - 1;
        data.labels[k] = data.features(1, k) + (k / 20 + 0.5) / 20;
    }
    return data;
}

} // namespace mine

int
main(int argc, char* argv[])
{
    CommandLine cmd(__FILE__);
    cmd.Parse(argc, argv);

    return RunGuarded("dlearn-own-task", [] {
        const auto data = std::make_shared<const Dataset>(mine::MakePoints());
        const auto task = CreateObject<mine::QuantileTask>();
        task->SetAttribute("Quantile", DoubleValue(0.8));
        task->SetData(data, nullptr);

        const Graph graph = MetropolisWeights(MakeRing(5));
        const auto network = CreateNetwork("wifi-infra");
        network->Build(graph, {});
        network->AssignStreams(100);

        // Without noise, and without an account, for which the task would need a GetSmoothness().
        const TypeIdValue account(PrivacyLedger::GetTypeId());
        Config::SetDefault("ns3::dlearn::Dsgd::PrivacyLedger", account);
        Config::SetDefault("ns3::dlearn::LaplaceMechanism::BaseScale", DoubleValue(0));
        Config::SetDefault("ns3::dlearn::Dsgd::StepSize", DoubleValue(1));
        PeerHelper helper;
        helper.SetAttribute("Rule", TypeIdValue(Dsgd::GetTypeId()));
        helper.SetAttribute("Rounds", UintegerValue(60));
        const auto streams = PeerHelper::CreateStreams(PartitionIid(*data, 5, 10), 8, 20);
        const auto learners = helper.Install(*network, graph, task, streams);
        PeerHelper::AssignStreams(learners, 1000);

        // Evaluate every 20th round, and print warnings.
        Monitor monitor({learners.begin(), learners.end()},
                        std::make_unique<Evaluator>(task, streams),
                        20);
        monitor.GetEvaluations().SetSummaryCallback([](const RoundSummary& round) {
            std::cout << "t=" << round.time.GetSeconds() << " s, round " << round.round << ": loss "
                      << round.mean.loss << std::endl;
        });
        monitor.GetWatch().GetWarnings().SetListener(
            [](const std::string& warning) { std::cerr << "warning: " << warning << std::endl; });

        Simulator::Run(); // which the monitor ends, as the beacons of the cell never do
        RunResults results;
        monitor.Finish(results);
        std::cout << "0.8-quantile: " << learners[0]->GetRule()->GetModel().transpose()
                  << std::endl;
        Simulator::Destroy();
    });
}
