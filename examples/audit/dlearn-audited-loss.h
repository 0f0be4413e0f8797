/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_AUDITED_LOSS_H
#define DLEARN_AUDITED_LOSS_H

/**
 * @file
 * The true privacy loss of a run, computed from its events and from nothing that the accounts
 * compute: of peers from pairs of vectors (AuditedLoss), of CafCor from matrices.
 *
 * All that an adversary of CafCor sees is a linear function of gradients and of Gaussian noise. The
 * loss therefore follows from matrices, with one row for each vector seen and one column for each
 * piece of noise, as the divergence of two normal distributions whose means differ.
 */

#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-threat-model.h"

#include <Eigen/Dense>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/** A privacy loss, spent or true. @ingroup dlearn */
struct Spent
{
    double epsilon{0}; //!< at the account's delta
    double delta{0};   //!< of ternary rounding, at most 1
};

/** @return the loss that an account of a peer shows */
Spent GetSpent(const PrivacyAccount& account);

/**
 * @ingroup dlearn
 * The true loss of two runs on neighbouring data that released the same vectors, added up over the
 * releases: of Laplace noise the distance in the 1-norm over the scale, exactly how much more
 * likely one run is than the other at worst; of Gaussian noise the squared distance over
 * 2 sigma^2 (see SolveGaussianEpsilon()); of ternary rounding the total variation distance of the
 * two laws.
 */
class AuditedLoss
{
  public:
    /**
     * @param law of the noise
     * @param scale of the noise
     * @param first vector of the one run before its noise
     * @param second vector of the other
     */
    void Add(NoiseLaw law, double scale, const ModelVector& first, const ModelVector& second);

    /** @return the truth for an account of this delta, in (0, 1) */
    Spent GetTruth(double delta) const;

  private:
    double m_epsilon{0};   //!< of Laplace noise
    double m_rate{0};      //!< of Gaussian noise
    double m_variation{0}; //!< of ternary rounding
};

/**
 * @ingroup dlearn
 * The epsilon of Gaussian releases, by the definition and without the accounts' code: the smallest
 * with Phi(mu/2 - epsilon/mu) - exp(epsilon) Phi(-mu/2 - epsilon/mu) <= delta, mu^2 = 2 rate.
 *
 * @param rate sum of distance^2 / (2 sigma^2) over the releases; may be infinite
 * @param delta in (0, 1), not tiny
 * @return epsilon
 */
double SolveGaussianEpsilon(double rate, double delta);

/**
 * @ingroup dlearn
 * The epsilon of models that hold an update with a probability, and else not, by the definition:
 * the larger one of both directions, each from the distribution of the sum of all losses on a grid
 * of 800 parts. It is right to a part of 1e-3.
 *
 * @param mu norm of the update over the noise, of each model
 * @param models number of models, at least 1
 * @param sampling probability, in (0, 1)
 * @param delta in (0, 1), not tiny
 * @return epsilon
 */
double SolveSampledEpsilon(double mu, uint32_t models, double sampling, double delta);

/** @return the smaller of two ratios; NaN when one is */
double Least(double one, double other);

/**
 * @ingroup dlearn
 * @return account / truth, the smaller one of epsilon and delta: at least 1 when the account holds;
 *         infinity where there is no loss, 1 where both are infinite, NaN when the account is
 */
double GetAccountRatio(const Spent& account, const Spent& truth);

/**
 * @ingroup dlearn
 * Whether the noise that was seen is of the law and scale that its mechanism claims, by the test
 * of Kolmogorov and Smirnov on all entries of a whole audit. By the inequality of Dvoretzky,
 * Kiefer, Wolfowitz and Massart the right noise fails with a probability of at most 2 exp(-2 n D^2)
 * < 1e-12, D the largest distance of the two distribution functions.
 */
class NoiseFit
{
  public:
    /**
     * Entries that are so large that rounding changes their noise are left out.
     *
     * @param law that the mechanism claims; only LAPLACE and GAUSSIAN are tested
     * @param scale of the noise; nothing is done for 0
     * @param before a vector without noise
     * @param after the same with noise
     */
    void Add(NoiseLaw law, double scale, ConstVectorRef before, ConstVectorRef after);

    /** @return whether all noise may be of its law */
    bool IsPlausible() const;

  private:
    std::map<NoiseLaw, std::vector<double>> m_entries; //!< of scale 1
};

