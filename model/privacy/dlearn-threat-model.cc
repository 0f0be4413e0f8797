/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-threat-model.h"

#include "dlearn-renyi-accounting.h"

#include "ns3/dlearn-check.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(ThreatModel);
NS_OBJECT_ENSURE_REGISTERED(CentralDp);
NS_OBJECT_ENSURE_REGISTERED(LocalDp);
NS_OBJECT_ENSURE_REGISTERED(SecretLocalDp);
NS_OBJECT_ENSURE_REGISTERED(ByzantineLocalDp);

namespace
{

void
CheckTerms(const WorkerCounts& counts, double sensitivity, const NoiseScales& noise)
{
    Require(counts.workers >= 1, "CafCor: workers must be at least 1, got 0");
    Require(2 * uint64_t{counts.byzantine} < counts.workers,
            "CafCor: byzantine must be less than half of the ",
            counts.workers,
            " workers, got ",
            counts.byzantine);
    RequireNonNegative("CafCor", "sensitivity", sensitivity);
    RequireNonNegative("CafCor", "correlated noise", noise.correlated);
    RequireNonNegative("CafCor", "independent noise", noise.independent);
}

void
CheckColluding(const WorkerCounts& counts, uint32_t colluding)
{
    Require(colluding <= counts.byzantine,
            "CafCor: colluding must be at most the number of Byzantine workers, ",
            counts.byzantine,
            ", got ",
            colluding);
}

/** SecretRate() of numbers that are not checked; 2 f may exceed n. */
double
LemmaRate(const WorkerCounts& counts,
          uint32_t colluding,
          double sensitivity,
          const NoiseScales& noise)
{
    const double scale = std::max(noise.correlated, noise.independent);
    const double worth = GaussianRate(sensitivity, scale);
    if (worth == 0 || scale == 0)
    {
        return worth;
    }
    // Relative to the larger scale nothing that matters over- or underflows.
    const double correlated = noise.correlated / scale * (noise.correlated / scale);
    const double independent = noise.independent / scale * (noise.independent / scale);
    const double whole = (counts.workers - colluding) * correlated + independent;
    const double hidden = (counts.byzantine - colluding) * correlated + independent;
    return worth / whole * (1 + correlated / hidden);
}

/** SecLDP after a repair, see ThreatModel::GetRepairedRate(). */
double
RepairedSecretRate(const WorkerCounts& counts,
                   uint32_t colluding,
                   uint32_t lost,
                   double sensitivity,
                   const NoiseScales& noise)
{
    const uint32_t kept = counts.byzantine - colluding;
    const WorkerCounts left{counts.workers - lost, counts.byzantine - std::min(kept, lost)};
    if (left.workers <= left.byzantine)
    {
        // The worker may be the only honest one left.
        return GaussianRate(sensitivity, noise.independent);
    }
    return LemmaRate(left, colluding, sensitivity, noise);
}

} // namespace

double
SecretRate(const WorkerCounts& counts,
           uint32_t colluding,
           double sensitivity,
           const NoiseScales& noise)
{
    CheckTerms(counts, sensitivity, noise);
    CheckColluding(counts, colluding);
    return LemmaRate(counts, colluding, sensitivity, noise);
}

TypeId
ThreatModel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::ThreatModel").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

double
ThreatModel::GetRepairedRate(const WorkerCounts& counts,
                             uint32_t lost,
                             double sensitivity,
                             const NoiseScales& noise) const
{
    Require(lost < counts.workers,
            "CafCor: lost must be less than the ",
            counts.workers,
            " workers, got ",
            lost);
    const double rate = GetRate(counts, sensitivity, noise);
    return std::max(rate, DoGetRepairedRate(counts, lost, sensitivity, noise));
}

TypeId
CentralDp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::CentralDp")
                            .SetParent<ThreatModel>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<CentralDp>();
    return tid;
}

double
CentralDp::GetRate(const WorkerCounts& counts, double sensitivity, const NoiseScales& noise) const
{
    CheckTerms(counts, sensitivity, noise);
    return GaussianRate(sensitivity / counts.workers, noise.independent);
}

NoiseScales
CentralDp::GetShape(const WorkerCounts& /* counts */) const
{
    return {0, 1};
}

double
CentralDp::DoGetRepairedRate(const WorkerCounts& counts,
                             uint32_t lost,
                             double sensitivity,
                             const NoiseScales& noise) const
{
    // The average is one over fewer messages.
    return GaussianRate(sensitivity / (counts.workers - lost), noise.independent);
}

TypeId
LocalDp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::LocalDp")
                            .SetParent<ThreatModel>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<LocalDp>();
    return tid;
}

double
LocalDp::GetRate(const WorkerCounts& counts, double sensitivity, const NoiseScales& noise) const
{
    CheckTerms(counts, sensitivity, noise);
    return GaussianRate(sensitivity, noise.independent);
}

NoiseScales
LocalDp::GetShape(const WorkerCounts& /* counts */) const
{
    return {0, 1};
}

double
LocalDp::DoGetRepairedRate(const WorkerCounts& /* counts */,
                           uint32_t /* lost */,
                           double sensitivity,
                           const NoiseScales& noise) const
{
    return GaussianRate(sensitivity, noise.independent);
}

TypeId
SecretLocalDp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::SecretLocalDp")
                            .SetParent<ThreatModel>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<SecretLocalDp>()
                            .AddAttribute("Colluding",
                                          "q: number of Byzantine workers that tell the server "
                                          "their secrets.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&SecretLocalDp::m_colluding),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

double
SecretLocalDp::GetRate(const WorkerCounts& counts,
                       double sensitivity,
                       const NoiseScales& noise) const
{
    return SecretRate(counts, m_colluding, sensitivity, noise);
}

NoiseScales
SecretLocalDp::GetShape(const WorkerCounts& counts) const
{
    CheckColluding(counts, m_colluding);
    return {1, m_colluding < counts.byzantine ? 0.0 : 1.0};
}

double
SecretLocalDp::DoGetRepairedRate(const WorkerCounts& counts,
                                 uint32_t lost,
                                 double sensitivity,
                                 const NoiseScales& noise) const
{
    return RepairedSecretRate(counts, m_colluding, lost, sensitivity, noise);
}

TypeId
ByzantineLocalDp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::ByzantineLocalDp")
                            .SetParent<ThreatModel>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<ByzantineLocalDp>();
    return tid;
}

double
ByzantineLocalDp::GetRate(const WorkerCounts& counts,
                          double sensitivity,
                          const NoiseScales& noise) const
{
    return SecretRate(counts, counts.byzantine, sensitivity, noise);
}

NoiseScales
ByzantineLocalDp::GetShape(const WorkerCounts& /* counts */) const
{
    return {1, 1};
}

double
ByzantineLocalDp::DoGetRepairedRate(const WorkerCounts& counts,
                                    uint32_t lost,
                                    double sensitivity,
                                    const NoiseScales& noise) const
{
    return RepairedSecretRate(counts, counts.byzantine, lost, sensitivity, noise);
}

} // namespace dlearn
} // namespace ns3
