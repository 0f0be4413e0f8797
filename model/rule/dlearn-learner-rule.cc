/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-rule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(StepSchedule);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(ConstantSchedule, StepSchedule);
NS_OBJECT_ENSURE_REGISTERED(PowerSchedule);
NS_OBJECT_ENSURE_REGISTERED(GeometricSchedule);
NS_OBJECT_ENSURE_REGISTERED(StepDecaySchedule);
NS_OBJECT_ENSURE_REGISTERED(CosineSchedule);
NS_OBJECT_ENSURE_REGISTERED(WarmUpSchedule);

TypeId
StepSchedule::GetTypeId()
{
    static TypeId tid = MakeTypeId<StepSchedule, Object>("ns3::dlearn::StepSchedule")
                            .AddAttribute("Initial",
                                          "Step of round 0.",
                                          DoubleValue(0.1),
                                          MakeDoubleAccessor(&StepSchedule::m_initial),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

TypeId
PowerSchedule::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<PowerSchedule, StepSchedule>("ns3::dlearn::PowerSchedule")
            .AddAttribute("Exponent",
                          "The step decays as (t+1)^-Exponent; 0 for a constant step.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&PowerSchedule::m_exponent),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

TypeId
GeometricSchedule::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<GeometricSchedule, StepSchedule>("ns3::dlearn::GeometricSchedule")
            .AddAttribute("Ratio",
                          "The step is multiplied by it every round; in (0, 1].",
                          DoubleValue(0.97),
                          MakeDoubleAccessor(&GeometricSchedule::m_ratio),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

void
GeometricSchedule::Check() const
{
    Require(m_ratio > 0, "GeometricSchedule: Ratio must be in (0, 1], got {}", m_ratio);
}

TypeId
StepDecaySchedule::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<StepDecaySchedule, StepSchedule>("ns3::dlearn::StepDecaySchedule")
            .AddAttribute("Rounds",
                          "Rounds with the same step.",
                          UintegerValue(30),
                          MakeUintegerAccessor(&StepDecaySchedule::m_rounds),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Factor",
                          "The step is multiplied by it after every Rounds rounds; in [0, 1].",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&StepDecaySchedule::m_factor),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

TypeId
CosineSchedule::GetTypeId()
{
    static TypeId tid = MakeTypeId<CosineSchedule, StepSchedule>("ns3::dlearn::CosineSchedule")
                            .AddAttribute("Rounds",
                                          "Round in which the step is Final.",
                                          UintegerValue(100),
                                          MakeUintegerAccessor(&CosineSchedule::m_rounds),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Final",
                                          "Last step.",
                                          DoubleValue(0),
                                          MakeDoubleAccessor(&CosineSchedule::m_final),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

double
CosineSchedule::Get(uint32_t round) const
{
    const double share = round < m_rounds ? double(round) / m_rounds : 1;
    return m_final + (GetInitial() - m_final) * (1 + std::cos(M_PI * share)) / 2;
}

TypeId
WarmUpSchedule::GetTypeId()
{
    static TypeId tid = MakeTypeId<WarmUpSchedule, StepSchedule>("ns3::dlearn::WarmUpSchedule")
                            .AddAttribute("Rounds",
                                          "Rounds in which the step grows.",
                                          UintegerValue(5),
                                          MakeUintegerAccessor(&WarmUpSchedule::m_rounds),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Then",
                                          "Schedule of the rounds after these, up to a factor.",
                                          TypeIdValue(ConstantSchedule::GetTypeId()),
                                          MakePartAccessor(&WarmUpSchedule::m_then, nullptr),
                                          MakePartChecker<StepSchedule>());
    return tid;
}

double
WarmUpSchedule::Get(uint32_t round) const
{
    return GetInitial() * (round < m_rounds ? (round + 1.0) / m_rounds
                                            : m_then->Get(round - m_rounds) / m_then->GetInitial());
}

void
WarmUpSchedule::Check() const
{
    RequirePositive("WarmUpSchedule", "Initial of Then", m_then->GetInitial());
    m_then->Check();
}

DefaultSchedule
ConstantStep(double initial)
{
    return {ObjectFactory(ConstantSchedule::GetTypeId().GetName(), "Initial", DoubleValue(initial)),
            initial,
            ""};
}

DefaultSchedule
PowerStep(double initial, double exponent)
{
    return {ObjectFactory(PowerSchedule::GetTypeId().GetName(),
                          "Initial",
                          DoubleValue(initial),
                          "Exponent",
                          DoubleValue(exponent)),
            initial,
            "Exponent",
            exponent,
            std::numeric_limits<double>::max()};
}

DefaultSchedule
GeometricStep(double initial, double ratio)
{
    return {ObjectFactory(GeometricSchedule::GetTypeId().GetName(),
                          "Initial",
                          DoubleValue(initial),
                          "Ratio",
                          DoubleValue(ratio)),
            initial,
            "Ratio",
            ratio,
            1};
}

double
GetPowerExponent(const StepSchedule& schedule)
{
    if (const auto power = dynamic_cast<const PowerSchedule*>(&schedule))
    {
        return power->GetExponent();
    }
    const bool constant = dynamic_cast<const ConstantSchedule*>(&schedule) != nullptr;
    return constant ? 0 : std::numeric_limits<double>::quiet_NaN();
}

NS_OBJECT_ENSURE_REGISTERED(LearnerRule);

TypeId
LearnerRule::GetTypeId()
{
    static TypeId tid = MakeTypeId<LearnerRule, Object>("ns3::dlearn::LearnerRule")
                            .AddTraceSource("Draw",
                                            "The data of a round have entered the learner's state.",
                                            MakeTraceSourceAccessor(&LearnerRule::m_drawTrace),
                                            "ns3::dlearn::LearnerRule::DrawTracedCallback");
    return tid;
}

void
LearnerRule::NoteDraw(uint32_t round, const SampleIndices& samples)
{
    if (round >= m_nextDraw)
    {
        m_nextDraw = uint64_t{round} + 1;
        m_drawTrace(round, samples);
    }
}

} // namespace ns3::dlearn
