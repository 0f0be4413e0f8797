/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gaussian-audit.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dlearn
{

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

MessageAudit::MessageAudit(GaussianAuditSetting setting)
    : m_setting(std::move(setting))
{
}

void
MessageAudit::Send(uint32_t worker, uint32_t round)
{
    m_seen.push_back({worker, round});
}

void
MessageAudit::Correct(uint32_t worker, uint32_t round, const std::set<uint32_t>& lost)
{
    m_seen.push_back({worker, round, lost});
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

ReleaseAudit::ReleaseAudit(GaussianAuditSetting setting)
    : m_setting(std::move(setting))
{
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
