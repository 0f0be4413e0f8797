/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The recursion of the ledger against the sums of Lemma 2 (Chen, Wang and Zhang) as they are
 * printed, and against two runs of the algorithm side by side.
 */

#include "ns3/boolean.h"
#include "ns3/dlearn-gradient-tracking-ledger.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

/** One round of a run: what the ledger is told. */
struct Round
{
    double coupling{0};        //!< realised alpha r
    double push{0};            //!< realised beta c
    double stateScale{1};      //!< sigma^zeta
    double trackerScale{1};    //!< sigma^eta
    bool transmitted{true};    //!< whether it left
    double partialCoupling{0}; //!< heard in part
};

constexpr double SENSITIVITY = 1.7;
constexpr uint32_t SAMPLES = 4;
constexpr double GAMMA = 0.3;

/** The events of the rounds; nominal: coupling 0.6, push 0.4. */
Ptr<GradientTrackingLedger>
MakeLedger(const std::vector<Round>& rounds, uint32_t dimension = 1, double smoothness = 0)
{
    const auto ledger = CreateObject<GradientTrackingLedger>();
    ledger->SetAttribute("Smoothness", DoubleValue(smoothness));
    ledger->SetConstants({SENSITIVITY, SAMPLES});
    for (uint32_t k = 0; k < rounds.size(); ++k)
    {
        ledger->Refresh(k);
        TrackingRelease release;
        release.round = k;
        release.dimension = dimension;
        release.stateScale = rounds[k].stateScale;
        release.trackerScale = rounds[k].trackerScale;
        release.stateLaw = NoiseLaw::LAPLACE;
        release.trackerLaw = NoiseLaw::LAPLACE;
        ledger->Release(release, rounds[k].transmitted);
        TrackingUpdate update;
        update.round = k;
        update.stepSize = GAMMA;
        update.nominalCoupling = std::max(0.6, rounds[k].coupling + rounds[k].partialCoupling);
        update.realisedCoupling = rounds[k].coupling;
        update.partialCoupling = rounds[k].partialCoupling;
        update.nominalPush = 0.4;
        update.realisedPush = rounds[k].push;
        ledger->Update(update);
    }
    return ledger;
}

/** Lemma 2 as printed: powers of one coupling and one push. */
double
PrintedEpsilon(double coupling, double push, const std::vector<Round>& rounds)
{
    const double share = SENSITIVITY / SAMPLES;
    const auto tracker = [&](uint32_t k) {
        double sum = std::pow(std::abs(1 - push), k) * share;
        for (uint32_t l = 0; l < k; ++l)
        {
            sum += std::pow(std::abs(1 - push), l) * 2 * share;
        }
        return sum;
    };
    double epsilon = 0;
    for (uint32_t k = 0; k < rounds.size(); ++k)
    {
        double state = 0;
        for (uint32_t l = 0; l < k; ++l)
        {
            state += GAMMA * std::pow(std::abs(1 - coupling), k - l - 1) * tracker(l);
        }
        epsilon += state / rounds[k].stateScale + tracker(k) / rounds[k].trackerScale;
    }
    return epsilon;
}

TEST(GradientTrackingLedger, IsTheDoubleSumOfLemma2)
{
    for (const double coupling : {0.0, 0.3, 0.6, 1.0, 1.4})
    {
        for (const double push : {0.0, 0.4, 1.0, 1.7})
        {
            std::vector<Round> rounds;
            for (uint32_t k = 0; k < 12; ++k)
            {
                rounds.push_back({coupling, push, std::pow(k + 1, 0.2), std::pow(k + 1, -0.1)});
            }
            const auto ledger = MakeLedger(rounds);
            const double expected = PrintedEpsilon(coupling, push, rounds);
            EXPECT_NEAR(ledger->GetEpsilon(), expected, 1e-12 * expected);
            if (coupling <= 0.6)
            {
                const double planned = PrintedEpsilon(0.6, 0.4, rounds);
                EXPECT_NEAR(ledger->GetNominalEpsilon(), planned, 1e-12 * planned);
            }
        }
    }
}

TEST(GradientTrackingLedger, AccountsForWhatHappened)
{
    // Three rounds by hand, share = C/m: Dy = s, then |1-p0| s + 2s, then |1-p1| of that + 2s;
    // Dx = 0, then g s, then max(|1-c1|, |1-c1-q1|) g s + g Dy_1.
    const std::vector<Round> rounds{{0.6, 0.4, 2, 3, true},
                                    {0.1, 0, 5, 7, false, 0.2},
                                    {0.6, 0.4, 11, 13, true}};
    const double s = SENSITIVITY / SAMPLES;
    const double y1 = 0.6 * s + 2 * s;
    const double y2 = y1 + 2 * s;
    const double x2 = 0.9 * GAMMA * s + GAMMA * y1;
    const double realised = s / 3 + x2 / 11 + y2 / 13; // no message of round 1 left
    const auto ledger = MakeLedger(rounds);
    EXPECT_NEAR(ledger->GetEpsilon(), realised, 1e-14);
    EXPECT_NEAR(ledger->GetNominalEpsilon(), PrintedEpsilon(0.6, 0.4, rounds), 1e-14);
    EXPECT_GT(ledger->GetStateSensitivity(), 0);
    EXPECT_GT(ledger->GetTrackerSensitivity(), 2 * s);
}

