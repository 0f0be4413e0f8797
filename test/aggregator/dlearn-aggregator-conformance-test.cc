/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-component-parser.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

/** What is true of a rule. */
struct Properties
{
    std::string pre;             //!< pre-aggregations, as programs write them
    std::string rule;            //!< likewise
    bool translates{true};       //!< a shift of all inputs shifts the aggregate
    bool robust{true};           //!< no f inputs move the aggregate far from the others
    bool honestMeanForF0{true};  //!< without Byzantine inputs it is the mean
    bool returnsTheCommon{true}; //!< it returns what all inputs are
    bool unordered{true};        //!< it has no ties in general, which order breaks
};

std::ostream&
operator<<(std::ostream& stream, const Properties& properties)
{
    return stream << properties.pre << "+" << properties.rule;
}

using Inputs = RowMatrix<double>;

/** @return n x d normal numbers around a point far from the origin */
Inputs
MakeInputs(int n, int d, uint32_t seed)
{
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    Inputs inputs(n, d);
    for (int i = 0; i < n; ++i)
    {
        for (int k = 0; k < d; ++k)
        {
            inputs(i, k) = 3 + normal(generator);
        }
    }
    return inputs;
}

class AggregatorConformance : public testing::TestWithParam<Properties>
{
  protected:
    AggregationResult<double> Run(const Inputs& inputs, uint32_t f) const
    {
        return Make()->Aggregate(inputs, f);
    }

    Ptr<Aggregator> Make() const
    {
        const auto aggregator = ParseAggregator(GetParam().rule);
        AddPreAggregators(GetParam().pre, aggregator);
        return aggregator;
    }
};

/** Rounding in another order only, of numbers around 3: 1e-12 relative to them and to spare. */
void
ExpectSame(const ModelVector& got, const ModelVector& wanted, double tolerance = 1e-10)
{
    ASSERT_EQ(got.size(), wanted.size());
    EXPECT_LE((got - wanted).cwiseAbs().maxCoeff(), tolerance)
        << got.transpose() << " instead of " << wanted.transpose();
}

} // namespace

TEST_P(AggregatorConformance, DoesNotDependOnTheOrder)
{
    if (!GetParam().unordered)
    {
        return;
    }
    const Inputs inputs = MakeInputs(11, 5, 1);
    const ModelVector once = Run(inputs, 2).vector;
    std::vector<int> order(11);
    std::iota(order.begin(), order.end(), 0);
    for (uint32_t seed = 0; seed < 5; ++seed)
    {
        std::shuffle(order.begin(), order.end(), std::mt19937(seed));
        ExpectSame(Run(inputs(order, Eigen::all), 2).vector, once);
    }
}

TEST_P(AggregatorConformance, FollowsAShift)
{
    if (!GetParam().translates)
    {
        return;
    }
    const Inputs inputs = MakeInputs(11, 5, 2);
    const Eigen::RowVectorXd shift = 1000 * Eigen::RowVectorXd::LinSpaced(5, -1, 2);
    const Inputs shifted = inputs.rowwise() + shift;
    // Numbers of 2000 leave 1e-13 relative to 1.
    ExpectSame(Run(shifted, 2).vector, Run(inputs, 2).vector + shift.transpose(), 1e-8);
}

TEST_P(AggregatorConformance, IsTheMeanWithoutByzantineInputs)
{
    if (!GetParam().honestMeanForF0)
    {
        return;
    }
    const Inputs inputs = MakeInputs(9, 4, 3);
    ExpectSame(Run(inputs, 0).vector, inputs.colwise().mean().transpose());
}

TEST_P(AggregatorConformance, ReturnsASingleInput)
{
    if (!GetParam().returnsTheCommon)
    {
        return;
    }
    const Inputs inputs = MakeInputs(1, 70, 4); // more than one block of coordinates
    const auto result = Run(inputs, 0);
    ExpectSame(result.vector, inputs.row(0).transpose());
    EXPECT_EQ(result.used, 1u);
}

