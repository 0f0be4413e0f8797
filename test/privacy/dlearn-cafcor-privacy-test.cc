/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-cafcor-privacy.h"
#include "ns3/dlearn-renyi-accounting.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

constexpr double INF = std::numeric_limits<double>::infinity();

Ptr<const ThreatModel>
MakeSecretModel(uint32_t colluding)
{
    return CreateObjectWithAttributes<SecretLocalDp>("Colluding", UintegerValue(colluding));
}

/** The setting of the paper's figure 1, MNIST. */
CafCorPlan
MakePlan(const Ptr<const ThreatModel>& model, uint32_t byzantine = 5)
{
    CafCorPlan plan;
    plan.model = model;
    plan.counts = {100, byzantine};
    return plan;
}

std::vector<Ptr<const ThreatModel>>
AllModels(uint32_t colluding)
{
    return {CreateObject<CentralDp>(),
            CreateObject<LocalDp>(),
            MakeSecretModel(colluding),
            CreateObject<ByzantineLocalDp>()};
}

/**
 * Largest rate of a worker, from the covariance of what the server does not know. Worker i is
 * observed when it is honest and not lost; v_ij is known when i or j colludes, or when one of
 * them is lost and the other is not (the repair).
 */
double
RateByMatrix(const std::vector<bool>& honest,
             const std::vector<bool>& colluding,
             const std::vector<bool>& lost,
             double sensitivity,
             const NoiseScales& noise)
{
    const size_t n = honest.size();
    std::vector<size_t> seen;
    for (size_t i = 0; i < n; ++i)
    {
        if (honest[i] && !lost[i])
        {
            seen.push_back(i);
        }
    }
    const auto m = static_cast<Eigen::Index>(seen.size());
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(m, m);
    for (Eigen::Index a = 0; a < m; ++a)
    {
        covariance(a, a) += noise.independent * noise.independent;
        for (size_t j = 0; j < n; ++j)
        {
            if (j == seen[a] || colluding[j] || lost[j])
            {
                continue;
            }
            const double variance = noise.correlated * noise.correlated;
            covariance(a, a) += variance;
            const auto b = std::find(seen.begin(), seen.end(), j);
            if (b != seen.end())
            {
                covariance(a, b - seen.begin()) -= variance;
            }
        }
    }
    return sensitivity * sensitivity / 2 * covariance.inverse().diagonal().maxCoeff();
}

TEST(ThreatModel, LemmaIsTheInverseCovariance)
{
    for (uint32_t n : {3U, 8U, 15U})
    {
        for (uint32_t f = 0; 2 * f < n; f += 1)
        {
            for (uint32_t q = 0; q <= f; ++q)
            {
                for (const NoiseScales& noise :
                     {NoiseScales{1, 1}, NoiseScales{0, 3}, NoiseScales{4, 0.5}, NoiseScales{2, 0}})
                {
                    if (q == f && noise.independent == 0)
                    {
                        EXPECT_EQ(SecretRate({n, f}, q, 4.5, noise), INF);
                        continue;
                    }
                    std::vector<bool> honest(n, true);
                    std::vector<bool> colluding(n, false);
                    std::fill_n(honest.begin(), f, false);
                    std::fill_n(colluding.begin(), q, true);
                    const double expected =
                        RateByMatrix(honest, colluding, std::vector<bool>(n, false), 4.5, noise);
                    // The inverse loses some digits where the noise nearly cancels.
                    EXPECT_NEAR(SecretRate({n, f}, q, 4.5, noise) / expected, 1, 1e-10);
                }
            }
        }
    }
}

TEST(ThreatModel, AgreesWithReferences)
{
    // Sensitivity 2C with C = 2.25; computed with other software, to rounding.
    struct Row
    {
        uint32_t workers;
        uint32_t byzantine;
        uint32_t colluding;
        NoiseScales noise;
        double rate;
    };

    const Row rows[] = {
        {100, 5, 0, {0, 2}, 2.53125},
        {100, 5, 0, {10, 1}, 0.0012144743609471388},
        {100, 5, 5, {0, 1}, 10.125},
        {100, 5, 5, {5, 10}, 0.005113636363636364},
        {100, 10, 0, {0, 100}, 0.0010125},
        {100, 10, 0, {5, 10}, 0.00417239010989011},
        {100, 10, 10, {0, 1}, 10.125},
        {100, 10, 10, {10, 0.5}, 0.4511124690980806},
        {15, 5, 0, {1, 1}, 0.73828125},
        {15, 5, 0, {1, 1}, 0.73828125},
        {15, 5, 0, {10, 0}, 0.0081},
        {15, 5, 5, {1, 1}, 1.8409090909090908},
        {10, 0, 0, {5, 5}, 0.07363636363636364},
    };
    for (const Row& r : rows)
    {
        const WorkerCounts counts{r.workers, r.byzantine};
        const double rate = MakeSecretModel(r.colluding)->GetRate(counts, 4.5, r.noise);
        EXPECT_NEAR(rate / r.rate, 1, 1e-13);
    }
}

