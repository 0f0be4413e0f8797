/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-threat-model.h"

#include "dlearn-gaussian-accounting.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ThreatModel, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(CentralDp, ThreatModel);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(LocalDp, ThreatModel);
NS_OBJECT_ENSURE_REGISTERED(AirDp);
NS_OBJECT_ENSURE_REGISTERED(SecretLocalDp);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(ByzantineLocalDp, ThreatModel);
NS_OBJECT_ENSURE_REGISTERED(LemmaLocalDp);

namespace
{

void
CheckTerms(const WorkerCounts& counts, const NoiseScales& noise)
{
    Require(counts.workers >= 1, "CafCor: workers must be at least 1, got 0");
    Require(2 * uint64_t{counts.byzantine} < counts.workers,
            "CafCor: byzantine must be less than half of the {} workers, got {}",
            counts.workers,
            counts.byzantine);
    RequireNonNegative("CafCor", "correlated noise", noise.correlated);
    RequireNonNegative("CafCor", "independent noise", noise.independent);
}

void
CheckColluding(const WorkerCounts& counts, uint32_t colluding)
{
    Require(colluding <= counts.byzantine,
            "CafCor: colluding must be at most the number of Byzantine workers, {}, got {}",
            counts.byzantine,
            colluding);
}

/** Variances of noise, relative to the larger of the two scales: neither over- nor underflows. */
struct RelativeNoise
{
    /** @param noise the scales, not both 0 */
    explicit RelativeNoise(const NoiseScales& noise)
        : scale(std::max(noise.correlated, noise.independent)),
          correlated(noise.correlated / scale * (noise.correlated / scale)),
          independent(noise.independent / scale * (noise.independent / scale))
    {
    }

    /** @return D^2 / (2 scale^2) times a factor greater than 0, maybe infinite */
    double GetRate(double sensitivity, double factor) const
    {
        return std::isinf(factor) ? factor : GaussianRate(sensitivity, scale) * factor;
    }

    double scale;       //!< the larger scale
    double correlated;  //!< (s_cor / scale)^2
    double independent; //!< (s_ind / scale)^2
};

/** @return whether the sensitivity or the noise is 0 */
bool
IsTrivial(double sensitivity, const NoiseScales& noise)
{
    return sensitivity == 0 || (noise.correlated == 0 && noise.independent == 0);
}

/** LemmaRate() without checks; 2 f may exceed n. */
double
GetLemmaRate(const WorkerCounts& counts,
             uint32_t colluding,
             double sensitivity,
             const NoiseScales& noise)
{
    if (IsTrivial(sensitivity, noise))
    {
        return GaussianRate(sensitivity, 0);
    }
    const RelativeNoise part(noise);
    const double whole = (counts.workers - colluding) * part.correlated + part.independent;
    const double hidden = (counts.byzantine - colluding) * part.correlated + part.independent;
    return part.GetRate(sensitivity, (1 + part.correlated / hidden) / whole);
}

/** TranscriptRate() for any number of honest workers and of workers that share secrets. */
double
GetTranscriptRate(double honest, double sharing, double sensitivity, const NoiseScales& noise)
{
    if (IsTrivial(sensitivity, noise))
    {
        return GaussianRate(sensitivity, 0);
    }
    const RelativeNoise part(noise);
    const double whole = sharing * part.correlated + part.independent;
    return part.GetRate(sensitivity, (1 - 1 / honest) / whole + 1 / (honest * part.independent));
}

/** Add the attribute of threat models in which Byzantine workers help the server. */
template <typename Model>
TypeId
AddColluding(TypeId tid, uint32_t Model::*colluding)
{
    return tid.AddAttribute(
        "Colluding",
        "q: number of Byzantine workers that reveal their secrets to the server.",
        UintegerValue(0),
        MakeUintegerAccessor(colluding),
        MakeUintegerChecker<uint32_t>());
}

} // namespace

double
TranscriptRate(const WorkerCounts& counts,
               uint32_t colluding,
               double sensitivity,
               const NoiseScales& noise)
{
    CheckTerms(counts, noise);
    CheckColluding(counts, colluding);
    return GetTranscriptRate(counts.workers - counts.byzantine,
                             counts.workers - colluding,
                             sensitivity,
                             noise);
}

double
LemmaRate(const WorkerCounts& counts,
          uint32_t colluding,
          double sensitivity,
          const NoiseScales& noise)
{
    CheckTerms(counts, noise);
    CheckColluding(counts, colluding);
    return GetLemmaRate(counts, colluding, sensitivity, noise);
}

double
ThreatModel::GetRecoveredRate(const WorkerCounts& counts,
                              uint32_t lost,
                              double sensitivity,
                              const NoiseScales& noise) const
{
    Require(lost < counts.workers,
            "CafCor: lost must be less than the {} workers, got {}",
            counts.workers,
            lost);
    const double rate = GetRate(counts, sensitivity, noise);
    return std::max(rate, DoGetRecoveredRate(counts, lost, sensitivity, noise));
}