TEST_P(AggregatorConformance, ReturnsWhatAllInputsAre)
{
    if (!GetParam().returnsTheCommon)
    {
        return;
    }
    const Inputs inputs = MakeInputs(1, 6, 5).replicate(9, 1);
    ExpectSame(Run(inputs, 2).vector, inputs.row(0).transpose());
    ExpectSame(Run(Inputs::Zero(9, 6), 2).vector, ModelVector::Zero(6));
}

TEST_P(AggregatorConformance, LeavesOutWhatIsNotFinite)
{
    Inputs inputs = MakeInputs(11, 5, 6);
    const Inputs others = inputs(std::vector<int>{0, 1, 2, 4, 5, 6, 7, 8, 9, 10}, Eigen::all);
    const ModelVector wanted = Run(others, 1).vector; // one of two Byzantine inputs is missing
    for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e200})
    {
        inputs(3, 4) = value;
        const auto result = Run(inputs, 2);
        ExpectSame(result.vector, wanted);
        EXPECT_EQ(result.used, 10u);
        EXPECT_EQ(result.excluded, std::vector<uint32_t>{3});
        EXPECT_TRUE(result.weights.size() == 0 || result.weights(3) == 0);
    }
}

TEST_P(AggregatorConformance, GivesNothingWhenTooFewAreUsable)
{
    Inputs inputs = MakeInputs(5, 3, 7);
    inputs(0, 0) = std::nan("");
    const auto result = Run(inputs, 2);
    EXPECT_FALSE(result.IsUsable());
    EXPECT_EQ(result.used, 4u);
    EXPECT_EQ(result.excluded, std::vector<uint32_t>{0});
    EXPECT_TRUE(Run(inputs, 1).IsUsable());
}

TEST_P(AggregatorConformance, RowsFarAwayDoNoHarm)
{
    for (const double distance : {1e3, 1e9, 1e30})
    {
        Inputs inputs = MakeInputs(11, 5, 8);
        inputs.row(4).setConstant(distance);
        inputs.row(7).setConstant(-std::sqrt(distance));
        const ModelVector got = Run(inputs, 2).vector;
        EXPECT_TRUE(got.allFinite()) << distance;
        // Honest inputs are about sqrt(5) from their mean; 12 is a wide bound for any of them.
        if (GetParam().robust)
        {
            EXPECT_LT((got - ModelVector::Constant(5, 3)).norm(), 12) << distance;
        }
    }
}

TEST_P(AggregatorConformance, FloatsAgreeWithDoubles)
{
    Inputs inputs = MakeInputs(11, 300, 9);
    inputs.row(2).setConstant(1e30);
    const RowMatrix<float> floats = inputs.cast<float>();
    const auto got = Make()->Aggregate(floats, 2);
    const ModelVector wanted = Run(floats.cast<double>(), 2).vector;
    // 24 bits, and sums over 11 rows or 300 coordinates; relative where the mean is at 1e29.
    const double tolerance = 2e-5 * std::max(3.0, wanted.cwiseAbs().maxCoeff());
    ExpectSame(got.vector.cast<double>(), wanted, tolerance);
}

TEST_P(AggregatorConformance, SumsItsInputsWithItsWeights)
{
    const Inputs inputs = MakeInputs(11, 5, 10);
    const auto result = Run(inputs, 2);
    if (result.weights.size() > 0)
    {
        ExpectSame(inputs.transpose() * result.weights, result.vector);
    }
}

TEST_P(AggregatorConformance, DependsOnNothingButItsInputs)
{
    const auto aggregator = Make();
    const Inputs inputs = MakeInputs(11, 5, 11);
    const ModelVector once = aggregator->Aggregate(inputs, 2).vector;
    aggregator->Aggregate(MakeInputs(7, 5, 12), 3);
    EXPECT_EQ(aggregator->Aggregate(inputs, 2).vector, once);
}

