/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-pre-aggregator.h"

#include "dlearn-mixing-rules.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <numeric>
#include <utility>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(PreAggregator, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(NnmPreAggregator, PreAggregator);
NS_OBJECT_ENSURE_REGISTERED(BucketingPreAggregator);
NS_OBJECT_ENSURE_REGISTERED(ClippingPreAggregator);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(ArcPreAggregator, PreAggregator);

namespace
{

/**
 * @param text "2-0-1"
 * @return the numbers
 * @throw std::invalid_argument when they are not those from 0 on, each once
 */
std::vector<uint32_t>
ParsePermutation(const std::string& text)
{
    const auto numbers = ParseWholeNumbers(text, '-');
    bool good = numbers.has_value();
    const std::vector<uint32_t> order = good ? *numbers : std::vector<uint32_t>();
    std::vector<bool> seen(order.size(), false);
    for (const uint32_t k : order)
    {
        good = good && k < order.size() && !seen[k];
        seen[good ? k : 0] = true;
    }
    Require(good,
            "Bucketing: Permutation must be the numbers from 0 on, each once, such as 2-0-1, got '",
            text,
            "'");
    return order;
}

} // namespace

int64_t
PreAggregator::AssignStreams(int64_t /* stream */)
{
    return 0;
}

TypeId
BucketingPreAggregator::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::BucketingPreAggregator")
            .SetParent<PreAggregator>()
            .SetGroupName("Dlearn")
            .AddConstructor<BucketingPreAggregator>()
            .AddAttribute("S",
                          "Vectors in a bucket.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&BucketingPreAggregator::m_size),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Permutation",
                          "Order in which vectors fill the buckets, such as 2-0-1; empty for a "
                          "new random order each time. With fewer usable vectors, larger "
                          "numbers are skipped.",
                          StringValue(""),
                          MakeStringAccessor(&BucketingPreAggregator::m_permutation),
                          MakeStringChecker());
    return tid;
}

BucketingPreAggregator::BucketingPreAggregator()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

BucketingPreAggregator::~BucketingPreAggregator() = default;

std::vector<uint32_t>
BucketingPreAggregator::GetOrder(uint32_t count)
{
    if (!m_permutation.empty())
    {
        return ParsePermutation(m_permutation);
    }
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    ShuffleFirst(order, std::max(count, 1U) - 1, *m_random);
    return order;
}

PreAggregationRule
BucketingPreAggregator::GetRule()
{
    return [this](const GramGeometry& points, uint32_t /* f */) {
        return GetBucketingMixing(points.GetCount(), m_size, GetOrder(points.GetCount()));
    };
}

int64_t
BucketingPreAggregator::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

TypeId
ClippingPreAggregator::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::ClippingPreAggregator")
                            .SetParent<PreAggregator>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<ClippingPreAggregator>()
                            .AddAttribute("C",
                                          "Norm to which longer vectors are scaled.",
                                          DoubleValue(2),
                                          MakeDoubleAccessor(&ClippingPreAggregator::m_threshold),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

PreAggregationRule
ClippingPreAggregator::GetRule()
{
    return [threshold = m_threshold](const GramGeometry& points, uint32_t /* f */) {
        return GetClippingMixing(points, threshold);
    };
}

} // namespace ns3::dlearn
