/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-optimizer.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"

#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(Optimizer, Object);
NS_OBJECT_ENSURE_REGISTERED(SgdOptimizer);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(AdaptiveOptimizer, Optimizer);
NS_OBJECT_ENSURE_REGISTERED(AdamOptimizer);
NS_OBJECT_ENSURE_REGISTERED(YogiOptimizer);
NS_OBJECT_ENSURE_REGISTERED(AdagradOptimizer);

TypeId
Optimizer::AddRate(TypeId tid, double rate)
{
    return AddSchedule<Optimizer>(tid,
                                  &Optimizer::m_schedule,
                                  nullptr,
                                  {"Step",
                                   "The step by model of a server, or by round of a client.",
                                   "LearningRate",
                                   "The first step, greater than 0"},
                                  ConstantStep(rate));
}

Optimizer::Step
Optimizer::MakeStep(uint32_t t) const
{
    return [step = DoMakeStep(m_schedule->Get(t))](const ModelVector& gradient,
                                                   State& state,
                                                   ModelVector& model) {
        ++state.steps;
        step(gradient, state, model);
    };
}

void
Optimizer::Check(const std::string& owner, const std::string& rate) const
{
    RequirePositive(owner, rate, m_schedule->GetInitial());
    m_schedule->Check();
    DoCheck();
}

namespace
{

/** Refuse a factor of the last step's share that is not from 0 to less than 1. */
void
RequireDecay(const std::string& where, const std::string& name, double value)
{
    Require(value >= 0 && value < 1, "{}: {} must be in [0, 1), got {}", where, name, value);
}

} // namespace

TypeId
SgdOptimizer::GetTypeId()
{
    static TypeId tid =
        AddRate(MakeTypeId<SgdOptimizer, Optimizer>("ns3::dlearn::SgdOptimizer")
                    .AddAttribute("Momentum",
                                  "Share of the last step in the next one, from 0 to less than 1.",
                                  DoubleValue(0),
                                  MakeDoubleAccessor(&SgdOptimizer::m_momentum),
                                  MakeDoubleChecker<double>(0.0, 1.0))
                    .AddAttribute("Nesterov",
                                  "Whether the step goes along g + Momentum v, not along v.",
                                  BooleanValue(false),
                                  MakeBooleanAccessor(&SgdOptimizer::m_nesterov),
                                  MakeBooleanChecker()),
                0.1);
    return tid;
}

void
SgdOptimizer::DoCheck() const
{
    RequireDecay("SgdOptimizer", "Momentum", m_momentum);
}

Optimizer::Step
SgdOptimizer::DoMakeStep(double rate) const
{
    return [rate, momentum = m_momentum, nesterov = m_nesterov](const ModelVector& gradient,
                                                                State& state,
                                                                ModelVector& model) {
        if (momentum == 0)
        {
            model -= rate * gradient;
            return;
        }
        state.mean = state.steps > 1 ? ModelVector(momentum * state.mean + gradient) : gradient;
        if (nesterov)
        {
            model -= rate * (gradient + momentum * state.mean);
        }
        else
        {
            model -= rate * state.mean;
        }
    };
}

TypeId
AdaptiveOptimizer::AddMoments(TypeId tid, double beta1, double epsilon, double rate)
{
    return AddRate(tid.AddAttribute("Beta1",
                                    "Share of the last mean of gradients in the next one, from 0 "
                                    "to less than 1.",
                                    DoubleValue(beta1),
                                    MakeDoubleAccessor(&AdaptiveOptimizer::m_beta1),
                                    MakeDoubleChecker<double>(0.0, 1.0))
                       .AddAttribute("Epsilon",
                                     "What is added to the root of the mean square (tau of Reddi "
                                     "et al.), greater than 0.",
                                     DoubleValue(epsilon),
                                     MakeDoubleAccessor(&AdaptiveOptimizer::m_epsilon),
                                     MakeDoubleChecker<double>(0.0)),
                   rate);
}

