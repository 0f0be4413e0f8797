/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-dp-sgd-growing.h"

#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-ldp-online-ledgers.h"
#include "ns3/double.h"

#include <cmath>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(DpSgdGrowing);

TypeId
DpSgdGrowing::GetTypeId()
{
    static TypeId tid = AddCoupling(AddParts(TypeId("ns3::dlearn::DpSgdGrowing")
                                                 .SetParent<PeerRule>()
                                                 .SetGroupName("Dlearn")
                                                 .AddConstructor<DpSgdGrowing>(),
                                             {LaplaceMechanism::GetTypeId(),
                                              LdpOnlineRefinedLedger::GetTypeId(),
                                              SampleUnit::GetTypeId(),
                                              NoProjection::GetTypeId()},
                                             PowerStep(0.1, 0.9)),
                                    1,
                                    0.6)
                            .AddAttribute("SampleFactor",
                                          "a: round t takes floor(a t^p) + 1 samples.",
                                          DoubleValue(1),
                                          MakeDoubleAccessor(&DpSgdGrowing::m_sampleFactor),
                                          MakeDoubleChecker<double>(0.0))
                            .AddAttribute("SampleExponent",
                                          "p: round t takes floor(a t^p) + 1 samples.",
                                          DoubleValue(1),
                                          MakeDoubleAccessor(&DpSgdGrowing::m_sampleExponent),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

ModelVector
DpSgdGrowing::Move(const Inbox& inbox) const
{
    return MixAndDescend(inbox);
}

uint32_t
DpSgdGrowing::GetSampleCount(uint32_t round) const
{
    const auto all = static_cast<uint32_t>(m_context.stream->GetShard().size());
    const double wanted = std::floor(m_sampleFactor * std::pow(round, m_sampleExponent)) + 1;
    return wanted < all ? static_cast<uint32_t>(wanted) : all; // also when 0 * infinity is NaN
}

std::optional<uint32_t>
DpSgdGrowing::GetDistinctSamples(uint32_t round) const
{
    return GetSampleCount(round);
}

} // namespace ns3::dlearn
