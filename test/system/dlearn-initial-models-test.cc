/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-system-fixture.h"

#include "ns3/simulator.h"

namespace ns3
{
namespace dlearn
{
namespace
{

/** @return the models that the learners start with */
std::vector<ModelVector>
GetInitialModels(double initial)
{
    PeerOptions options = SmallRun("ideal");
    options.initial = initial;
    const PeerScenario scenario(options);
    std::vector<ModelVector> models;
    for (const auto& learner : scenario.GetLearners())
    {
        models.push_back(learner->GetRule()->GetModel());
    }
    Simulator::Destroy();
    return models;
}

TEST(InitialModels, AreZeroUnlessAskedFor)
{
    for (const ModelVector& model : GetInitialModels(0))
    {
        EXPECT_TRUE(model.isZero(0));
    }
}

TEST(InitialModels, AreIndependentNormalNumbers)
{
    const auto models = GetInitialModels(2);
    ASSERT_EQ(models.size(), 5U);
    double squares = 0;
    double sum = 0;
    double numbers = 0;
    for (size_t k = 0; k < models.size(); ++k)
    {
        squares += models[k].squaredNorm() / 4;
        sum += models[k].sum() / 2;
        numbers += models[k].size();
        EXPECT_NE(models[k], models[(k + 1) % models.size()]);
    }
    // Of n standard normal numbers the sum of squares has variance 2n, the sum variance n. Six
    // standard deviations: a false alarm has a probability of at most 1e-6.
    EXPECT_NEAR(squares, numbers, 6 * std::sqrt(2 * numbers));
    EXPECT_NEAR(sum, 0, 6 * std::sqrt(numbers));
    EXPECT_EQ(GetInitialModels(2), models) << "the same seed and run";
}

} // namespace
} // namespace dlearn
} // namespace ns3
