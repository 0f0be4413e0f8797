/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-privacy-plans.h"
#include "ns3/dlearn-types.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace ns3::dlearn
{
namespace
{

template <typename Model>
Ptr<const ThreatModel>
MakeModel(uint32_t colluding)
{
    return CreateObjectWithAttributes<Model>("Colluding", UintegerValue(colluding));
}

/** The paper's reading. */
Ptr<const ThreatModel>
MakeLemmaModel(uint32_t colluding)
{
    return MakeModel<LemmaLocalDp>(colluding);
}

Ptr<const ThreatModel>
MakeSecretModel(uint32_t colluding)
{
    return MakeModel<SecretLocalDp>(colluding);
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
            CreateObject<ByzantineLocalDp>(),
            MakeLemmaModel(colluding)};
}

/** Who is who in a round, by worker. */
struct Roles
{
    explicit Roles(uint32_t n)
        : honest(n, true),
          colluding(n, false),
          lost(n, false)
    {
    }

    std::vector<bool> honest;    //!< not counted in f
    std::vector<bool> colluding; //!< tell the server the noise that they share
    std::vector<bool> lost;      //!< others told what they share with them; nothing was sent
};

/** @return f workers that are not honest, of which q collude */
Roles
MakeRoles(uint32_t n, uint32_t f, uint32_t q)
{
    Roles roles(n);
    std::fill_n(roles.honest.begin(), f, false);
    std::fill_n(roles.colluding.begin(), q, true);
    return roles;
}

/** What the adversary sees. */
enum class View
{
    TRANSCRIPT, //!< all messages; those of workers that are not honest without noise of their own
    LEMMA       //!< messages of honest workers only
};

/**
 * Largest rate of an honest worker whose message was sent, from every single noise variable: the
 * distance of two means that differ in its message alone, in the covariance of all that is seen.
 */
double
RateByMatrix(const Roles& roles, View view, double sensitivity, const NoiseScales& noise)
{
    const size_t n = roles.honest.size();
    std::vector<Eigen::VectorXd> rows;
    std::vector<bool> candidates;
    for (size_t i = 0; i < n; ++i)
    {
        if (roles.lost[i] || (view == View::LEMMA && !roles.honest[i]))
        {
            continue;
        }
        Eigen::VectorXd row = Eigen::VectorXd::Zero(n * n);
        row[i * n + i] = roles.honest[i] ? noise.independent : 0;
        for (size_t j = 0; j < n; ++j)
        {
            const bool known = roles.colluding[i] || roles.colluding[j] || roles.lost[j];
            if (j != i && !known)
            {
                row[std::min(i, j) * n + std::max(i, j)] = (i < j ? 1 : -1) * noise.correlated;
            }
        }
        rows.push_back(row);
        candidates.push_back(roles.honest[i]);
    }
    const auto m = static_cast<Eigen::Index>(rows.size());
    Eigen::MatrixXd variables(m, n * n);
    for (Eigen::Index k = 0; k < m; ++k)
    {
        variables.row(k) = rows[k].transpose();
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(variables * variables.transpose());
    double worst = 0;
    for (Eigen::Index k = 0; k < m; ++k)
    {
        double sum = 0;
        for (Eigen::Index axis = 0; axis < m; ++axis)
        {
            const double part = std::pow(solver.eigenvectors()(k, axis), 2);
            const double variance = solver.eigenvalues()[axis];
            const bool seen = variance < 1e-12 * solver.eigenvalues()[m - 1];
            sum += !seen ? part / variance : part > 1e-12 ? INFINITE : 0;
        }
        worst = candidates[k] ? std::max(worst, sum) : worst;
    }
    return sensitivity * sensitivity / 2 * worst;
}

const std::vector<NoiseScales> SOME_NOISE{{1, 1}, {0, 3}, {4, 0.5}, {2, 0}};

TEST(ThreatModel, RatesAreThoseOfAllNoiseVariables)
{
    for (uint32_t n : {3U, 8U, 11U})
    {
        for (uint32_t f = 0; 2 * f < n; ++f)
        {
            for (uint32_t q = 0; q <= f; ++q)
            {
                const Roles roles = MakeRoles(n, f, q);
                for (const NoiseScales& noise : SOME_NOISE)
                {
                    const double lemma = RateByMatrix(roles, View::LEMMA, 4.5, noise);
                    const double whole = RateByMatrix(roles, View::TRANSCRIPT, 4.5, noise);
                    const double lemmaRate = LemmaRate({n, f}, q, 4.5, noise);
                    const double wholeRate = TranscriptRate({n, f}, q, 4.5, noise);
                    if (noise.independent == 0)
                    {
                        EXPECT_EQ(whole, INFINITE); // the sum of all messages has no noise
                        EXPECT_EQ(wholeRate, INFINITE);
                        EXPECT_EQ(lemmaRate == INFINITE, q == f);
                    }
                    else
                    {
                        EXPECT_NEAR(wholeRate / whole, 1, 1e-10) << n << f << q;
                    }
                    if (lemmaRate < INFINITE)
                    {
                        EXPECT_NEAR(lemmaRate / lemma, 1, 1e-10) << n << f << q;
                    }
                    // The lemma is right where all of the f hand over what they know.
                    EXPECT_GE(wholeRate, lemmaRate * (1 - 1e-14));
                    EXPECT_NEAR(TranscriptRate({n, f}, f, 4.5, {2, 0.3}) /
                                    LemmaRate({n, f}, f, 4.5, {2, 0.3}),
                                1,
                                1e-14);
                }
            }
        }
    }
}

TEST(ThreatModel, ModelsAreCasesOfOneRate)
{
    const WorkerCounts counts{100, 5};
    const NoiseScales noise{0.6, 3};
    EXPECT_DOUBLE_EQ(CreateObject<LocalDp>()->GetRate(counts, 4.5, noise),
                     TranscriptRate(counts, 0, 4.5, {0, 3}));
    EXPECT_EQ(MakeSecretModel(2)->GetRate(counts, 4.5, noise),
              TranscriptRate(counts, 2, 4.5, noise));
    EXPECT_EQ(CreateObject<ByzantineLocalDp>()->GetRate(counts, 4.5, noise),
              TranscriptRate(counts, 5, 4.5, noise));
    EXPECT_EQ(MakeLemmaModel(2)->GetRate(counts, 4.5, noise), LemmaRate(counts, 2, 4.5, noise));
    EXPECT_EQ(MakeLemmaModel(2)->GetTranscriptModel()->GetRate(counts, 4.5, noise),
              TranscriptRate(counts, 2, 4.5, noise));
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
                    EXPECT_GE(model->GetRecoveredRate({100, 5}, 7, sensitivity, noise), rate);
                }
            }
        }
    }
    for (const auto rate : {&TranscriptRate, &LemmaRate})
    {
        EXPECT_EQ(rate({10, 2}, 0, 0, {0, 0}), 0);
        EXPECT_EQ(rate({10, 2}, 0, 1, {0, 0}), INFINITE);
    }
}

