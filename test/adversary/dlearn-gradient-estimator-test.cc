/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "system/dlearn-system-fixture.h"

#include "ns3/dlearn-eavesdropper.h"
#include "ns3/dlearn-gradient-inversion.h"

namespace ns3::dlearn
{
namespace
{

/** What an eavesdropper on all links of a run found out, and what was so. */
struct Spied
{
    std::vector<std::optional<ModelVector>> estimates; //!< one a learner
    std::vector<ModelVector> gradients;                //!< at the overheard models
    double deviation{0};                               //!< that the noise should have, learner 0
};

Spied
Spy(const RunSpec& options, uint32_t round)
{
    const auto eavesdropper = CreateObject<Eavesdropper>();
    std::unique_ptr<GradientEstimator> estimator;
    Ptr<const Task> task;
    std::vector<Ptr<SampleStream>> streams;
    RunToEnd(options, [&](dlearn::Run& scenario) {
        estimator =
            std::make_unique<GradientEstimator>(scenario.GetGraph(), LdpOnlineSteps(), round + 1);
        eavesdropper->TraceConnectWithoutContext(
            "Overheard",
            MakeCallback(&GradientEstimator::Note, estimator.get()));
        for (const auto& learner : scenario.GetPeers())
        {
            eavesdropper->ListenAt(learner->GetNode());
        }
        task = scenario.GetTask();
        streams = scenario.Get<PeerLearners>().GetStreams();
    });
    Spied spied;
    for (LearnerId id = 0; id < streams.size(); ++id)
    {
        spied.estimates.push_back(estimator->Estimate(id, round));
        const SampleIndices& log = streams[id]->GetLog();
        const SampleIndices history(log.begin(), log.begin() + streams[id]->GetLogSize(round));
        ModelVector gradient(task->GetDimension());
        task->BatchGradient(*estimator->FindModel(id, round), history, gradient);
        spied.gradients.push_back(gradient);
    }
    // The scenario's noise: (t+1)^(0.1 + 0.01 i) times the factor asked for.
    spied.deviation = estimator->GetDeviation(0,
                                              round,
                                              options.noise * std::pow(round + 1, 0.11),
                                              options.noise * std::pow(round + 2, 0.11));
    return spied;
}

TEST(GradientEstimator, WithoutNoiseFindsTheGradients)
{
    RunSpec options = SmallRun("p2p");
    options.noise = 0;
    options.initStd = 0.5;
    for (const uint32_t round : {0, 7})
    {
        const Spied spied = Spy(options, round);
        for (LearnerId id = 0; id < 5; ++id)
        {
            ASSERT_TRUE(spied.estimates[id].has_value());
            // Differences of numbers of size 1 in 64 bits, divided by steps of at least 0.2.
            EXPECT_LT((*spied.estimates[id] - spied.gradients[id]).norm(), 1e-13);
            EXPECT_GT(spied.gradients[id].norm(), 0.01);
        }
    }
}

TEST(GradientEstimator, CarriesTheNoiseThatItSays)
{
    RunSpec options = SmallRun("p2p");
    options.noise = 1e-4; // the gradients at y_t and at theta_t then differ by far less
    for (const uint32_t round : {0, 7})
    {
        const Spied spied = Spy(options, round);
        const ModelVector error = *spied.estimates[0] - spied.gradients[0];
        // d sums of two Laplace variables: the mean square has a relative standard error of at
        // most sqrt(5 / d) (kurtosis of at most 6); 6 of these: wrong with probability 2e-9.
        const double square = error.squaredNorm() / error.size();
        const double expected = spied.deviation * spied.deviation;
        EXPECT_NEAR(square / expected, 1, 6 * std::sqrt(5.0 / error.size()));
    }
}

TEST(GradientEstimator, SaysNothingWhereItMissesSomething)
{
    Graph graph(3);
    graph.AddEdge(0, 1, 0.5);
    GradientEstimator estimator(graph, {0.5, 1, 0.2, 0}, 1);
    const auto note = [&](LearnerId sender, uint32_t round, double value, ModelChannel channel) {
        estimator.Note({Seconds(1),
                        Ipv4Address(),
                        Ipv4Address(),
                        sender,
                        channel,
                        round,
                        ModelVector::Constant(2, value)});
    };
    note(0, 0, 1, ModelChannel::STATE);
    note(0, 1, 7, ModelChannel::TRACKER); // no state
    note(1, 0, 3, ModelChannel::STATE);
    note(8, 0, 3, ModelChannel::STATE); // no learner of the graph
    EXPECT_FALSE(estimator.Estimate(0, 0).has_value());
    note(0, 1, 2, ModelChannel::STATE);
    note(0, 1, 9, ModelChannel::STATE); // the first counts
    EXPECT_FALSE(estimator.Estimate(1, 0).has_value());
    // (1 + 0.2 x 0.5 x (3 - 1) - 2) / 0.5
    EXPECT_NEAR((*estimator.Estimate(0, 0))[1], -1.6, 1e-15);
    EXPECT_EQ(estimator.FindModel(2, 0), nullptr);

    ExpectRefused([&] { estimator.Estimate(3, 0); },
                  "GradientEstimator: learner and round must be less than 3 and 1, got 3 and 0");
    ExpectRefused([&] { GradientEstimator(graph, {}, 0); },
                  "GradientEstimator: rounds must be at least 1, got 0");
    ExpectRefused(
        [&] {
            GradientEstimator(graph, {0, 1, 1, 1}, 1);
        },
        "GradientEstimator: stepSize must be finite and greater than 0, got 0");
}

} // namespace
} // namespace ns3::dlearn
