/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-privacy-account.h"

#include "dlearn-gaussian-accounting.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/** @return the prices; sensitivity 0 costs nothing, even without noise */
template <typename Price>
Eigen::ArrayXd
PriceEach(const Eigen::ArrayXd& sensitivity, Price price)
{
    return sensitivity.unaryExpr(
        [&price](double value) { return value == 0 ? 0.0 : double(price(value)); });
}

} // namespace

PrivacyLosses::PrivacyLosses(uint32_t units)
    : m_epsilon(Eigen::ArrayXd::Zero(units)),
      m_rate(m_epsilon),
      m_delta(m_epsilon)
{
}

PrivacyLosses
PrivacyLosses::OfRelease(NoiseLaw law,
                         const Eigen::ArrayXd& sensitivity,
                         double scale,
                         uint32_t dimension)
{
    PrivacyLosses losses(static_cast<uint32_t>(sensitivity.size()));
    const double oneNorm = std::sqrt(static_cast<double>(dimension));
    const auto linear = [&](double value) {
        return scale == 0 ? INFINITE : oneNorm * value / scale;
    };
    switch (law)
    {
    case NoiseLaw::NONE:
        losses.m_epsilon = PriceEach(sensitivity, [](double) { return INFINITE; });
        break;
    case NoiseLaw::LAPLACE:
        losses.m_epsilon = PriceEach(sensitivity, linear);
        break;
    case NoiseLaw::GAUSSIAN:
        losses.m_rate = PriceEach(sensitivity, [&](double value) {
            return std::isinf(value) ? INFINITE : GaussianRate(value, scale);
        });
        break;
    case NoiseLaw::TERNARY:
        // Total variation distance of the levels of entries x and x', both cut off at s: |x - x'| /
        // s for one sign, else max(|x|, |x'|) / s, so at most |x - x'| / s. Distances of products
        // add up over the entries. No epsilon above 0 has a smaller delta: next to x' = 0 the level
        // s has probability x / s against 0.
        losses.m_delta = PriceEach(sensitivity, linear);
        break;
    }
    return losses;
}

PrivacyLosses&
PrivacyLosses::operator+=(const PrivacyLosses& other)
{
    m_epsilon += other.m_epsilon;
    m_rate += other.m_rate;
    m_delta += other.m_delta;
    return *this;
}

double
PrivacyLosses::GetEpsilon(double delta) const
{
    const double left = delta - m_delta.maxCoeff();
    if (left < 0)
    {
        return INFINITE;
    }
    // With several laws the largest of each bounds every unit.
    const double rate = m_rate.maxCoeff();
    const double gaussian = rate == 0 ? 0 : left == 0 ? INFINITE : GaussianEpsilon(rate, left);
    return m_epsilon.maxCoeff() + gaussian;
}

Eigen::ArrayXd
Contract(double factor, const Eigen::ArrayXd& sensitivity)
{
    return factor == 0 ? Eigen::ArrayXd::Zero(sensitivity.size()).eval()
                       : (factor * sensitivity).eval();
}

NS_OBJECT_ENSURE_REGISTERED(PrivacyAccount);

TypeId
PrivacyAccount::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<PrivacyAccount, Object>("ns3::dlearn::PrivacyAccount")
            .AddAttribute("Budget",
                          "Largest realised epsilon that the learner may spend; it stops sending "
                          "before it would exceed it. 0 for none.",
                          DoubleValue(0.0),
                          MakeDoubleAccessor(&PrivacyAccount::m_budget),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Delta",
                          "delta of every epsilon, in (0, 1); not used while all noise is "
                          "Laplace noise.",
                          DoubleValue(1e-4),
                          MakeDoubleAccessor(&PrivacyAccount::SetDelta, &PrivacyAccount::GetDelta),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

void
PrivacyAccount::RequireSame(const std::string& attribute, bool same) const
{
    Require(same || !HasBegun(), "{}: {} cannot change during a run", GetName(), attribute);
}

void
PrivacyAccount::SetDelta(double delta)
{
    RequireSame("Delta", delta == m_delta);
    m_delta = delta;
}

void
PrivacyAccount::CheckAttributes() const
{
    Require(m_delta > 0 && m_delta < 1, "{}: Delta must be in (0, 1), got {}", GetName(), m_delta);
}

void
PrivacyAccount::RequireIncreasing(const char* event, uint32_t round, uint64_t next) const
{
    Require(round >= next,
            "{}: {} of round {} came after one of round {}; rounds must increase",
            GetName(),
            event,
            round,
            static_cast<double>(next) - 1);
}

std::string
PrivacyAccount::GetName() const
{
    const std::string full = GetInstanceTypeId().GetName();
    return full.substr(full.rfind(':') + 1);
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ReleaseAccount, PrivacyAccount);

void
ReleaseAccount::SetUnits(uint32_t units)
{
    m_nominal = PrivacyLosses(units);
    m_realised = m_nominal;
}

PrivacyLosses
ReleaseAccount::GetSpent() const
{
    PrivacyLosses losses = m_realised;
    if (m_underWay)
    {
        losses += *m_underWay;
    }
    return losses;
}

bool
ReleaseAccount::IsAffordable(const PrivacyLosses& losses) const
{
    if (GetBudget() == 0)
    {
        return true;
    }
    PrivacyLosses after = m_realised;
    after += losses;
    return IsWithinBudget(after.GetEpsilon(GetDelta()));
}

void
ReleaseAccount::RecordRelease(const PrivacyLosses& nominal,
                              const PrivacyLosses& realised,
                              bool transmitted)
{
    m_underWay.reset();
    m_nominal += nominal;
    if (transmitted)
    {
        m_realised += realised;
    }
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(PrivacyUnit, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(LearnerUnit, PrivacyUnit);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(BatchUnit, PrivacyUnit);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(SampleUnit, PrivacyUnit);

void
BatchUnit::Take(const SampleIndices& /* batch */)
{
    m_batches = m_window > 0 ? std::min(m_batches + 1, m_window) : m_batches + 1;
}

void
SampleUnit::Setup(const SampleIndices& shard, uint32_t window)
{
    m_window = window;
    for (const uint32_t position : shard)
    {
        m_places.emplace(position, static_cast<uint32_t>(m_places.size()));
    }
    Require(!m_places.empty(), "SampleUnit: the shard must not be empty");
    m_sums = Eigen::ArrayXd::Zero(static_cast<Eigen::Index>(m_places.size()));
}

void
SampleUnit::Count(const SampleIndices& batch)
{
    for (const uint32_t position : batch)
    {
        m_sums[m_places.at(position)] += 1 / static_cast<double>(batch.size());
    }
}

void
SampleUnit::Take(const SampleIndices& batch)
{
    if (m_window > 0)
    {
        m_kept.push_back(batch);
        if (m_kept.size() > m_window)
        {
            m_kept.pop_front();
        }
        // Subtracting old parts would leave rounding errors.
        m_sums.setZero();
        for (const SampleIndices& kept : m_kept)
        {
            Count(kept);
        }
        m_batches = static_cast<uint32_t>(m_kept.size());
        return;
    }
    Count(batch);
    ++m_batches;
}

} // namespace ns3::dlearn