/**
 * @ingroup dlearn
 * Two data sets of a learner move the mean of all vectors seen by data * x, where every entry of x
 * (one for each round) is at most the sensitivity in absolute value; these vectors are normal with
 * the covariance given. The result is that of gradients of one dimension, so a lower bound for
 * vectors: an account below it is wrong.
 *
 * @param data v x T: row k holds the weights of each round's gradient in vector k
 * @param covariance v x v: of the noise; may be singular
 * @param sensitivity largest absolute value of an entry of x
 * @return the largest (data x)^T covariance^-1 (data x) / 2 that was found: exact for at most 16
 *         rounds that are seen, a local maximum over signs for more; infinite when some difference
 *         shows without noise
 */
double GetWorstGaussianRate(const Eigen::MatrixXd& data,
                            const Eigen::MatrixXd& covariance,
                            double sensitivity);

/** The setting of MessageAudit and ReleaseAudit. @ingroup dlearn */
struct GaussianAuditSetting
{
    uint32_t workers{1};          //!< n, numbered from 0
    std::set<uint32_t> byzantine; //!< whose messages have no independent noise for the adversary
    std::set<uint32_t> colluding; //!< Byzantine workers that reveal their shared noise
    NoiseScales noise;            //!< s_cor and s_ind; for ReleaseAudit, s_ind is the server's
    double momentum{0};           //!< beta
    double sensitivity{1};        //!< D, largest distance of two gradients of a round
};

/**
 * @ingroup dlearn
 * The view of a curious server: every message and every correction that left its node, of honest
 * and of Byzantine workers. The adversary is taken to know a Byzantine worker's message but for its
 * shared noise.
 */
class MessageAudit
{
  public:
    explicit MessageAudit(GaussianAuditSetting setting)
        : m_setting(std::move(setting))
    {
    }

    /** Data of a round entered a worker's momentum. */
    void Draw(uint32_t worker, uint32_t round) { m_drawn.emplace(worker, round); }

    /** A worker's message left: its momentum after the round, with the noise of all rounds so far.
     */
    void Send(uint32_t worker, uint32_t round) { m_seen.push_back({worker, round}); }

    /** A correction left: the noise in the worker's message of the round that it shares with the
     * workers that were lost. */
    void Correct(uint32_t worker, uint32_t round, const std::set<uint32_t>& lost)
    {
        m_seen.push_back({worker, round, lost});
    }

    /** @return the sum of the rounds' rates of an honest worker, see GetWorstGaussianRate() */
    double GetRate(uint32_t worker) const;

  private:
    /** One vector that was seen. */
    struct Seen
    {
        uint32_t worker{0};
        uint32_t round{0};
        std::optional<std::set<uint32_t>> lost{}; //!< of a correction
    };

    Eigen::MatrixXd GetCovariance() const;
    double GetCovariance(const Seen& one, const Seen& other, uint32_t round) const;
    double GetSharedCovariance(const Seen& one, const Seen& other) const;
    /** @return whether the adversary does not know the noise that two workers share */
    bool IsUnknown(uint32_t one, uint32_t other) const;

    GaussianAuditSetting m_setting;
    std::set<std::pair<uint32_t, uint32_t>> m_drawn; //!< worker, round
    std::vector<Seen> m_seen;
};

/**
 * @ingroup dlearn
 * The view of an adversary that sees the models of a trusted server (CDP): the mean of some
 * workers' messages, plus noise that went through the same momentum as the gradients.
 */
class ReleaseAudit
{
  public:
    explicit ReleaseAudit(GaussianAuditSetting setting)
        : m_setting(std::move(setting))
    {
    }

    /** As MessageAudit::Draw(). */
    void Draw(uint32_t worker, uint32_t round) { m_drawn.emplace(worker, round); }

    /**
     * The server released a mean.
     *
     * @param step number of the server's noise, increasing; steps may be left out
     * @param messages workers whose messages are in it, and of which round these are
     */
    void Release(uint32_t step, const std::map<uint32_t, uint32_t>& messages)
    {
        m_means[step] = messages;
    }

    /** As MessageAudit::GetRate(). */
    double GetRate(uint32_t worker) const;

  private:
    GaussianAuditSetting m_setting;
    std::set<std::pair<uint32_t, uint32_t>> m_drawn;          //!< worker, round
    std::map<uint32_t, std::map<uint32_t, uint32_t>> m_means; //!< step -> worker -> round
};

} // namespace ns3::dlearn

#endif // DLEARN_AUDITED_LOSS_H
