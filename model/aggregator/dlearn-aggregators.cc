/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-aggregators.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(MedianAggregator, Aggregator);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(TrimmedMeanAggregator, Aggregator);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(MeamedAggregator, Aggregator);

DLEARN_TYPE_WITHOUT_ATTRIBUTES(AverageAggregator, Aggregator);
NS_OBJECT_ENSURE_REGISTERED(KrumAggregator);
NS_OBJECT_ENSURE_REGISTERED(MultiKrumAggregator);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(BulyanAggregator, Aggregator);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(FlameAggregator, Aggregator);
NS_OBJECT_ENSURE_REGISTERED(GeometricMedianAggregator);
NS_OBJECT_ENSURE_REGISTERED(SmoothedWeiszfeldAggregator);
NS_OBJECT_ENSURE_REGISTERED(CenteredClippingAggregator);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(MdaAggregator, Aggregator);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(SmeaAggregator, Aggregator);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(CafAggregator, Aggregator);

namespace
{

/** @return the warning of Aggregator::FindWeakness() for a rule that needs factor f + 3 vectors */
std::string
FindKrumWeakness(uint32_t f,
                 size_t count,
                 const std::string& rule = "Krum",
                 uint32_t factor = 2,
                 const std::string& source = "Blanchard et al. 2017")
{
    const uint64_t needed = factor * uint64_t{f} + 3;
    return f == 0 || count >= needed
               ? ""
               : rule + " is proven to withstand f Byzantine vectors where there are at least " +
                     std::to_string(factor) + "f + 3 (" + source + "); here f is " +
                     std::to_string(f) + ", which needs " + std::to_string(needed) +
                     " vectors, and there are " + std::to_string(count);
}

} // namespace

TypeId
KrumAggregator::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<KrumAggregator, Aggregator>("ns3::dlearn::KrumAggregator")
            .AddAttribute("Margin",
                          "A score counts n - f - Margin neighbours; 2 for the original paper.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&KrumAggregator::m_margin),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

AggregationRule
KrumAggregator::GetRule() const
{
    return [margin = m_margin](const GramGeometry& points, uint32_t f) {
        return GetMultiKrumWeights(points, f, 1, margin);
    };
}

std::string
KrumAggregator::Examine(uint32_t f, size_t count) const
{
    return FindKrumWeakness(f, count);
}

TypeId
MultiKrumAggregator::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<MultiKrumAggregator, Aggregator>("ns3::dlearn::MultiKrumAggregator")
            .AddAttribute("Margin",
                          "A score counts n - f - Margin neighbours; 2 for the original paper.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&MultiKrumAggregator::m_margin),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("M",
                          "Vectors of lowest score whose mean is taken; 0 for n - f.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&MultiKrumAggregator::m_selected),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

AggregationRule
MultiKrumAggregator::GetRule() const
{
    return [margin = m_margin, selected = m_selected](const GramGeometry& points, uint32_t f) {
        // Excluded vectors were Byzantine, so they do not change n - f.
        const auto rest = static_cast<uint32_t>(points.GetCount()) - f;
        return GetMultiKrumWeights(points, f, selected > 0 ? selected : rest, margin);
    };
}

std::string
MultiKrumAggregator::Examine(uint32_t f, size_t count) const
{
    Require(m_selected <= count,
            "MultiKrum: M must be at most the number of vectors, {}, got {}",
            count,
            m_selected);
    return FindKrumWeakness(f, count);
}

std::string
BulyanAggregator::Examine(uint32_t f, size_t count) const
{
    Require(count >= CountLeast(f),
            "Bulyan: more than 4f vectors are needed, got f={}, n={}",
            f,
            count);
    return FindKrumWeakness(f, count, "Bulyan", 4, "El Mhamdi et al. 2018");
}

TypeId
GeometricMedianAggregator::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<GeometricMedianAggregator, Aggregator>("ns3::dlearn::GeometricMedianAggregator")
            .AddAttribute(
                "Tolerance",
                "Length of a step, relative to the median distance, at which the iteration ends.",
                DoubleValue(1e-13),
                MakeDoubleAccessor(&GeometricMedianAggregator::m_tolerance),
                MakeDoubleChecker<double>(0.0))
            .AddAttribute("Iterations",
                          "Largest number of steps.",
                          UintegerValue(10000),
                          MakeUintegerAccessor(&GeometricMedianAggregator::m_iterations),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

AggregationRule
GeometricMedianAggregator::GetRule() const
{
    return [tolerance = m_tolerance, most = m_iterations](const GramGeometry& points, uint32_t f) {
        return GetGeometricMedianWeights(points, f, tolerance, most);
    };
}

TypeId
SmoothedWeiszfeldAggregator::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<SmoothedWeiszfeldAggregator, Aggregator>(
            "ns3::dlearn::SmoothedWeiszfeldAggregator")
            .AddAttribute("Nu",
                          "Smallest distance; smaller ones count as this one.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&SmoothedWeiszfeldAggregator::m_nu),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("T",
                          "Number of steps.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&SmoothedWeiszfeldAggregator::m_steps),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

AggregationRule
SmoothedWeiszfeldAggregator::GetRule() const
{
    return [nu = m_nu, steps = m_steps](const GramGeometry& points, uint32_t f) {
        return GetSmoothedWeiszfeldWeights(points, f, nu, steps);
    };
}

TypeId
CenteredClippingAggregator::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<CenteredClippingAggregator, Aggregator>(
            "ns3::dlearn::CenteredClippingAggregator")
            .AddAttribute("Tau",
                          "Radius of clipping, about the length of an honest vector: if all "
                          "are shorter, nothing is clipped and the rule is the mean.",
                          DoubleValue(100),
                          MakeDoubleAccessor(&CenteredClippingAggregator::m_tau),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("L",
                          "Number of steps.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&CenteredClippingAggregator::m_steps),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

AggregationRule
CenteredClippingAggregator::GetRule() const
{
    return [tau = m_tau, steps = m_steps](const GramGeometry& points, uint32_t f) {
        return GetCenteredClippingWeights(points, f, tau, steps);
    };
}

AggregationRule
CafAggregator::GetRule() const
{
    return [](const GramGeometry& points, uint32_t f) {
        return FilterByCovariance(points, f).weights;
    };
}

} // namespace ns3::dlearn
