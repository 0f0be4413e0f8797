/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-qsgd-compressor.h"

#include "dlearn-qsgd-encoding.h"

#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dlearn
{

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
        TypeId("ns3::dlearn::QsgdCompressor")
            .SetParent<Compressor>()
            .SetGroupName("Dlearn")
            .AddConstructor<QsgdCompressor>()
            .AddAttribute("Levels",
                          "S: an entry becomes one of -S/S, ..., 0, 1/S, ..., S/S times the norm.",
                          UintegerValue(7),
                          MakeFixedAccessor(MakeUintegerAccessor(&QsgdCompressor::m_levels),
                                            &QsgdCompressor::IsSetUp),
                          MakeUintegerChecker<uint32_t>(1, MAX_QSGD_LEVELS));
    return tid;
}

QsgdCompressor::QsgdCompressor()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

QsgdCompressor::~QsgdCompressor() = default;

uint64_t
QsgdCompressor::GetPackedSize() const
{
    return GetQsgdSize(m_levels, m_dimension);
}

int64_t
QsgdCompressor::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
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