TEST(ThreatModel, ModelsAreCasesOfTheLemma)
{
    const WorkerCounts counts{100, 5};
    const NoiseScales noise{0.6, 3};
    EXPECT_DOUBLE_EQ(CreateObject<LocalDp>()->GetRate(counts, 4.5, noise),
                     SecretRate(counts, 0, 4.5, {0, 3}));
    EXPECT_EQ(MakeSecretModel(2)->GetRate(counts, 4.5, noise), SecretRate(counts, 2, 4.5, noise));
    EXPECT_EQ(CreateObject<ByzantineLocalDp>()->GetRate(counts, 4.5, noise),
              SecretRate(counts, 5, 4.5, noise));
    // Noise s on the average of n messages is worth noise n s on one.
    EXPECT_DOUBLE_EQ(CreateObject<CentralDp>()->GetRate(counts, 4.5, noise),
                     CreateObject<LocalDp>()->GetRate(counts, 4.5, {0, 300}));
}

TEST(ThreatModel, NeverNan)
{
    for (const auto& model : AllModels(5))
    {
        for (double correlated : {0.0, 1e-300, 1.0, 1e300})
        {
            for (double independent : {0.0, 1e-300, 1.0, 1e300})
            {
                for (double sensitivity : {0.0, 1e-300, 1.0, 1e300})
                {
                    const NoiseScales noise{correlated, independent};
                    const double rate = model->GetRate({100, 5}, sensitivity, noise);
                    EXPECT_GE(rate, 0);
                    EXPECT_GE(model->GetRepairedRate({100, 5}, 7, sensitivity, noise), rate);
                }
            }
        }
    }
    EXPECT_EQ(SecretRate({10, 2}, 0, 0, {0, 0}), 0);
    EXPECT_EQ(SecretRate({10, 2}, 0, 1, {0, 0}), INF);
}

TEST(ThreatModel, RepairedRateIsThatOfTheWorstSetOfLostWorkers)
{
    const uint32_t n = 9;
    const uint32_t f = 3;
    const NoiseScales noise{2, 0.7};
    for (uint32_t q = 0; q <= f; ++q)
    {
        std::vector<bool> honest(n, true);
        std::vector<bool> colluding(n, false);
        std::fill_n(honest.begin(), f, false);
        std::fill_n(colluding.begin(), q, true);
        for (uint32_t l = 0; l < 6; ++l)
        {
            double worst = 0;
            for (uint32_t set = 0; set < (1U << n); ++set)
            {
                std::vector<bool> lost(n);
                for (uint32_t i = 0; i < n; ++i)
                {
                    lost[i] = (set >> i) & 1;
                }
                const auto count = std::count(lost.begin(), lost.end(), true);
                if (count == l)
                {
                    worst = std::max(worst, RateByMatrix(honest, colluding, lost, 4.5, noise));
                }
            }
            const double rate = MakeSecretModel(q)->GetRepairedRate({n, f}, l, 4.5, noise);
            EXPECT_NEAR(rate / worst, 1, 1e-12) << q << " " << l;
        }
    }
    // Nobody but Byzantine workers may be left to share noise with.
    const auto model = MakeSecretModel(0);
    EXPECT_DOUBLE_EQ(model->GetRepairedRate({9, 3}, 8, 4.5, noise), GaussianRate(4.5, 0.7));
}

TEST(CafCorPrivacy, TheoremFourOneIsMet)
{
    // Theorem 4.1: for epsilon < ln(1/delta), the inverse rate 16 C^2 T ln(1/delta)/epsilon^2
    // is enough; and corollary 4.1, against all Byzantine workers.
    for (double epsilon : {0.1, 1.0, 9.0})
    {
        for (uint32_t byzantine : {5U, 10U, 30U})
        {
            CafCorPlan plan = MakePlan(CreateObject<ByzantineLocalDp>(), byzantine);
            const double wanted = 16 * plan.clip * plan.clip * plan.rounds *
                                  std::log(1 / plan.delta) / (epsilon * epsilon);
            const double scale = std::sqrt(2 * wanted / (100 - byzantine));
            plan.noise = {scale, scale};
            EXPECT_LE(PlanCafCorEpsilon(plan).classic, epsilon);
            EXPECT_GT(PlanCafCorEpsilon(plan).classic, epsilon / 2);
        }
    }
}