double
CentralDp::GetRate(const WorkerCounts& counts, double sensitivity, const NoiseScales& noise) const
{
    CheckTerms(counts, noise);
    return GaussianRate(sensitivity / counts.workers, noise.independent);
}

double
CentralDp::DoGetRecoveredRate(const WorkerCounts& counts,
                              uint32_t lost,
                              double sensitivity,
                              const NoiseScales& noise) const
{
    return GaussianRate(sensitivity / (counts.workers - lost), noise.independent);
}

double
LocalDp::GetRate(const WorkerCounts& counts, double sensitivity, const NoiseScales& noise) const
{
    CheckTerms(counts, noise);
    return GaussianRate(sensitivity, noise.independent);
}

TypeId
AirDp::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<AirDp, LocalDp>("ns3::dlearn::AirDp")
            .AddAttribute(
                "ReceiverNoise",
                "Whether the noise of the receiver protects clients, which then send with "
                "less power where it is too weak; else clients add noise.",
                BooleanValue(true),
                MakeBooleanAccessor(&AirDp::m_receiverNoise),
                MakeBooleanChecker());
    return tid;
}

TypeId
SecretLocalDp::GetTypeId()
{
    static TypeId tid =
        AddColluding(MakeTypeId<SecretLocalDp, ThreatModel>("ns3::dlearn::SecretLocalDp"),
                     &SecretLocalDp::m_colluding);
    return tid;
}

uint32_t
SecretLocalDp::GetColluding(const WorkerCounts& counts) const
{
    CheckColluding(counts, m_colluding);
    return m_colluding;
}

double
TranscriptModel::GetRate(const WorkerCounts& counts,
                         double sensitivity,
                         const NoiseScales& noise) const
{
    return TranscriptRate(counts, GetColluding(counts), sensitivity, noise);
}

NoiseScales
TranscriptModel::GetShape(const WorkerCounts& counts) const
{
    const double honest = counts.workers - counts.byzantine;
    // With p = N s_cor^2 + s_ind^2 and y = s_ind^2: the least of A p + B y where a / p + b / y
    // is given has p : y = sqrt(a / A) : sqrt(b / B).
    const double sharing = counts.workers - GetColluding(counts);
    if (honest == 1)
    {
        return {0, 1};
    }
    const double absent = std::max(counts.byzantine, 1U);
    const double whole = std::sqrt((1 - 1 / honest) * sharing / absent);
    const double independent = std::sqrt(sharing / (honest * (sharing - absent)));
    return {std::sqrt(std::max(0.0, whole - independent) / sharing), std::sqrt(independent)};
}

double
TranscriptModel::DoGetRecoveredRate(const WorkerCounts& counts,
                                    uint32_t lost,
                                    double sensitivity,
                                    const NoiseScales& noise) const
{
    // Worst are lost honest workers; one may be left.
    const uint32_t honest = counts.workers - counts.byzantine;
    if (lost >= honest)
    {
        return GaussianRate(sensitivity, noise.independent);
    }
    const double sharing = counts.workers - GetColluding(counts) - lost;
    return GetTranscriptRate(honest - lost, sharing, sensitivity, noise);
}

TypeId
LemmaLocalDp::GetTypeId()
{
    static TypeId tid =
        AddColluding(MakeTypeId<LemmaLocalDp, ThreatModel>("ns3::dlearn::LemmaLocalDp"),
                     &LemmaLocalDp::m_colluding);
    return tid;
}

double
LemmaLocalDp::GetRate(const WorkerCounts& counts,
                      double sensitivity,
                      const NoiseScales& noise) const
{
    return LemmaRate(counts, m_colluding, sensitivity, noise);
}

NoiseScales
LemmaLocalDp::GetShape(const WorkerCounts& counts) const
{
    CheckColluding(counts, m_colluding);
    return {1, m_colluding < counts.byzantine ? 0.0 : 1.0};
}

Ptr<const ThreatModel>
LemmaLocalDp::GetTranscriptModel() const
{
    return CreateObjectWithAttributes<SecretLocalDp>("Colluding", UintegerValue(m_colluding));
}

double
LemmaLocalDp::DoGetRecoveredRate(const WorkerCounts& counts,
                                 uint32_t lost,
                                 double sensitivity,
                                 const NoiseScales& noise) const
{
    // Worst are lost Byzantine workers that kept their secrets, then honest ones.
    const uint32_t kept = counts.byzantine - m_colluding;
    const WorkerCounts left{counts.workers - lost, counts.byzantine - std::min(kept, lost)};
    if (left.workers <= left.byzantine)
    {
        return GaussianRate(sensitivity, noise.independent);
    }
    return GetLemmaRate(left, m_colluding, sensitivity, noise);
}

double
ReleaseTerms::GetExposedRate() const
{
    return std::max(planned, GaussianRate(sensitivity, noise.independent));
}

} // namespace ns3::dlearn