TEST(ThreatModel, RepairedRateIsThatOfTheWorstSetOfLostWorkers)
{
    const uint32_t n = 9;
    const uint32_t f = 3;
    const NoiseScales noise{2, 0.7};
    for (uint32_t q = 0; q <= f; ++q)
    {
        for (uint32_t l = 0; l < 6; ++l)
        {
            double lemma = 0;
            double whole = 0;
            for (uint32_t set = 0; set < (1U << n); ++set)
            {
                Roles roles = MakeRoles(n, f, q);
                for (uint32_t i = 0; i < n; ++i)
                {
                    roles.lost[i] = (set >> i) & 1;
                }
                if (std::count(roles.lost.begin(), roles.lost.end(), true) == l)
                {
                    lemma = std::max(lemma, RateByMatrix(roles, View::LEMMA, 4.5, noise));
                    whole = std::max(whole, RateByMatrix(roles, View::TRANSCRIPT, 4.5, noise));
                }
            }
            const double lemmaRate = MakeLemmaModel(q)->GetRecoveredRate({n, f}, l, 4.5, noise);
            EXPECT_NEAR(lemmaRate / lemma, 1, 1e-12) << q << " " << l;
            const double wholeRate = MakeSecretModel(q)->GetRecoveredRate({n, f}, l, 4.5, noise);
            EXPECT_NEAR(wholeRate / whole, 1, 1e-12) << q << " " << l;
        }
    }
    // It may happen that only Byzantine workers are left to share noise with.
    for (const auto& model : {MakeSecretModel(0), MakeLemmaModel(0)})
    {
        EXPECT_DOUBLE_EQ(model->GetRecoveredRate({9, 3}, 8, 4.5, noise), GaussianRate(4.5, 0.7));
    }
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
            EXPECT_LE(PlanCafCorEpsilon(plan), epsilon);
            EXPECT_GT(PlanCafCorEpsilon(plan), epsilon / 3);
        }
    }
}

