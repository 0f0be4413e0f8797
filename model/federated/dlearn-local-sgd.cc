/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-local-sgd.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(LocalSgd);

TypeId
LocalSgd::GetTypeId()
{
    static TypeId tid = AddSchedule(
        TypeId("ns3::dlearn::LocalSgd")
            .SetParent<LocalTraining>()
            .SetGroupName("Dlearn")
            .AddConstructor<LocalSgd>()
            .AddAttribute("LocalSteps",
                          "Gradient steps K of a round, at most the samples of a round; without "
                          "effect with BatchSize.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&LocalSgd::m_steps),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("BatchSize",
                          "Samples of a gradient step; 0: as many as LocalSteps makes.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&LocalSgd::m_batch),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Proximal",
                          "Strength mu of FedProx's pull to the received model, at least 0.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&LocalSgd::m_proximal),
                          MakeDoubleChecker<double>(0.0)),
        &LocalSgd::m_step,
        &LocalSgd::IsSetUp,
        {"Step",
         "The step along the gradient, round by round as the client counts rounds.",
         "StepSize",
         "The step in round 0, greater than 0"},
        ConstantStep(0.1));
    return tid;
}

void
LocalSgd::CheckAttributes() const
{
    RequirePositive("LocalSgd", "StepSize", m_step->GetInitial());
    m_step->Check();
    RequireNonNegative("LocalSgd", "Proximal", m_proximal);
    const uint32_t samples = m_data->GetSampleCount();
    Require(m_batch > 0 || (m_steps >= 1 && m_steps <= samples),
            "LocalSgd: LocalSteps must be from 1 to the number of samples of a round, ",
            samples,
            "; got ",
            m_steps);
}

void
LocalSgd::DoBeginRound()
{
    CheckAttributes(); // which may have changed
    m_training = {m_steps, m_batch, m_proximal, m_step->Get(GetRound())};
}

std::vector<SampleIndices>
LocalSgd::GetBatches(const SampleIndices& samples) const
{
    std::vector<SampleIndices> batches;
    const auto cut = [&](size_t begin, size_t end) {
        batches.emplace_back(samples.begin() + static_cast<std::ptrdiff_t>(begin),
                             samples.begin() + static_cast<std::ptrdiff_t>(end));
    };
    if (m_training.batch == 0)
    {
        const size_t size = samples.size() / m_training.steps;
        for (size_t step = 0; step < m_training.steps; ++step)
        {
            cut(step * size, (step + 1) * size);
        }
        return batches;
    }
    const size_t count = m_data->GetSampleCount(); // of a pass
    for (size_t pass = 0; pass < samples.size(); pass += count)
    {
        for (size_t begin = 0; begin < count; begin += m_training.batch)
        {
            cut(pass + begin, pass + std::min<size_t>(begin + m_training.batch, count));
        }
    }
    return batches;
}

uint64_t
LocalSgd::GetWork() const
{
    const uint64_t samples = m_data->GetRoundSize();
    return m_batch > 0 ? samples : m_steps * (samples / m_steps);
}

ModelVector
LocalSgd::Train(const ModelVector& start, const SampleIndices& samples) const
{
    ModelVector model = start;
    ModelVector gradient(model.size());
    for (const SampleIndices& batch : GetBatches(samples))
    {
        // Steps that are too long lead to infinity, where no task has a gradient. The server is
        // sent what there is, and refuses it.
        if (!model.allFinite())
        {
            break;
        }
        m_task->BatchGradient(model, batch, gradient);
        if (m_training.proximal > 0)
        {
            gradient += m_training.proximal * (model - start);
        }
        model -= m_training.step * gradient;
    }
    return model;
}

} // namespace ns3::dlearn