void
AdaptiveOptimizer::DoCheck() const
{
    RequireDecay("AdaptiveOptimizer", "Beta1", m_beta1);
    RequirePositive("AdaptiveOptimizer", "Epsilon", m_epsilon);
}

Optimizer::Step
AdaptiveOptimizer::DoMakeStep(double rate) const
{
    return [rate,
            beta1 = m_beta1,
            beta2 = GetCorrected(),
            epsilon = m_epsilon,
            accumulate =
                MakeAccumulation()](const ModelVector& gradient, State& state, ModelVector& model) {
        const bool corrected = beta2 < 1;
        if (state.steps == 1)
        {
            const double initial = corrected ? 0 : epsilon * epsilon;
            state.mean = ModelVector::Zero(gradient.size());
            state.squares = ModelVector::Constant(gradient.size(), initial);
        }
        state.mean = beta1 * state.mean + (1 - beta1) * gradient;
        accumulate(gradient.cwiseAbs2(), state.squares);
        const double ofMean = corrected ? 1 - std::pow(beta1, state.steps) : 1;
        const double ofSquares = corrected ? 1 - std::pow(beta2, state.steps) : 1;
        model.array() -= rate * (state.mean.array() / ofMean) /
                         ((state.squares.array() / ofSquares).sqrt() + epsilon);
    };
}

namespace
{

/** @return the type with the attribute Beta2 */
template <typename Type>
TypeId
AddBeta2(TypeId tid, double Type::*member)
{
    return tid.AddAttribute("Beta2",
                            "Share of the last mean of squares in the next one, from 0 to less "
                            "than 1.",
                            DoubleValue(0.999),
                            MakeDoubleAccessor(member),
                            MakeDoubleChecker<double>(0.0, 1.0));
}

} // namespace

TypeId
AdamOptimizer::GetTypeId()
{
    static TypeId tid =
        AddBeta2(
            AddMoments(MakeTypeId<AdamOptimizer, AdaptiveOptimizer>("ns3::dlearn::AdamOptimizer"),
                       0.9,
                       1e-8,
                       0.001),
            &AdamOptimizer::m_beta2)
            .AddAttribute("BiasCorrection",
                          "Whether the means are corrected for their start at 0.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&AdamOptimizer::m_correction),
                          MakeBooleanChecker());
    return tid;
}

void
AdamOptimizer::DoCheck() const
{
    AdaptiveOptimizer::DoCheck();
    RequireDecay("AdamOptimizer", "Beta2", m_beta2);
}

AdaptiveOptimizer::Accumulation
AdamOptimizer::MakeAccumulation() const
{
    return [beta2 = m_beta2](const ModelVector& squares, ModelVector& v) {
        v = beta2 * v + (1 - beta2) * squares;
    };
}

TypeId
YogiOptimizer::GetTypeId()
{
    static TypeId tid = AddBeta2(
        AddMoments(MakeTypeId<YogiOptimizer, AdaptiveOptimizer>("ns3::dlearn::YogiOptimizer"),
                   0.9,
                   1e-3,
                   0.01),
        &YogiOptimizer::m_beta2);
    return tid;
}

void
YogiOptimizer::DoCheck() const
{
    AdaptiveOptimizer::DoCheck();
    RequireDecay("YogiOptimizer", "Beta2", m_beta2);
}

AdaptiveOptimizer::Accumulation
YogiOptimizer::MakeAccumulation() const
{
    return [beta2 = m_beta2](const ModelVector& squares, ModelVector& v) {
        v.array() -= (1 - beta2) * (v - squares).array().sign() * squares.array();
    };
}

TypeId
AdagradOptimizer::GetTypeId()
{
    static TypeId tid =
        AddMoments(MakeTypeId<AdagradOptimizer, AdaptiveOptimizer>("ns3::dlearn::AdagradOptimizer"),
                   0,
                   1e-8,
                   0.01);
    return tid;
}

AdaptiveOptimizer::Accumulation
AdagradOptimizer::MakeAccumulation() const
{
    return [](const ModelVector& squares, ModelVector& v) { v += squares; };
}

} // namespace ns3::dlearn