TEST(CafCorPrivacy, SolverAgreesWithReferences)
{
    // C = 2.25, T = 30, delta = 1e-4, n = 100; solved with other software.
    struct Row
    {
        uint32_t byzantine;
        uint32_t colluding;
        double classic;
        NoiseScales noise;
        double epsilon;
    };

    const Row rows[] = {
        {5, 0, 1, {11.894656660745321, 0}, 0.6936813265664336},
        {5, 0, 20, {0.8054567285901018, 0.08054567285901018}, 17.410736273254983},
        {5, 5, 1, {15.672586264019978, 15.672586264019978}, 0.693681326566432},
        {5, 5, 10, {1.8660079619884609, 1.8660079619884609}, 8.356861944832783},
        {5, 5, 30, {0.779549504912156, 0.779549504912156}, 26.65703962636859},
        {10, 0, 10, {1.3557793607318451, 0.13557793607318452}, 8.356861944832783},
        {10, 10, 3, {40.18010826573836, 4.018010826573836}, 2.2959879109796906},
        {10, 10, 30, {0.8006793361412271, 0.8006793361412271}, 26.65703962636859},
    };
    for (const Row& r : rows)
    {
        CafCorPlan plan = MakePlan(MakeLemmaModel(r.colluding), r.byzantine);
        plan.noise = {5 * r.noise.correlated, 5 * r.noise.independent};
        plan.noise = PlanCafCorNoise(plan, r.epsilon);
        EXPECT_NEAR(plan.noise.correlated / r.noise.correlated, 1, 1e-12);
        EXPECT_NEAR(plan.noise.independent, r.noise.independent, 1e-12 * r.noise.correlated);
        EXPECT_NEAR(PlanCafCorEpsilon(plan) / r.epsilon, 1, 1e-12);
        EXPECT_NEAR(ClassicGaussianEpsilon(30 * CafCorRate(plan), 1e-4) / r.classic, 1, 1e-12);
    }
}

/** Variance of the mean of the honest messages when the f do not send theirs. */
double
GetVariance(const CafCorPlan& plan)
{
    const auto [n, f] = plan.counts;
    const double own = plan.noise.independent * plan.noise.independent;
    return (own + f * plan.noise.correlated * plan.noise.correlated) / (n - f);
}

TEST(CafCorPrivacy, ThePaperSaysNothingOfTheTranscript)
{
    CafCorPlan plan = MakePlan(MakeLemmaModel(0));
    plan.noise = PlanCafCorNoise(plan, 27.8);
    EXPECT_EQ(PlanTranscriptEpsilon(plan), INFINITE);
    plan.model = MakeLemmaModel(5); // which is ByzLDP, and right
    plan.noise = {};
    plan.noise = PlanCafCorNoise(plan, 27.8);
    EXPECT_NEAR(PlanTranscriptEpsilon(plan), 27.8, 1e-9);
    plan.model = MakeSecretModel(0);
    EXPECT_EQ(PlanTranscriptEpsilon(plan), PlanCafCorEpsilon(plan));
}

TEST(CafCorPrivacy, ShapesLeaveTheLeastNoise)
{
    // Against other ratios s_cor : s_ind on a fine grid, for the same epsilon.
    for (uint32_t f : {1U, 4U})
    {
        for (uint32_t q : {0U, 1U, f})
        {
            CafCorPlan plan = MakePlan(MakeSecretModel(q));
            plan.counts = {12, f};
            plan.noise = PlanCafCorNoise(plan, 5);
            const double best = GetVariance(plan);
            double least = INFINITE;
            for (double ratio = 0.01; ratio < 100; ratio *= 1.01)
            {
                plan.noise = {ratio, 1};
                plan.noise = PlanCafCorNoise(plan, 5);
                least = std::min(least, GetVariance(plan));
            }
            EXPECT_LE(best, least * (1 + 1e-12));
            EXPECT_GE(best, least * (1 - 1e-4)); // half a step of the grid off
        }
    }
}

