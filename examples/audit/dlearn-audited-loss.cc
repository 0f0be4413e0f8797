/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-audited-loss.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ns3::dlearn
{

namespace
{

/** Losses below this may be rounding alone. */
constexpr double NOTHING = 1e-11;

/** Probabilities of -1, 0 and 1. */
using Levels = std::array<double, 3>;

/** @return what ternary rounding makes of an entry */
Levels
GetLevels(double entry, double scale)
{
    const double share = std::min(1.0, std::abs(entry) / scale);
    return {entry < 0 ? share : 0, 1 - share, entry > 0 ? share : 0};
}

/**
 * Total variation distance of two vectors of independent ternary entries: half the sum of the
 * differences of all 3^d probabilities, and of long vectors, where these cannot be added up, the
 * largest of one entry, which is less.
 */
double
GetTernaryVariation(const ModelVector& first, const ModelVector& second, double scale)
{
    constexpr Eigen::Index LONGEST = 8;
    std::vector<std::pair<double, double>> joint{{1, 1}};
    double largest = 0;
    for (Eigen::Index k = 0; k < first.size(); ++k)
    {
        const Levels one = GetLevels(first[k], scale);
        const Levels other = GetLevels(second[k], scale);
        std::vector<std::pair<double, double>> next;
        double variation = 0;
        for (size_t level = 0; level < one.size(); ++level)
        {
            variation += std::abs(one[level] - other[level]) / 2;
            for (const auto& [p, q] : joint)
            {
                next.emplace_back(p * one[level], q * other[level]);
            }
        }
        largest = std::max(largest, variation);
        if (first.size() <= LONGEST)
        {
            joint = std::move(next);
        }
    }
    double distance = 0;
    for (const auto& [p, q] : joint)
    {
        distance += std::abs(p - q) / 2;
    }
    return std::max(distance, largest);
}

/** @return ln Phi(-x); from 25 on by the asymptotic series, as Phi has no digits then */
double
GetLogTail(double x)
{
    if (x < 25)
    {
        return std::log(std::erfc(x * M_SQRT1_2) / 2);
    }
    const double inverse = 1 / (x * x);
    const double series =
        -inverse * (1 - 3 * inverse * (1 - 5 * inverse * (1 - 7 * inverse * (1 - 9 * inverse))));
    return -x * x / 2 - std::log(x * std::sqrt(2 * M_PI)) + std::log1p(series);
}

} // namespace

double
SolveGaussianEpsilon(double rate, double delta)
{
    if (rate == 0 || std::isinf(rate))
    {
        return rate;
    }
    const double mu = std::sqrt(2 * rate);
    double low = 0;
    double high = rate + 2 * std::sqrt(-rate * std::log(delta));
    for (int halving = 0; halving < 200; ++halving)
    {
        const double middle = (low + high) / 2;
        const double spent = std::exp(GetLogTail(middle / mu - mu / 2)) -
                             std::exp(middle + GetLogTail(middle / mu + mu / 2));
        (spent > delta ? low : high) = middle;
    }
    return high;
}

double
SolveSampledEpsilon(double mu, uint32_t models, double sampling, double delta)
{
    constexpr double FINE = 1e-3;  // of what is released, in units of the noise
    constexpr double FARTHEST = 9; // with a probability of 2e-19
    constexpr double PARTS = 800;  // of the range of losses
    const auto getLoss = [&](double x) {
        return std::log(1 - sampling + sampling * std::exp(mu * x - mu * mu / 2));
    };
    const double lowest = getLoss(-FARTHEST);
    const double step = (getLoss(FARTHEST + mu) - lowest) / PARTS;
    double largest = 0;
    for (const bool with : {true, false})
    {
        // Of the losses lowest + k step or, without the update, of their negatives.
        Eigen::VectorXd loss = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(PARTS) + 2);
        for (double x = -FARTHEST; x < FARTHEST + mu; x += FINE)
        {
            const double density = std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
            const double place = (getLoss(x) - lowest) / step;
            const auto k = static_cast<Eigen::Index>(place);
            const double mass = FINE * density * (with ? std::exp(getLoss(x)) : 1);
            loss[k] += mass * (k + 1 - place); // the mean loss stays
            loss[k + 1] += mass * (place - k);
        }
        Eigen::VectorXd sum = loss;
        for (uint32_t model = 1; model < models; ++model)
        {
            Eigen::VectorXd next = Eigen::VectorXd::Zero(sum.size() + loss.size() - 1);
            for (Eigen::Index k = 0; k < loss.size(); ++k)
            {
                next.segment(k, sum.size()) += loss[k] * sum;
            }
            sum = next;
        }
        const Eigen::ArrayXd losses =
            (with ? 1 : -1) *
            (models * lowest + step * Eigen::ArrayXd::LinSpaced(sum.size(), 0, sum.size() - 1));
        double low = 0;
        double high = std::max(losses.maxCoeff(), 0.0);
        for (int halving = 0; halving < 60; ++halving)
        {
            const double middle = (low + high) / 2;
            const double spent = (sum.array() * (1 - (middle - losses).exp()).max(0)).sum();
            (spent > delta ? low : high) = middle;
        }
        largest = std::max(largest, low);
    }
    return largest;
}