TEST(CafCorPrivacy, SolverAgreesWithReferences)
{
    // C = 2.25, T = 30, delta = 1e-4, n = 100; classic conversion, solved with other software.
    struct Row
    {
        uint32_t byzantine;
        uint32_t colluding;
        double epsilon;
        NoiseScales noise;
        double tight;
        double exact;
    };

    const Row rows[] = {
        {5, 0, 1, {11.894656660745321, 0}, 0.7758072436564027, 0.6936813265664336},
        {5,
         0,
         20,
         {0.8054567285901018, 0.08054567285901018},
         18.76450436437797,
         17.410736273254983},
        {5, 5, 1, {15.672586264019978, 15.672586264019978}, 0.7758072436564026, 0.693681326566432},
        {5, 5, 10, {1.8660079619884609, 1.8660079619884609}, 9.091498175124846, 8.356861944832783},
        {5, 5, 30, {0.779549504912156, 0.779549504912156}, 28.557994294219487, 26.65703962636859},
        {10,
         0,
         10,
         {1.3557793607318451, 0.13557793607318452},
         9.091498175124848,
         8.356861944832783},
        {10, 10, 3, {40.18010826573836, 4.018010826573836}, 2.533814396608744, 2.2959879109796906},
        {10,
         10,
         30,
         {0.8006793361412271, 0.8006793361412271},
         28.55799429421948,
         26.65703962636859},
    };
    for (const Row& r : rows)
    {
        CafCorPlan plan = MakePlan(MakeSecretModel(r.colluding), r.byzantine);
        plan.noise = {5 * r.noise.correlated, 5 * r.noise.independent};
        plan.noise = PlanCafCorNoise(plan, r.epsilon);
        EXPECT_NEAR(plan.noise.correlated / r.noise.correlated, 1, 1e-12);
        EXPECT_NEAR(plan.noise.independent, r.noise.independent, 1e-12 * r.noise.correlated);
        const CafCorEpsilon epsilon = PlanCafCorEpsilon(plan);
        EXPECT_NEAR(epsilon.classic / r.epsilon, 1, 1e-12);
        EXPECT_NEAR(epsilon.tight / r.tight, 1, 1e-12);
        EXPECT_NEAR(*epsilon.exact / r.exact, 1, 1e-12);
    }
    CafCorPlan plan = MakePlan(CreateObject<LocalDp>());
    EXPECT_NEAR(PlanCafCorNoise(plan, 1).independent / 108.58286278115479, 1, 1e-12);
    EXPECT_NEAR(PlanCafCorNoise(plan, 3).independent / 37.93113137069897, 1, 1e-12);
    EXPECT_NEAR(PlanCafCorNoise(plan, 5).independent / 23.718395145857663, 1, 1e-12);
}

TEST(CafCorPrivacy, MeetsThePublishedBudgetsInEveryModel)
{
    struct Published
    {
        uint32_t byzantine;
        double clip;
        double epsilon;
    };

    // Figures 1 and 3 to 6: n = 100, T = 30, delta = 1e-4.
    for (const Published& p :
         {Published{5, 2.25, 27.8}, {10, 2.25, 26.4}, {5, 1, 39.6}, {10, 1, 39.6}})
    {
        std::vector<double> variances; // of the noise that stays in the mean of all messages
        for (const auto& model : AllModels(0))
        {
            CafCorPlan plan = MakePlan(model, p.byzantine);
            plan.clip = p.clip;
            plan.noise = PlanCafCorNoise(plan, p.epsilon);
            const CafCorEpsilon epsilon = PlanCafCorEpsilon(plan);
            EXPECT_NEAR(epsilon.classic / p.epsilon, 1, 1e-12);
            EXPECT_LT(epsilon.tight, epsilon.classic);
            EXPECT_LT(*epsilon.exact, epsilon.tight);
            // Between honest workers noise cancels; with f Byzantine ones it need not.
            const double left = std::pow(plan.noise.independent, 2) +
                                p.byzantine * std::pow(plan.noise.correlated, 2);
            variances.push_back(variances.empty() ? std::pow(plan.noise.independent, 2)
                                                  : left / (100 - p.byzantine));
        }
        // The paper's ordering: CDP < SecLDP < ByzLDP < LDP.
        EXPECT_LT(variances[0], variances[2]);
        EXPECT_LT(variances[2], variances[3]);
        EXPECT_LT(variances[3], variances[1]);
    }
}

TEST(CafCorPrivacy, ShapesOfThePaper)
{
    const auto shape = [](const Ptr<const ThreatModel>& model, uint32_t byzantine) {
        return model->GetShape({100, byzantine});
    };
    EXPECT_EQ(shape(MakeSecretModel(0), 5).independent, 0);
    EXPECT_EQ(shape(MakeSecretModel(4), 5).independent, 0);
    EXPECT_EQ(shape(MakeSecretModel(5), 5).independent, 1);
    EXPECT_EQ(shape(MakeSecretModel(0), 0).independent, 1);
    EXPECT_EQ(shape(CreateObject<ByzantineLocalDp>(), 5).independent, 1);
    EXPECT_EQ(shape(CreateObject<LocalDp>(), 5).correlated, 0);
    EXPECT_EQ(shape(CreateObject<CentralDp>(), 5).correlated, 0);
}