TEST(CafCorPrivacy, ShapesOfThePaper)
{
    const auto shape = [](const Ptr<const ThreatModel>& model, uint32_t byzantine) {
        return model->GetShape({100, byzantine});
    };
    EXPECT_EQ(shape(MakeLemmaModel(0), 5).independent, 0);
    EXPECT_EQ(shape(MakeLemmaModel(4), 5).independent, 0);
    EXPECT_EQ(shape(MakeLemmaModel(5), 5).independent, 1);
    EXPECT_EQ(shape(MakeLemmaModel(0), 0).independent, 1);
    EXPECT_EQ(shape(CreateObject<LocalDp>(), 5).correlated, 0);
    EXPECT_EQ(shape(CreateObject<CentralDp>(), 5).correlated, 0);
    // Not to divide by nothing: one worker, no Byzantine ones.
    const NoiseScales alone = MakeSecretModel(0)->GetShape({1, 0});
    EXPECT_EQ(alone.correlated, 0);
    EXPECT_EQ(alone.independent, 1);
    EXPECT_GT(shape(MakeSecretModel(0), 0).independent, 0);
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
        const double epsilon = PlanCafCorEpsilon(plan);
        EXPECT_LE(epsilon, 3);
        EXPECT_GT(epsilon, 3 * (1 - 1e-6));
        // The whole data in every batch: nothing is gained.
        plan.batch = 600;
        const double rate = model->GetRate(plan.counts, 4.5 / 600, plan.noise);
        EXPECT_EQ(PlanCafCorEpsilon(plan), GaussianEpsilon(30 * rate, 1e-4));
    }
}

// A trusted server that averages k of n messages moves by 2C/k. Who adds the noise to each message
// does not care how many others there are.
TEST(CafCorPrivacy, AMeanOfFewerCostsMoreWithATrustedServer)
{
    for (const uint32_t batch : {0, 50})
    {
        for (const auto& model : AllModels(2))
        {
            CafCorPlan plan = MakePlan(model);
            plan.batch = batch;
            plan.samples = 600;
            const auto findNoise = [&plan](uint32_t participants) {
                plan.participants = participants;
                const NoiseScales scales = PlanCafCorNoise(plan, 3);
                return scales.independent + scales.correlated;
            };
            const double all = findNoise(0);
            EXPECT_EQ(findNoise(plan.counts.workers), all);
            const double few = findNoise(3); // not twice the number of Byzantine workers
            const double larger = model->TrustsServer() ? plan.counts.workers / 3.0 : 1;
            EXPECT_NEAR(few / all, larger, 1e-9 * larger) << batch;
            plan.noise = PlanCafCorNoise(plan, 3);
            EXPECT_NEAR(PlanCafCorEpsilon(plan), 3, 3e-6); // what the solver leaves
        }
    }
}

FedAvgPlan
MakePlan(const Ptr<const ThreatModel>& model, std::vector<uint32_t> samples, double noise)
{
    FedAvgPlan plan;
    plan.model = model;
    plan.samples = std::move(samples);
    plan.clip = 0.5;
    plan.rounds = 40;
    plan.delta = 1e-5;
    plan.noise = noise;
    return plan;
}

/** @return the largest weight of a client in a round: the plan says e = (2 C w)^2 / (2 s^2) */
double
GetWeight(const FedAvgPlan& plan, size_t client)
{
    const double rate = GetReleaseTerms(plan, client).planned;
    return std::sqrt(2 * rate) * plan.noise / (2 * plan.clip);
}

/** @return delta of so many Gaussian releases at epsilon: Balle and Wang, 2018, theorem 8 */
double
GetDelta(double rounds, double sensitivity, double sigma, double epsilon)
{
    const double mu = std::sqrt(rounds) * sensitivity / sigma;
    const auto phi = [](double x) { return std::erfc(-x * M_SQRT1_2) / 2; };
    return phi(mu / 2 - epsilon / mu) - std::exp(epsilon) * phi(-mu / 2 - epsilon / mu);
}