Spent
GetSpent(const PrivacyAccount& account)
{
    const auto releases = dynamic_cast<const ReleaseAccount*>(&account);
    return {account.GetEpsilon(), releases ? releases->GetTernaryDelta() : 0};
}

double
Least(double one, double other)
{
    return std::isnan(one) || one < other ? one : other; // also when other is NaN
}

void
AuditedLoss::Add(NoiseLaw law, double scale, const ModelVector& first, const ModelVector& second)
{
    const ModelVector distance = first - second;
    if (distance.isZero(0))
    {
        return;
    }
    if (law == NoiseLaw::NONE || scale == 0)
    {
        m_epsilon = INFINITE;
    }
    else if (law == NoiseLaw::LAPLACE)
    {
        m_epsilon += distance.lpNorm<1>() / scale;
    }
    else if (law == NoiseLaw::GAUSSIAN)
    {
        m_rate += distance.squaredNorm() / (2 * scale * scale);
    }
    else
    {
        m_variation += GetTernaryVariation(first, second, scale);
    }
}

Spent
AuditedLoss::GetTruth(double delta) const
{
    Spent truth;
    truth.delta = std::min(1.0, m_variation);
    truth.epsilon = m_epsilon;
    if (m_rate > 0)
    {
        truth.epsilon += SolveGaussianEpsilon(m_rate, delta);
    }
    return truth;
}

double
GetAccountRatio(const Spent& account, const Spent& truth)
{
    const auto divide = [](double said, double real) {
        if (std::isnan(said))
        {
            return said;
        }
        if (real <= NOTHING)
        {
            return INFINITE; // nothing to compare with
        }
        return std::isinf(real) ? (std::isinf(said) ? 1 : 0) : said / real;
    };
    return Least(divide(account.epsilon, truth.epsilon), divide(account.delta, truth.delta));
}

namespace
{

/** @return probability that noise of scale 1 is at most x */
double
GetProbability(NoiseLaw law, double x)
{
    if (law == NoiseLaw::GAUSSIAN)
    {
        return std::erfc(-x / std::sqrt(2.0)) / 2;
    }
    return x < 0 ? std::exp(x) / 2 : 1 - std::exp(-x) / 2;
}

} // namespace

void
NoiseFit::Add(NoiseLaw law, double scale, ConstVectorRef before, ConstVectorRef after)
{
    constexpr double LARGEST = 1e9; // leaves six digits of the noise
    if (scale == 0 || (law != NoiseLaw::LAPLACE && law != NoiseLaw::GAUSSIAN))
    {
        return;
    }
    for (Eigen::Index k = 0; k < before.size(); ++k)
    {
        if (std::abs(before[k]) < LARGEST * scale)
        {
            m_entries[law].push_back((after[k] - before[k]) / scale);
        }
    }
}

bool
NoiseFit::IsPlausible() const
{
    constexpr double FAILURE = 1e-12; // probability that the right noise fails
    for (const auto& [law, entries] : m_entries)
    {
        std::vector<double> sorted = entries;
        std::sort(sorted.begin(), sorted.end());
        const auto n = static_cast<double>(sorted.size());
        double distance = 0;
        for (size_t k = 0; k < sorted.size(); ++k)
        {
            const double probability = GetProbability(law, sorted[k]);
            distance = std::max({distance,
                                 std::abs(probability - static_cast<double>(k) / n),
                                 std::abs(probability - static_cast<double>(k + 1) / n)});
        }
        if (distance > std::sqrt(std::log(2 / FAILURE) / (2 * n)))
        {
            return false;
        }
    }
    return true;
}