TEST(CafCorPrivacy, ExampleLevel)
{
    for (const auto& model : AllModels(2))
    {
        CafCorPlan plan = MakePlan(model);
        plan.batch = 50;
        plan.samples = 600;
        EXPECT_DOUBLE_EQ(CafCorSensitivity(plan), 0.09);
        EXPECT_DOUBLE_EQ(CafCorSampling(plan), 1.0 / 12);
        plan.noise = PlanCafCorNoise(plan, 3);
        const CafCorEpsilon epsilon = PlanCafCorEpsilon(plan);
        EXPECT_LE(epsilon.classic, 3 * (1 + 1e-9));
        EXPECT_GT(epsilon.classic, 3 * (1 - 1e-9));
        EXPECT_LT(epsilon.tight, epsilon.classic);
        EXPECT_FALSE(epsilon.exact.has_value());
        // The whole data in every batch: nothing is gained, and the orders of the list cost a
        // little against all real ones.
        plan.batch = 600;
        const CafCorEpsilon full = PlanCafCorEpsilon(plan);
        const double rate = model->GetRate(plan.counts, 4.5 / 600, plan.noise);
        const double least = ClassicGaussianEpsilon(30 * rate, 1e-4).epsilon;
        EXPECT_GE(full.classic, least);
        EXPECT_LT(full.classic, 1.05 * least);
    }
}

TEST(CafCorPrivacy, RefusesWhatMakesNoSense)
{
    const auto model = MakeSecretModel(2);
    ExpectRefused([&] { model->GetRate({0, 0}, 1, {1, 1}); }, "workers must be at least 1, got 0");
    ExpectRefused(
        [&] {
            model->GetRate({10, 5}, 1, {1, 1});
        },
        "CafCor: byzantine must be less than half of the 10 workers, got 5");
    ExpectRefused(
        [&] {
            model->GetRate({10, 1}, 1, {1, 1});
        },
        "colluding must be at most the number of Byzantine workers, 1, got 2");
    ExpectRefused([&] { model->GetShape({10, 1}); }, "colluding must be at most");
    ExpectRefused([&] { model->GetRate({10, 2}, -1, {1, 1}); }, "sensitivity must be finite");
    ExpectRefused(
        [&] {
            model->GetRate({10, 2}, 1, {-1, 1});
        },
        "CafCor: correlated noise must be finite and at least 0, got -1");
    ExpectRefused(
        [&] {
            model->GetRate({10, 2}, 1, {1, std::nan("")});
        },
        "CafCor: independent noise must be finite and at least 0, got nan");
    ExpectRefused(
        [&] {
            model->GetRepairedRate({10, 2}, 10, 1, {1, 1});
        },
        "CafCor: lost must be less than the 10 workers, got 10");

    const auto plan = [&](auto change) {
        CafCorPlan changed = MakePlan(model);
        change(changed);
        PlanCafCorEpsilon(changed);
    };
    ExpectRefused([&] { plan([](CafCorPlan& p) { p.model = nullptr; }); }, "model must be set");
    ExpectRefused([&] { plan([](CafCorPlan& p) { p.clip = 0; }); },
                  "CafCorPlan: clip must be finite and greater than 0, got 0");
    ExpectRefused([&] { plan([](CafCorPlan& p) { p.rounds = 0; }); },
                  "CafCorPlan: rounds must be at least 1, got 0");
    ExpectRefused([&] { plan([](CafCorPlan& p) { p.delta = 1; }); },
                  "CafCorPlan: delta must be in (0, 1), got 1");
    ExpectRefused([&] { plan([](CafCorPlan& p) { p.batch = 5, p.samples = 4; }); },
                  "CafCorPlan: batch must be at most the 4 samples of a worker, got 5");

    ExpectRefused([&] { PlanCafCorNoise(MakePlan(model), 0); },
                  "CafCorPlan: target epsilon must be finite and greater than 0, got 0");
    CafCorPlan colluding = MakePlan(CreateObject<ByzantineLocalDp>());
    colluding.noise = {1, 0};
    ExpectRefused([&] { PlanCafCorNoise(colluding, 1); },
                  "noise of the ratio s_cor : s_ind = 1 : 0 protects nobody");
    CafCorPlan sampled = MakePlan(model);
    sampled.batch = 10;
    sampled.samples = 100;
    ExpectRefused([&] { PlanCafCorNoise(sampled, 0.1); },
                  "target epsilon must be greater than 0.148554, what orders up to 63 can show");
}

} // namespace