TEST_P(AggregatorConformance, IsMonotoneWhenItSaysSo)
{
    if (!Make()->IsMonotone())
    {
        return;
    }
    for (uint32_t seed = 0; seed < 50; ++seed)
    {
        Inputs inputs = MakeInputs(7, 3, 100 + seed);
        const ModelVector before = Run(inputs, 2).vector;
        const double step = 0.1 * (1 + seed % 20);
        inputs(seed % 7, 1) += step;
        const ModelVector change = Run(inputs, 2).vector - before;
        // Rounding of numbers around 3.
        EXPECT_NEAR(change(0), 0, 1e-12);
        EXPECT_GE(change(1), -1e-12);
        EXPECT_LE(change(1), step + 1e-12);
        EXPECT_NEAR(change(2), 0, 1e-12);
    }
}

TEST_P(AggregatorConformance, HasNoAggregateOfAMajorityOfByzantineInputs)
{
    const Inputs inputs = MakeInputs(4, 3, 13);
    EXPECT_FALSE(Run(inputs, 2).IsUsable());
    Make()->RequireMinority("f", 1, 5, "vectors"); // Bulyan needs more than 4f
    ExpectRefused([&] { Make()->RequireMinority("f", 2, 4, "vectors"); },
                  "f must be less than half of the 4 vectors, got 2");
    ExpectRefused([&] { Run(Inputs(0, 3), 0); }, "at least 1 vector of at least 1 number");
    ExpectRefused([&] { Run(Inputs(3, 0), 0); }, "got 3 of 0");
}

// A new rule joins with one line. Not the mean without Byzantine inputs: what is a median, and
// what measures from the origin. Not robust: what takes everyone in. Ordered: diameters, which
// many subsets share, and the last choices of Bulyan, by one distance of two vectors.
INSTANTIATE_TEST_SUITE_P(
    All,
    AggregatorConformance,
    testing::Values(Properties{"", "Average", true, false},
                    Properties{"", "TrimmedMean"},
                    Properties{"", "Median", true, true, false},
                    Properties{"", "GeometricMedian", true, true, false},
                    Properties{"", "SmoothedWeiszfeld:t=50", false, true, false},
                    Properties{"", "Krum", true, true, false},
                    Properties{"", "Krum:margin=2", true, true, false},
                    Properties{"", "MultiKrum"},
                    Properties{"", "Meamed"},
                    Properties{"", "Bulyan", true, true, true, true, false},
                    Properties{"", "Flame", false, true, false},
                    Properties{"", "CenteredClipping:tau=2,l=30", false, true, false, false},
                    Properties{"", "CenteredClipping", false, false},
                    Properties{"", "Mda", true, true, true, true, false},
                    Properties{"", "Smea"},
                    Properties{"", "Caf"},
                    Properties{"Nnm", "Average", true, false},
                    Properties{"Nnm", "TrimmedMean"},
                    Properties{"Nnm", "Median"},
                    Properties{"Nnm", "Caf"},
                    Properties{"Nnm", "GeometricMedian"},
                    Properties{"Arc", "Average", false, false},
                    Properties{"Arc", "Median", false, true, false},
                    Properties{"Arc+Nnm", "TrimmedMean", false},
                    Properties{"MedianClipping", "Average", false, true, false},
                    Properties{"MedianClipping", "TrimmedMean", false, true, false},
                    Properties{"Clipping:c=3", "Average", false, true, false, false},
                    Properties{"Clipping:c=1000+Nnm", "MultiKrum", false}));

// Each of the f may spoil another one of the vectors that are left.
TEST(AggregateRows, HasNoAggregateOfTwoFVectorsAfterMixing)
{
    const Inputs rows = Inputs::Ones(5, 3);
    const PreAggregationRule halve = [](const GramGeometry&, uint32_t) {
        return Eigen::MatrixXd(Eigen::MatrixXd::Constant(3, 5, 0.2));
    };
    const WeightRule rule = [](const GramGeometry& points, uint32_t) {
        return Eigen::VectorXd(Eigen::VectorXd::Constant(points.GetCount(), 1.0 / 3));
    };
    EXPECT_TRUE(AggregateRows<double>(rows, 1, {halve}, AggregationRule(rule)).IsUsable());
    EXPECT_FALSE(AggregateRows<double>(rows, 2, {halve}, AggregationRule(rule)).IsUsable());
    EXPECT_TRUE(AggregateRows<double>(rows, 2, {halve}, MeanRule()).IsUsable());
}