namespace
{

constexpr Eigen::Index EXHAUSTIVE = 16; //!< rounds up to which all signs are tried

/** @return the largest x^T M x over all signs x, by a Gray code: one sign changes at a time */
double
TryAllSigns(const Eigen::MatrixXd& form)
{
    const Eigen::Index size = form.rows();
    Eigen::VectorXd signs = Eigen::VectorXd::Ones(size);
    Eigen::VectorXd product = form * signs;
    double value = signs.dot(product);
    double best = value;
    for (uint64_t step = 1; step < (uint64_t{1} << (size - 1)); ++step)
    {
        Eigen::Index change = 0;
        while (((step >> change) & 1) == 0)
        {
            ++change;
        }
        value += 4 * (form(change, change) - signs[change] * product[change]);
        product -= 2 * signs[change] * form.col(change);
        signs[change] = -signs[change];
        best = std::max(best, value);
    }
    return best;
}

/** @return a local maximum of x^T M x over signs, from some signs on */
double
Climb(const Eigen::MatrixXd& form, Eigen::VectorXd signs)
{
    Eigen::VectorXd product = form * signs;
    for (bool better = true; better;)
    {
        better = false;
        for (Eigen::Index k = 0; k < signs.size(); ++k)
        {
            if (form(k, k) - signs[k] * product[k] > 1e-12 * form(k, k))
            {
                product -= 2 * signs[k] * form.col(k);
                signs[k] = -signs[k];
                better = true;
            }
        }
    }
    return signs.dot(form * signs);
}

/** @return the largest x^T M x over signs that is found from each of the form's eigenvectors */
double
FindWorst(const Eigen::MatrixXd& form)
{
    if (form.rows() <= EXHAUSTIVE)
    {
        return TryAllSigns(form);
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(form);
    double best = Climb(form, Eigen::VectorXd::Ones(form.rows()));
    for (Eigen::Index k = 0; k < form.rows(); ++k)
    {
        const Eigen::VectorXd axis = solver.eigenvectors().col(k);
        best = std::max(best, Climb(form, axis.unaryExpr([](double entry) {
                            return entry < 0 ? -1.0 : 1.0;
                        })));
    }
    return best;
}

/** @return the matrix without the columns that are 0 */
Eigen::MatrixXd
DropEmptyColumns(const Eigen::MatrixXd& matrix)
{
    std::vector<Eigen::Index> columns;
    for (Eigen::Index k = 0; k < matrix.cols(); ++k)
    {
        if (matrix.col(k).squaredNorm() > 0)
        {
            columns.push_back(k);
        }
    }
    Eigen::MatrixXd kept(matrix.rows(), columns.size());
    for (size_t k = 0; k < columns.size(); ++k)
    {
        kept.col(k) = matrix.col(columns[k]);
    }
    return kept;
}

} // namespace

double
GetWorstGaussianRate(const Eigen::MatrixXd& data,
                     const Eigen::MatrixXd& covariance,
                     double sensitivity)
{
    RequireSize("GetWorstGaussianRate", "covariance", covariance.rows(), data.rows());
    const Eigen::MatrixXd shown = DropEmptyColumns(data);
    if (shown.size() == 0)
    {
        return 0;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
    // Rounding of the eigenvalues is some 1e-15 of the largest.
    const double zero = 1e-11 * solver.eigenvalues().cwiseAbs().maxCoeff();
    Eigen::MatrixXd turned = solver.eigenvectors().transpose() * shown;
    for (Eigen::Index k = 0; k < turned.rows(); ++k)
    {
        const double variance = solver.eigenvalues()[k];
        if (variance > zero)
        {
            turned.row(k) /= std::sqrt(variance);
        }
        else if (turned.row(k).norm() > 1e-6 * shown.norm())
        {
            return std::numeric_limits<double>::infinity();
        }
        else
        {
            turned.row(k).setZero();
        }
    }
    return sensitivity * sensitivity / 2 * FindWorst(turned.transpose() * turned);
}

bool
MessageAudit::IsUnknown(uint32_t one, uint32_t other) const
{
    return one != other && m_setting.colluding.count(one) + m_setting.colluding.count(other) == 0;
}

double
MessageAudit::GetSharedCovariance(const Seen& one, const Seen& other) const
{
    // A vector holds sum_j v_ij over the others, or over the lost ones; v_ij = -v_ji.
    const auto holds = [](const Seen& seen, uint32_t partner) {
        return partner != seen.worker && (!seen.lost || seen.lost->count(partner) > 0);
    };
    if (one.worker != other.worker)
    {
        const bool both = holds(one, other.worker) && holds(other, one.worker);
        return both && IsUnknown(one.worker, other.worker) ? -1 : 0;
    }
    double pairs = 0;
    for (uint32_t partner = 0; partner < m_setting.workers; ++partner)
    {
        const bool both = holds(one, partner) && holds(other, partner);
        pairs += both && IsUnknown(one.worker, partner) ? 1 : 0;
    }
    return pairs;
}

double
MessageAudit::GetCovariance(const Seen& one, const Seen& other, uint32_t round) const
{
    const double beta = m_setting.momentum;
    const double weight = std::pow(beta, one.round - round) * std::pow(beta, other.round - round);
    const NoiseScales& noise = m_setting.noise;
    const bool own = one.worker == other.worker && !one.lost && !other.lost &&
                     m_setting.byzantine.count(one.worker) == 0;
    return weight * (noise.correlated * noise.correlated * GetSharedCovariance(one, other) +
                     (own ? noise.independent * noise.independent : 0));
}

Eigen::MatrixXd
MessageAudit::GetCovariance() const
{
    const auto size = static_cast<Eigen::Index>(m_seen.size());
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(size, size);
    for (Eigen::Index a = 0; a < size; ++a)
    {
        for (Eigen::Index b = 0; b <= a; ++b)
        {
            for (uint32_t round = 0; round <= std::min(m_seen[a].round, m_seen[b].round); ++round)
            {
                covariance(a, b) += GetCovariance(m_seen[a], m_seen[b], round);
            }
            covariance(b, a) = covariance(a, b);
        }
    }
    return covariance;
}

double
MessageAudit::GetRate(uint32_t worker) const
{
    uint32_t rounds = 0;
    for (const Seen& seen : m_seen)
    {
        rounds = std::max(rounds, seen.round + 1);
    }
    Eigen::MatrixXd data = Eigen::MatrixXd::Zero(m_seen.size(), rounds);
    for (size_t k = 0; k < m_seen.size(); ++k)
    {
        for (uint32_t round = 0; round <= m_seen[k].round; ++round)
        {
            if (m_seen[k].worker == worker && !m_seen[k].lost && m_drawn.count({worker, round}) > 0)
            {
                data(k, round) = std::pow(m_setting.momentum, m_seen[k].round - round);
            }
        }
    }
    return GetWorstGaussianRate(data, GetCovariance(), m_setting.sensitivity);
}

double
ReleaseAudit::GetRate(uint32_t worker) const
{
    uint32_t rounds = 1;
    for (const auto& [drawer, round] : m_drawn)
    {
        rounds = std::max(rounds, round + 1);
    }
    const uint32_t steps = m_means.empty() ? 0 : m_means.rbegin()->first + 1;
    const double beta = m_setting.momentum;
    Eigen::MatrixXd data = Eigen::MatrixXd::Zero(m_means.size(), rounds);
    Eigen::MatrixXd noise = Eigen::MatrixXd::Zero(m_means.size(), steps);
    Eigen::Index row = 0;
    for (const auto& [step, messages] : m_means)
    {
        for (uint32_t k = 0; k <= step; ++k)
        {
            noise(row, k) = m_setting.noise.independent * std::pow(beta, step - k);
        }
        const auto own = messages.find(worker);
        for (uint32_t round = 0; own != messages.end() && round <= own->second; ++round)
        {
            const double share = std::pow(beta, own->second - round) / messages.size();
            data(row, round) = m_drawn.count({worker, round}) > 0 ? share : 0;
        }
        ++row;
    }
    return GetWorstGaussianRate(data, noise * noise.transpose(), m_setting.sensitivity);
}

} // namespace ns3::dlearn