// Over all sets of at least the planned number of clients that a client can be in.
TEST(FedAvgPrivacy, WeightIsTheLargestOfAllRounds)
{
    const std::vector<uint32_t> samples{7, 1, 30, 4, 4, 12};
    for (const uint32_t participants : {0, 1, 2, 3, 5, 6})
    {
        FedAvgPlan plan = MakePlan(CreateObject<CentralDp>(), samples, 1);
        plan.participants = participants;
        for (size_t client = 0; client < samples.size(); ++client)
        {
            double largest = 0;
            for (uint32_t set = 0; set < 64; ++set)
            {
                double total = 0;
                uint32_t size = 0;
                for (size_t k = 0; k < samples.size(); ++k)
                {
                    total += (set >> k & 1) * samples[k];
                    size += set >> k & 1;
                }
                if ((set >> client & 1) == 1 && size >= (participants == 0 ? 6 : participants))
                {
                    largest = std::max(largest, samples[client] / total);
                }
            }
            EXPECT_DOUBLE_EQ(GetWeight(plan, client), largest) << participants << " " << client;
        }
    }
}

TEST(FedAvgPrivacy, EpsilonIsThatOfComposedGaussians)
{
    for (const double noise : {1.0, 3.0, 8.0})
    {
        // An update moves by 2C = 1, and the mean by 9/20 of that, the weight of the third client.
        const auto local = MakePlan(CreateObject<LocalDp>(), {5, 6, 9}, noise);
        EXPECT_NEAR(GetDelta(40, 1, noise, PlanFedAvgEpsilon(local)) / 1e-5, 1, 1e-6);
        const auto central = MakePlan(CreateObject<CentralDp>(), {5, 6, 9}, noise);
        EXPECT_NEAR(GetDelta(40, 0.45, noise, PlanFedAvgEpsilon(central)) / 1e-5, 1, 1e-6);
    }
    const auto bare = MakePlan(CreateObject<LocalDp>(), {1, 1}, 0);
    EXPECT_TRUE(std::isinf(PlanFedAvgEpsilon(bare)));
}

TEST(FedAvgPrivacy, NoiseMeetsItsTargetForTheClientThatSpendsMost)
{
    for (const bool trusted : {false, true})
    {
        Ptr<const ThreatModel> model = CreateObject<LocalDp>();
        if (trusted)
        {
            model = CreateObject<CentralDp>();
        }
        FedAvgPlan plan = MakePlan(model, {3, 20, 5, 5}, 0);
        plan.participants = 2;
        plan.noise = PlanFedAvgNoise(plan, 6);
        const double sensitivity = trusted ? 20.0 / 23 : 1;
        EXPECT_NEAR(GetDelta(40, sensitivity, plan.noise, 6) / 1e-5, 1, 1e-6);
        EXPECT_NEAR(PlanFedAvgEpsilon(plan), 6, 1e-9);
    }
}

// 30 rounds of five groups in turn: each client takes part in 6 of them. The plan of 7 rounds has
// two rounds for the first two groups only.
TEST(FedAvgPrivacy, GroupsPayForTheirOwnRounds)
{
    FedAvgPlan plan = MakePlan(CreateObject<CentralDp>(), std::vector<uint32_t>(100, 1), 1);
    plan.rounds = 30;
    for (LearnerId first : {1, 21, 41, 61, 81})
    {
        plan.groups.emplace_back(20);
        std::iota(plan.groups.back().begin(), plan.groups.back().end(), first);
    }
    plan.noise = PlanFedAvgNoise(plan, 3);
    EXPECT_NEAR(GetDelta(6, 1.0 / 20, plan.noise, 3) / 1e-5, 1, 1e-6);
    plan.rounds = 7;
    EXPECT_NEAR(GetDelta(2, 1.0 / 20, plan.noise, PlanFedAvgEpsilon(plan)) / 1e-5, 1, 1e-6);
    // Unequal groups and samples: the first client has 2/3 of a mean and, twice, 2/6.
    plan = MakePlan(CreateObject<CentralDp>(), {2, 1, 3}, 2);
    plan.groups = {{1, 2}, {1, 2, 3}, {1, 2, 3}};
    plan.rounds = 3;
    const double move = std::sqrt(4.0 / 9 + 2.0 / 9);
    EXPECT_NEAR(GetDelta(1, move, 2, PlanFedAvgEpsilon(plan)) / 1e-5, 1, 1e-6);
    EXPECT_DOUBLE_EQ(GetWeight(plan, 0), 2.0 / 3);
    EXPECT_DOUBLE_EQ(GetWeight(plan, 2), 0.5);
    // If two updates are enough, the third client may be alone with the second one.
    plan.participants = 2;
    EXPECT_DOUBLE_EQ(GetWeight(plan, 2), 0.75);
    // A curious server counts the updates that are sent.
    plan = MakePlan(CreateObject<LocalDp>(), {1, 1, 1}, 2);
    plan.groups = {{1}, {1, 2}, {3}};
    EXPECT_NEAR(GetDelta(27, 1, 2, PlanFedAvgEpsilon(plan)) / 1e-5, 1, 1e-6); // 14 + 13 of 40
}

