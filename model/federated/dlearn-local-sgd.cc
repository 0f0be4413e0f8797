/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-local-sgd.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(LocalSgd);

TypeId
LocalSgd::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::LocalSgd")
            .SetParent<LocalTraining>()
            .SetGroupName("Dlearn")
            .AddConstructor<LocalSgd>()
            .AddAttribute("LocalSteps",
                          "Gradient steps K of a round, at most the samples of a round.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&LocalSgd::m_steps),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("StepSize",
                          "Step along the gradient, greater than 0.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&LocalSgd::m_stepSize),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Proximal",
                          "Strength mu of FedProx's pull to the received model, at least 0.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&LocalSgd::m_proximal),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
LocalSgd::CheckAttributes() const
{
    RequirePositive("LocalSgd", "StepSize", m_stepSize);
    RequireNonNegative("LocalSgd", "Proximal", m_proximal);
    const uint32_t samples = m_data->GetSampleCount();
    Require(m_steps >= 1 && m_steps <= samples,
            "LocalSgd: LocalSteps must be from 1 to the number of samples of a round, ",
            samples,
            "; got ",
            m_steps);
}

uint64_t
LocalSgd::GetWork() const
{
    return uint64_t{m_steps} * (m_data->GetSamples().size() / m_steps);
}

ModelVector
LocalSgd::Train(const ModelVector& start, const SampleIndices& samples) const
{
    const auto size = static_cast<std::ptrdiff_t>(samples.size() / m_steps);
    ModelVector model = start;
    ModelVector gradient(model.size());
    auto begin = samples.begin();
    // Steps that are too long lead to infinity, where no task has a gradient. The server is sent
    // what there is, and refuses it.
    for (uint32_t step = 0; step < m_steps && model.allFinite(); ++step, begin += size)
    {
        m_task->BatchGradient(model, SampleIndices(begin, begin + size), gradient);
        if (m_proximal > 0)
        {
            gradient += m_proximal * (model - start);
        }
        model -= m_stepSize * gradient;
    }
    return model;
}

} // namespace ns3::dlearn
