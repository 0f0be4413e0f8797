/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "audit/dlearn-audited-loss.h"

#include "ns3/dlearn-types.h"

#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace
{

using namespace ns3::dlearn;

GaussianAuditSetting
MakeSetting(uint32_t workers, uint32_t byzantine, const NoiseScales& noise, double momentum = 0)
{
    GaussianAuditSetting setting;
    setting.workers = workers;
    for (uint32_t k = workers - byzantine; k < workers; ++k)
    {
        setting.byzantine.insert(k);
    }
    setting.noise = noise;
    setting.momentum = momentum;
    setting.sensitivity = 4.5;
    return setting;
}

/** One round in which the messages of the workers below `sent` left. */
double
RateOfOneRound(const GaussianAuditSetting& setting, uint32_t sent)
{
    MessageAudit audit(setting);
    for (uint32_t worker = 0; worker < setting.workers; ++worker)
    {
        audit.Draw(worker, 0);
        if (worker < sent)
        {
            audit.Send(worker, 0);
        }
    }
    return audit.GetRate(0);
}

TEST(GaussianAudit, KnowsTheClosedFormsOfOneRound)
{
    for (const NoiseScales& noise : {NoiseScales{0.7, 0.4}, NoiseScales{3, 0.2}, {0, 1}})
    {
        const double s2 = noise.correlated * noise.correlated;
        const double i2 = noise.independent * noise.independent;
        const double worth = 4.5 * 4.5 / 2;
        // Only the h honest workers publish: lemma A.4 with q = 0.
        const double lemma = worth / (9 * s2 + i2) * (1 + s2 / (2 * s2 + i2));
        EXPECT_NEAR(RateOfOneRound(MakeSetting(9, 2, noise), 7) / lemma, 1, 1e-9);
        // The others publish, too: on vectors that add up to 0 the noise is n s_cor^2 + s_ind^2,
        // and their sum has that of the honest alone.
        const double whole = worth * ((1 - 1 / 7.0) / (9 * s2 + i2) + 1 / (7 * i2));
        EXPECT_NEAR(RateOfOneRound(MakeSetting(9, 2, noise), 9) / whole, 1, 1e-9);
        // They reveal what they share: lemma A.4 with q = f, whichever workers publish.
        GaussianAuditSetting colluding = MakeSetting(9, 2, noise);
        colluding.colluding = colluding.byzantine;
        const double handed = worth / (7 * s2 + i2) * (1 + s2 / i2);
        EXPECT_NEAR(RateOfOneRound(colluding, 7) / handed, 1, 1e-9);
        EXPECT_NEAR(RateOfOneRound(colluding, 9) / handed, 1, 1e-9);
    }
    // Without noise of its own nothing protects the sum of all messages.
    EXPECT_EQ(RateOfOneRound(MakeSetting(9, 2, {1, 0}), 9), INFINITE);
    EXPECT_LT(RateOfOneRound(MakeSetting(9, 2, {1, 0}), 8), INFINITE);
    EXPECT_EQ(RateOfOneRound(MakeSetting(9, 2, {1, 1}), 0), 0);
}

/** The same view from every single noise variable, by conditioning on what holds no data. */
class ByVariables
{
  public:
    ByVariables(const GaussianAuditSetting& setting, uint32_t rounds)
        : m_setting(setting),
          m_rounds(rounds)
    {
    }

    /** Weights of worker's message of a round, or of the part shared with some workers. */
    Eigen::VectorXd Combine(uint32_t worker, uint32_t round, const std::set<uint32_t>* lost) const
    {
        const uint32_t n = m_setting.workers;
        Eigen::VectorXd row = Eigen::VectorXd::Zero(m_rounds * n * n);
        for (uint32_t t = 0; t <= round; ++t)
        {
            const double weight = std::pow(m_setting.momentum, round - t);
            for (uint32_t j = 0; j < n; ++j)
            {
                if (j == worker) // the diagonal is worker's own noise
                {
                    const bool own = !lost && m_setting.byzantine.count(worker) == 0;
                    row[(t * n + j) * n + j] = own ? weight * m_setting.noise.independent : 0;
                }
                else if (!lost || lost->count(j) > 0)
                {
                    const double sign = worker < j ? 1 : -1;
                    row[(t * n + std::min(worker, j)) * n + std::max(worker, j)] =
                        sign * weight * m_setting.noise.correlated;
                }
            }
        }
        return row;
    }

    double GetWorst(const std::vector<Eigen::VectorXd>& noise, const Eigen::MatrixXd& data) const
    {
        Eigen::MatrixXd rows(noise.size(), noise.front().size());
        for (size_t k = 0; k < noise.size(); ++k)
        {
            rows.row(k) = noise[k].transpose();
        }
        const Eigen::MatrixXd covariance = rows * rows.transpose();
        double worst = 0;
        for (int corner = 0; corner < (1 << data.cols()); ++corner)
        {
            Eigen::VectorXd gradients(data.cols());
            for (Eigen::Index t = 0; t < data.cols(); ++t)
            {
                gradients[t] = (corner >> t) & 1 ? 1 : -1;
            }
            const Eigen::VectorXd moved = data * gradients;
            const Eigen::VectorXd solved =
                covariance.completeOrthogonalDecomposition().solve(moved);
            worst = std::max(worst, moved.dot(solved) * std::pow(m_setting.sensitivity, 2) / 2);
        }
        return worst;
    }

  private:
    GaussianAuditSetting m_setting; //!< who and how much
    uint32_t m_rounds;              //!< T
};

TEST(GaussianAudit, AgreesWithEveryNoiseVariableOnItsOwn)
{
    std::mt19937 random(1);
    for (int run = 0; run < 40; ++run)
    {
        const auto setting = MakeSetting(5, random() % 3, {1.3, 0.6}, 0.1 * (random() % 9));
        constexpr uint32_t ROUNDS = 4;
        const ByVariables variables(setting, ROUNDS);
        MessageAudit audit(setting);
        std::vector<Eigen::VectorXd> noise;
        Eigen::MatrixXd data = Eigen::MatrixXd::Zero(5 * ROUNDS * 2, ROUNDS);
        std::set<uint32_t> drawn;
        for (uint32_t round = 0; round < ROUNDS; ++round)
        {
            const std::set<uint32_t> lost{static_cast<uint32_t>(random() % 4) + 1};
            for (uint32_t worker = 0; worker < 5; ++worker)
            {
                if (random() % 4 > 0)
                {
                    audit.Draw(worker, round);
                    if (worker == 0)
                    {
                        drawn.insert(round);
                    }
                }
                if (random() % 4 > 0)
                {
                    for (const uint32_t t : drawn)
                    {
                        const bool own = worker == 0;
                        data(noise.size(), t) = own ? std::pow(setting.momentum, round - t) : 0;
                    }
                    audit.Send(worker, round);
                    noise.push_back(variables.Combine(worker, round, nullptr));
                    if (lost.count(worker) == 0 && random() % 2 == 0)
                    {
                        audit.Correct(worker, round, lost);
                        noise.push_back(variables.Combine(worker, round, &lost));
                    }
                }
            }
        }
        const double expected = variables.GetWorst(noise, data.topRows(noise.size()));
        EXPECT_NEAR(audit.GetRate(0), expected, 1e-8 * (1 + expected)) << run;
    }
}

TEST(GaussianAudit, OfReleasesKnowsWhatOneLossCosts)
{
    GaussianAuditSetting setting = MakeSetting(20, 0, {0, 1}, 0.85);
    const auto run = [&](std::optional<uint32_t> missing) {
        ReleaseAudit audit(setting);
        for (uint32_t round = 0; round < 12; ++round)
        {
            std::map<uint32_t, uint32_t> messages;
            for (uint32_t worker = 0; worker < 20; ++worker)
            {
                audit.Draw(worker, round);
                messages[worker] = round;
            }
            if (missing && round == *missing)
            {
                messages.erase(0);
            }
            audit.Release(round, messages);
        }
        return audit.GetRate(0);
    };
    const double one = 4.5 * 4.5 / 2 / 400;
    EXPECT_NEAR(run(std::nullopt), 12 * one, 1e-9);
    // By hand, for the last round: with c = (1, ..., 1) / 20 before it, it whitens to minus all
    // the momentum of the rounds before, beta + beta^2 + ... + beta^11.
    const double history = 0.85 * (1 - std::pow(0.85, 11)) / 0.15;
    EXPECT_NEAR(run(11), (11 + history * history) * one, 1e-9);
    EXPECT_GT(run(6), run(11)); // it comes back, too
}

TEST(AuditedLoss, IsTheDistanceInTheNormOfTheLaw)
{
    ModelVector first(2);
    first << 1, -2;
    ModelVector second(2);
    second << 1.5, -3;
    AuditedLoss laplace;
    laplace.Add(NoiseLaw::LAPLACE, 2, first, second);
    laplace.Add(NoiseLaw::LAPLACE, 1, first, second);
    EXPECT_DOUBLE_EQ(laplace.GetTruth(1e-4).epsilon, 1.5 / 2 + 1.5);
    // |x - x'|^2 / (2 s^2) = 1.25 / 18; the exact epsilon by mpmath, see GaussianEpsilon's test.
    AuditedLoss gaussian;
    gaussian.Add(NoiseLaw::GAUSSIAN, 3, first, second);
    EXPECT_NEAR(gaussian.GetTruth(1e-4).epsilon, 1.214671118165988, 1e-12);
    EXPECT_NEAR(SolveGaussianEpsilon(3.5, 1e-5), 14.191229927515554, 1e-12);
    EXPECT_NEAR(SolveGaussianEpsilon(4000, 1e-5), 4380.4865758058711, 1e-8)
        << "beyond exp and erfc";
    EXPECT_EQ(SolveGaussianEpsilon(INFINITE, 1e-5), INFINITE);
    EXPECT_NEAR(SolveSampledEpsilon(0.7, 5, 1 - 1e-9, 1e-5) /
                    SolveGaussianEpsilon(5 * 0.7 * 0.7 / 2, 1e-5),
                1,
                1e-3);
    EXPECT_EQ(SolveGaussianEpsilon(0, 1e-5), 0);
    // Q(1) and Q(1.5) at scale 5: 0.2 and 0.3; Q(-2) and Q(-3): 0.4 and 0.6. By hand, half the sum
    // of |p q - p' q'| over the four outcomes that are possible.
    AuditedLoss ternary;
    ternary.Add(NoiseLaw::TERNARY, 5, first, second);
    const double variation = (std::abs(0.2 * 0.4 - 0.3 * 0.6) + std::abs(0.2 * 0.6 - 0.3 * 0.4) +
                              std::abs(0.8 * 0.4 - 0.7 * 0.6) + std::abs(0.8 * 0.6 - 0.7 * 0.4)) /
                             2;
    EXPECT_NEAR(ternary.GetTruth(1e-4).delta, variation, 1e-15);
    AuditedLoss none;
    none.Add(NoiseLaw::LAPLACE, 0, first, first);
    EXPECT_EQ(none.GetTruth(1e-4).epsilon, 0);
    none.Add(NoiseLaw::NONE, 1, first, second);
    EXPECT_EQ(none.GetTruth(1e-4).epsilon, INFINITE);
}

TEST(AuditedLoss, ComparesAsDocumented)
{
    EXPECT_EQ(GetAccountRatio({3, 0}, {2, 0}), 1.5);
    EXPECT_EQ(GetAccountRatio({3, 0.1}, {2, 0.2}), 0.5);
    EXPECT_EQ(GetAccountRatio({INFINITE, 0}, {INFINITE, 0}), 1);
    EXPECT_EQ(GetAccountRatio({5, 0}, {INFINITE, 0}), 0);
    EXPECT_EQ(GetAccountRatio({5, 0}, {0, 0}), INFINITE);
    EXPECT_TRUE(std::isnan(GetAccountRatio({NAN, 0}, {1, 0})));
    EXPECT_TRUE(std::isnan(GetAccountRatio({1, NAN}, {1, 0.5})));
}

// By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart the right noise fails with a
// probability of at most 1e-12. Halved Laplace noise is 1/8 away, and uniform noise of the same
// mean size 0.07; at 20,000 entries 0.027 is too much, and they pass with a chance below 1e-20.
TEST(NoiseFit, KnowsTheLawAndTheScale)
{
    std::mt19937 generator(3);
    std::exponential_distribution<double> exponential(1);
    std::uniform_real_distribution<double> uniform(-2, 2);
    std::normal_distribution<double> normal(0, 1);
    const Eigen::Index n = 20000;
    ModelVector laplace(n);
    ModelVector flat(n);
    ModelVector gaussian(n);
    for (Eigen::Index k = 0; k < n; ++k)
    {
        laplace[k] = (generator() % 2 == 0 ? 1 : -1) * exponential(generator);
        flat[k] = uniform(generator);
        gaussian[k] = normal(generator);
    }
    const ModelVector zero = ModelVector::Zero(n);
    const auto fits = [&](NoiseLaw law, double scale, const ModelVector& noise) {
        NoiseFit fit;
        fit.Add(law, scale, zero, noise);
        return fit.IsPlausible();
    };
    EXPECT_TRUE(NoiseFit().IsPlausible());
    EXPECT_TRUE(fits(NoiseLaw::LAPLACE, 3, 3 * laplace));
    EXPECT_TRUE(fits(NoiseLaw::GAUSSIAN, 3, 3 * gaussian));
    EXPECT_FALSE(fits(NoiseLaw::LAPLACE, 2, laplace));
    EXPECT_FALSE(fits(NoiseLaw::LAPLACE, 1, flat));
    EXPECT_FALSE(fits(NoiseLaw::GAUSSIAN, 1, laplace));
    EXPECT_FALSE(fits(NoiseLaw::LAPLACE, 1, gaussian));
    EXPECT_TRUE(fits(NoiseLaw::TERNARY, 1, flat)) << "not tested";
    NoiseFit large;
    large.Add(NoiseLaw::LAPLACE, 1, zero.array() + 1e17, zero.array() + 1e17);
    EXPECT_TRUE(large.IsPlausible()) << "no noise left to look at";
}

} // namespace
