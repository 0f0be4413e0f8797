/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-sparse-projection.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::dlearn
{

SparseProjection::SparseProjection(uint32_t entries, uint32_t rows, UniformRandomVariable& random)
    : m_entries(entries)
{
    Require(rows >= 1 && rows <= entries,
            "SparseProjection: rows must be from 1 to the {} entries, got {}",
            entries,
            rows);
    uint32_t size = 1;
    while (size < entries)
    {
        size *= 2;
    }
    m_signs = ModelVector::NullaryExpr(size, [&] { return random.GetValue(0, 1) < 0.5 ? -1 : 1; });
    m_rows.resize(size);
    std::iota(m_rows.begin(), m_rows.end(), 0);
    ShuffleFirst(m_rows, rows, random);
    m_rows.resize(rows);
    m_scale = std::sqrt(1.0 * size / rows);
}

void
SparseProjection::Transform(ModelVector& vector)
{
    for (Eigen::Index half = 1; half < vector.size(); half *= 2)
    {
        for (Eigen::Index begin = 0; begin < vector.size(); begin += 2 * half)
        {
            auto left = vector.segment(begin, half).array();
            auto right = vector.segment(begin + half, half).array();
            left += right;
            right = left - 2 * right;
        }
    }
    vector /= std::sqrt(vector.size());
}

ModelVector
SparseProjection::Apply(ConstVectorRef sparse) const
{
    ModelVector whole = ModelVector::Zero(m_signs.size());
    whole.head(m_entries) = m_signs.head(m_entries).cwiseProduct(sparse);
    Transform(whole);
    return m_scale *
           ModelVector::NullaryExpr(m_rows.size(), [&](auto k) { return whole[m_rows[k]]; });
}

ModelVector
SparseProjection::Recover(ConstVectorRef received) const
{
    const double rows = m_rows.size();
    const double tau = GetThreshold(rows / m_entries).first;
    ModelVector sparse = ModelVector::Zero(m_entries);
    ModelVector rest = received;
    double change = 1;
    for (uint32_t k = 0; k < 100 && change > 1e-9; ++k)
    {
        ModelVector back = ModelVector::Zero(m_signs.size());
        for (size_t row = 0; row < m_rows.size(); ++row)
        {
            back[m_rows[row]] = m_scale * rest[row];
        }
        Transform(back);
        const double least = tau * rest.norm() / std::sqrt(rows);
        const ModelVector next =
            (sparse + m_signs.cwiseProduct(back).head(m_entries)).unaryExpr([least](double entry) {
                return std::copysign(std::max(std::abs(entry) - least, 0.0), entry);
            });
        change = (next - sparse).norm() / std::max(next.norm(), 1e-300);
        sparse = next;
        const double kept = (sparse.array() != 0).count();
        rest = received - Apply(sparse) + kept / rows * rest;
    }
    return sparse;
}

std::pair<double, double>
SparseProjection::GetThreshold(double delta)
{
    std::pair<double, double> best{0, 0};
    for (double tau = 0.01; tau < 6; tau += 0.01)
    {
        const double tail = std::erfc(tau / std::sqrt(2)) / 2;
        const double density = std::exp(-tau * tau / 2) / std::sqrt(2 * M_PI);
        const double m = (1 + tau * tau) * tail - tau * density;
        const double rho = (1 - 2 * m / delta) / (1 + tau * tau - 2 * m);
        best = rho > best.second ? std::make_pair(tau, rho) : best;
    }
    return best;
}

} // namespace ns3::dlearn
