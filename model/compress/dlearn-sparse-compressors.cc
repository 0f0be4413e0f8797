/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-sparse-compressors.h"

#include "dlearn-sparse-encoding.h"

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
            GetInstanceTypeId().GetName(),
            ": K must be at most the dimension ",
            m_dimension,
            ", got ",
            m_kept);
}

uint64_t
SparseCompressor::GetPackedSize() const
{
    return GetSparseSize(m_kept, m_numbers);
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

RandomKCompressor::RandomKCompressor()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

RandomKCompressor::~RandomKCompressor() = default;

void
RandomKCompressor::DoSetup()
{
    SparseCompressor::DoSetup();
    m_order.resize(m_dimension);
    std::iota(m_order.begin(), m_order.end(), 0);
}

int64_t
RandomKCompressor::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

std::vector<uint32_t>
RandomKCompressor::Select(ConstVectorRef /* values */)
{
    ShuffleFirst(m_order, m_kept, *m_random);
    std::vector<uint32_t> indices(m_order.begin(), m_order.begin() + m_kept);
    std::sort(indices.begin(), indices.end());
    return indices;
}

} // namespace ns3::dlearn
