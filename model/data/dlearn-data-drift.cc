/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-drift.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(DataDrift, Object);
NS_OBJECT_ENSURE_REGISTERED(LabelDrift);
NS_OBJECT_ENSURE_REGISTERED(WindowDrift);

TypeId
LabelDrift::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<LabelDrift, DataDrift>("ns3::dlearn::LabelDrift")
            .AddAttribute("Round",
                          "First round with new classes.",
                          UintegerValue(10),
                          MakeUintegerAccessor(&LabelDrift::m_round),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Rounds",
                          "Rounds in which the samples get them, equally many in each.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&LabelDrift::m_rounds),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
LabelDrift::Setup(uint32_t rounds)
{
    Require(m_round < rounds,
            "LabelDrift: Round must be less than the rounds of the run, {}, got {}",
            rounds,
            m_round);
}

DatasetPtr
LabelDrift::Prepare(DatasetPtr data) const
{
    Require(data->classes >= 2, "LabelDrift: data must have classes, got '{}'", data->name);
    const uint32_t samples = data->GetSize();
    RequireDenseSize("LabelDrift", data->GetFeatures(), 2 * uint64_t{samples});
    SampleIndices twice = FirstSamples(samples);
    twice.insert(twice.end(), twice.begin(), twice.begin() + samples);
    const auto both = std::make_shared<Dataset>(Subset(*data, twice));
    for (double& label : both->labels.tail(samples))
    {
        label = std::fmod(label + 1, data->classes);
    }
    return both;
}

SampleIndices
LabelDrift::Choose(const Dataset& data, const SampleIndices& shard, uint32_t round) const
{
    SampleIndices samples = shard;
    for (size_t k = 0; k < samples.size(); ++k)
    {
        const bool isNew = round >= uint64_t{m_round} + k % m_rounds;
        samples[k] += isNew ? data.GetSize() / 2 : 0;
    }
    return samples;
}

TypeId
WindowDrift::GetTypeId()
{
    static TypeId tid = MakeTypeId<WindowDrift, DataDrift>("ns3::dlearn::WindowDrift")
                            .AddAttribute("Share",
                                          "Share of its samples that a learner has in a round.",
                                          DoubleValue(0.5),
                                          MakeDoubleAccessor(&WindowDrift::m_share),
                                          MakeDoubleChecker<double>(0, 1))
                            .AddAttribute("ByClass",
                                          "Whether the samples come in the order of their classes "
                                          "or targets, rather than in that of the data.",
                                          BooleanValue(false),
                                          MakeBooleanAccessor(&WindowDrift::m_byClass),
                                          MakeBooleanChecker());
    return tid;
}

SampleIndices
WindowDrift::Choose(const Dataset& data, const SampleIndices& shard, uint32_t round) const
{
    SampleIndices samples = shard;
    std::sort(samples.begin(), samples.end(), [&](uint32_t a, uint32_t b) {
        const auto& y = data.labels;
        return m_byClass && y[a] != y[b] ? y[a] < y[b] : a < b;
    });
    const size_t size = std::max<size_t>(std::llround(m_share * samples.size()), 1);
    const size_t first =
        m_last == 0 ? 0 : uint64_t{samples.size() - size} * std::min(round, m_last) / m_last;
    return {samples.begin() + first, samples.begin() + first + size};
}

} // namespace ns3::dlearn