TEST(GradientTrackingLedger, PartialArrivalsTakeTheWorseEnd)
{
    const auto stretched = MakeLedger({{0.9, 0.4, 1, 1, true, 1.0}, {}});
    const auto most = MakeLedger({{1.9, 0.4, 1, 1, true, 0}, {}}); // |1 - 1.9| > |1 - 0.9|
    EXPECT_EQ(stretched->GetEpsilon(), most->GetEpsilon());
}

TEST(GradientTrackingLedger, ChargesTheSquareRootOfTheDimensionUnlessToldOneNorm)
{
    const std::vector<Round> rounds(5, Round{0.6, 0.4, 2, 3});
    const double one = MakeLedger(rounds)->GetEpsilon();
    EXPECT_NEAR(MakeLedger(rounds, 9)->GetEpsilon(), 3 * one, 1e-13);

    const auto ledger = CreateObject<GradientTrackingLedger>();
    ledger->SetAttribute("OneNorm", BooleanValue(true));
    ledger->SetConstants({SENSITIVITY, SAMPLES});
    ledger->Refresh(0);
    TrackingRelease release;
    release.dimension = 9;
    release.stateScale = 1;
    release.trackerScale = 1;
    release.stateLaw = NoiseLaw::LAPLACE;
    release.trackerLaw = NoiseLaw::LAPLACE;
    ledger->Release(release, true);
    EXPECT_EQ(ledger->GetEpsilon(), SENSITIVITY / SAMPLES);
}

TEST(GradientTrackingLedger, NoNoiseCostsInfinityWhereDataIsReleased)
{
    const auto infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(MakeLedger({{0.6, 0.4, 1, 0}})->GetEpsilon(), infinity);
    EXPECT_EQ(MakeLedger({{0.6, 0.4, 0, 1}})->GetEpsilon(), SENSITIVITY / SAMPLES)
        << "the first state does not depend on data";
    EXPECT_EQ(MakeLedger({{0.6, 0.4, 0, 1}, {0.6, 0.4, 0, 1}})->GetEpsilon(), infinity);
}

TEST(GradientTrackingLedger, KeepsToItsBudget)
{
    const auto ledger = CreateObject<GradientTrackingLedger>();
    ledger->SetAttribute("Budget", DoubleValue(1));
    ledger->SetConstants({SENSITIVITY, SAMPLES});
    ledger->Refresh(0);
    TrackingRelease release;
    release.dimension = 1;
    release.stateScale = 1;
    release.trackerScale = SENSITIVITY / SAMPLES; // costs 1, rounding apart
    release.stateLaw = NoiseLaw::LAPLACE;
    release.trackerLaw = NoiseLaw::LAPLACE;
    EXPECT_TRUE(ledger->CanAfford(release));
    ledger->Release(release, true);
    ledger->Refresh(1);
    release.round = 1;
    release.trackerScale = 1e6;
    EXPECT_FALSE(ledger->CanAfford(release));
    EXPECT_EQ(ledger->GetBudget(), 1);
}

/**
 * Two runs of one learner that release the same, l(x, xi) = L/2 (x - xi)^2, one sample of m
 * differs and is drawn in every other round, which is the worst for a tracker.
 */
TEST(GradientTrackingLedger, TwoRunsKeepTheBoundWithSmoothnessButNotThatOfLemma2)
{
    const double smoothness = 12;
    const double coupling = 0.1;
    const double push = 0.05;
    const uint32_t count = 40;
    const std::vector<Round> rounds(count, Round{coupling, push});
    double x = 0;
    double y = 0;
    double g = 0;
    bool lemmaHolds = true;
    for (uint32_t k = 0; k < count; ++k)
    {
        const double next = smoothness * x + (k % 2 == 0 ? SENSITIVITY / SAMPLES : 0);
        y += next - g;
        g = next;
        // The sensitivity of round k is what one more round adds to epsilon.
        const std::vector<Round> until(rounds.begin(), rounds.begin() + k + 1);
        const std::vector<Round> before(rounds.begin(), rounds.begin() + k);
        const double actual = std::abs(x) + std::abs(y);
        const auto bound = [&](double lipschitz) {
            return MakeLedger(until, 1, lipschitz)->GetEpsilon() -
                   MakeLedger(before, 1, lipschitz)->GetEpsilon();
        };
        EXPECT_LE(actual, bound(smoothness) * (1 + 1e-9)) << k;
        lemmaHolds = lemmaHolds && actual <= bound(0);
        x = (1 - coupling) * x - GAMMA * y;
        y = (1 - push) * y;
    }
    EXPECT_FALSE(lemmaHolds) << "Lemma 2 takes both runs' gradients at the same state";
}

} // namespace
