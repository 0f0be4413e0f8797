/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-compressor.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(Compressor, Object);

void
Compressor::Setup(uint32_t dimension, Encoding numbers, bool feedback)
{
    Require(dimension >= 1, "Compressor: dimension must be at least 1, got ", dimension);
    Require(IsDense(numbers),
            "Compressor: numbers must have a dense encoding, got ",
            +static_cast<uint8_t>(numbers));
    m_dimension = dimension;
    m_numbers = numbers;
    m_feedback = feedback;
    DoSetup();
}

PackedVector
Compressor::Compress(ConstVectorRef values)
{
    Require(m_dimension > 0, "Compressor: Setup() must come before Compress()");
    RequireSize("Compressor", "vector", values.size(), m_dimension);
    PackedVector packed = DoCompress(values);
    Require(!IsDense(packed.encoding) && packed.bytes.size() == GetPackedSize() &&
                IsPackedSize(packed.encoding, m_dimension, packed.bytes.size()),
            "{}: a vector must have a packed encoding that {} bytes can be, as GetPackedSize() "
            "says, got {} bytes of encoding {}",
            GetInstanceTypeId().GetName(),
            GetPackedSize(),
            packed.bytes.size(),
            +static_cast<uint8_t>(packed.encoding));
    return packed;
}

void
ErrorFeedback::Correct(VectorRef values) const
{
    if (m_residual.size() > 0)
    {
        RequireSize("ErrorFeedback", "vector", values.size(), m_residual.size());
        values += m_residual;
    }
}

void
ErrorFeedback::Keep(ConstVectorRef wanted, ConstVectorRef received)
{
    RequireSize("ErrorFeedback", "received vector", received.size(), wanted.size());
    m_residual = (wanted - received).unaryExpr([](double value) {
        return std::isfinite(value) ? value : 0.0;
    });
}

NS_OBJECT_ENSURE_REGISTERED(SparseCompressor);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(TopKCompressor, SparseCompressor);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(RandomKCompressor, SparseCompressor);

TypeId
SparseCompressor::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::SparseCompressor")
            .SetParent<Compressor>()
            .SetGroupName("Dlearn")
            .AddAttribute("K",
                          "Entries that are sent; at most the dimension.",
                          UintegerValue(1),
                          MakeFixedAccessor(MakeUintegerAccessor(&SparseCompressor::m_kept),
                                            &SparseCompressor::IsSetUp),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
SparseCompressor::DoSetup()
{
    Require(m_kept <= m_dimension,
            "{}: K must be at most the dimension {}, got {}",
            GetInstanceTypeId().GetName(),
            m_dimension,
            m_kept);
}

PackedVector
SparseCompressor::DoCompress(ConstVectorRef values)
{
    const std::vector<uint32_t> indices = Select(values);
    const double factor = GetFactor();
    ModelVector entries(m_kept);
    for (uint32_t k = 0; k < m_kept; ++k)
    {
        entries[k] = factor * values[indices[k]];
    }
    return {GetSparseEncoding(m_numbers), EncodeSparse(indices, entries, m_numbers)};
}

std::vector<uint32_t>
TopKCompressor::Select(ConstVectorRef values)
{
    // Comparisons with NaN would leave the order undefined.
    const ModelVector magnitudes = values.unaryExpr([](double value) {
        return std::isnan(value) ? std::numeric_limits<double>::infinity() : std::abs(value);
    });
    ModelVector sorted = magnitudes;
    double* const last = sorted.data() + m_kept - 1; // the smallest magnitude that is sent
    std::nth_element(sorted.data(), last, sorted.data() + sorted.size(), std::greater<>());
    const double smallest = *last;
    auto ties = m_kept - static_cast<uint32_t>((magnitudes.array() > smallest).count());
    std::vector<uint32_t> indices;
    indices.reserve(m_kept);
    for (uint32_t k = 0; k < m_dimension; ++k)
    {
        const bool tie = ties > 0 && magnitudes[k] == smallest;
        if (tie || magnitudes[k] > smallest)
        {
            indices.push_back(k);
            ties -= tie ? 1 : 0;
        }
    }
    return indices;
}

void
RandomKCompressor::DoSetup()
{
    SparseCompressor::DoSetup();
    m_order.resize(m_dimension);
    std::iota(m_order.begin(), m_order.end(), 0);
}

std::vector<uint32_t>
RandomKCompressor::Select(ConstVectorRef /* values */)
{
    ShuffleFirst(m_order, m_kept, *m_random);
    std::vector<uint32_t> indices(m_order.begin(), m_order.begin() + m_kept);
    std::sort(indices.begin(), indices.end());
    return indices;
}

namespace
{

/// The smallest float that is at least a number.
float
RoundUp(double number)
{
    const auto nearest = static_cast<float>(number);
    return nearest < number ? std::nextafter(nearest, std::numeric_limits<float>::infinity())
                            : nearest;
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(QsgdCompressor);

TypeId
QsgdCompressor::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<QsgdCompressor, Compressor>("ns3::dlearn::QsgdCompressor")
            .AddAttribute("Levels",
                          "S: an entry becomes one of -S/S, ..., 0, 1/S, ..., S/S times the norm.",
                          UintegerValue(7),
                          MakeFixedAccessor(MakeUintegerAccessor(&QsgdCompressor::m_levels),
                                            &QsgdCompressor::IsSetUp),
                          MakeUintegerChecker<uint32_t>(1, MAX_QSGD_LEVELS));
    return tid;
}

PackedVector
QsgdCompressor::DoCompress(ConstVectorRef values)
{
    std::vector<int32_t> multiples(m_dimension, 0);
    // Rounding in the sum could leave the norm below the only entry that is not 0.
    const float norm = RoundUp(std::max(values.stableNorm(), values.lpNorm<Eigen::Infinity>()));
    if (!std::isfinite(norm))
    {
        // No multiples of such a norm make sense, and no receiver accepts it.
        return {Encoding::QSGD, EncodeQsgd(norm, m_levels, multiples)};
    }
    for (uint32_t k = 0; k < m_dimension; ++k)
    {
        const double ratio = norm > 0 ? std::abs(values[k]) / norm * m_levels : 0;
        const double below = std::floor(ratio);
        const bool up = m_random->GetValue(0.0, 1.0) < ratio - below;
        const auto level = static_cast<int32_t>(below) + (up ? 1 : 0);
        multiples[k] = values[k] < 0 ? -level : level;
    }
    const double dimension = m_dimension;
    const double omega = std::min(dimension / m_levels / m_levels, std::sqrt(dimension) / m_levels);
    const float scale = m_feedback ? static_cast<float>(norm / (1 + omega)) : norm;
    return {Encoding::QSGD, EncodeQsgd(scale, m_levels, multiples)};
}

} // namespace ns3::dlearn