// z: standard deviation on the sum of the updates, of which one has norm C = 1/2; McMahan et al.,
// "Learning Differentially Private Recurrent Language Models", 2018. A client that is replaced
// moves the sum by 2C, so that T rounds are Gaussian with mu = 2 sqrt(T) / z.
TEST(FedAvgPrivacy, NoiseUnitIsThatOfTheLiterature)
{
    FedAvgPlan plan = MakePlan(CreateObject<CentralDp>(), std::vector<uint32_t>(50, 7), 0);
    plan.participants = 20;
    const double unit = FedAvgNoiseUnit(plan);
    EXPECT_DOUBLE_EQ(20 * unit / 0.5, 1);
    plan.noise = 9 * unit;
    EXPECT_NEAR(GetDelta(40, 2, 9, PlanFedAvgEpsilon(plan)) / 1e-5, 1, 1e-6);
    plan.model = CreateObject<LocalDp>();
    EXPECT_EQ(FedAvgNoiseUnit(plan), 0.5);
}

LdpOnlinePlan
MakePlan(uint32_t rounds)
{
    LdpOnlinePlan plan;
    plan.ledger = LdpOnlineRefinedLedger::GetTypeId();
    plan.rounds = rounds;
    plan.dimension = 4;
    return plan;
}

// By hand, C = 2, L = 0.25, w = 0.6, d = 4: Phi_1 = 2; Phi_2 = (1 - 0.6 * 2^-0.65 +
// 0.25 * 2^-0.77) * 2 + 2^-0.77 * 2 / 2, released with scales 5 * 2^0.1 and 5 * 3^0.1.
TEST(LdpOnlinePlan, ThreeRoundsByHand)
{
    const PlannedLearner learner{0.6, 5, 0.1};
    const double phi2 =
        (1 - 0.6 * std::pow(2, -0.65) + 0.25 * std::pow(2, -0.77)) * 2 + std::pow(2, -0.77);
    const double expected = 2 * 2 / (5 * std::pow(2, 0.1)) + 2 * phi2 / (5 * std::pow(3, 0.1));
    EXPECT_NEAR(PlanEpsilon(MakePlan(3), learner), expected, 1e-14);
    EXPECT_EQ(PlanEpsilon(MakePlan(1), learner), 0) << "round 0 tells nothing";
}

TEST(LdpOnlinePlan, WindowAndLossesOfContractionCostMore)
{
    LdpOnlinePlan plan = MakePlan(200);
    const double all = PlanEpsilon(plan, {0.6, 1, 0.1});
    EXPECT_GT(PlanEpsilon(plan, {0.3, 1, 0.1}), all);
    plan.historyWindow = 10;
    EXPECT_GT(PlanEpsilon(plan, {0.6, 1, 0.1}), all);
    plan.historyWindow = 200;
    EXPECT_EQ(PlanEpsilon(plan, {0.6, 1, 0.1}), all);
}

TEST(LdpOnlinePlan, SolvedNoiseMeetsTheTarget)
{
    for (const TypeId& ledger : {LdpOnlineTheorem5Ledger::GetTypeId(),
                                 LdpOnlineRefinedLedger::GetTypeId(),
                                 LdpOnlineConvexLedger::GetTypeId()})
    {
        LdpOnlinePlan plan = MakePlan(500);
        plan.ledger = ledger;
        PlannedLearner learner{0.6, 123, 0.13};
        learner.noiseScale = PlanNoiseScale(plan, learner, 1.5);
        EXPECT_NEAR(PlanEpsilon(plan, learner), 1.5, 1e-12);
    }
    EXPECT_EQ(PlanNoiseScale(MakePlan(1), {0.6, 1, 0}, 1), 0) << "nothing to hide";
}

} // namespace
} // namespace ns3::dlearn
