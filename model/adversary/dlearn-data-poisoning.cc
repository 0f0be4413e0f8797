/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-poisoning.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(DataPoisoning, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(LabelFlipPoisoning, DataPoisoning);
NS_OBJECT_ENSURE_REGISTERED(BackdoorPoisoning);

Dataset
DataPoisoning::Poison(const Dataset& data, const SampleIndices& shard) const
{
    Require(data.classes > 0,
            "{} needs a classification, as it changes classes: these data have none",
            GetInstanceTypeId().GetName());
    Dataset samples = Subset(data, shard);
    DoPoison(data, samples);
    return samples;
}

void
LabelFlipPoisoning::DoPoison(const Dataset& data, Dataset& samples) const
{
    samples.labels = (data.classes - 1.0) - samples.labels.array();
}

TypeId
BackdoorPoisoning::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<BackdoorPoisoning, DataPoisoning>("ns3::dlearn::BackdoorPoisoning")
            .AddAttribute("Target",
                          "Class of samples with the pattern, from 0.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&BackdoorPoisoning::m_target),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Share",
                          "Share of the attacker's samples that get the pattern and the class.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&BackdoorPoisoning::m_share),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Size",
                          "Pixels of a side of the pattern; of samples that are no images, its "
                          "number of features.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&BackdoorPoisoning::m_size),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
BackdoorPoisoning::Mark(Dataset& samples, uint32_t sample, double value) const
{
    auto features = samples.features.col(sample);
    const ImageShape& shape = samples.shape;
    if (shape.channels == 0)
    {
        features.tail(m_size).setConstant(value);
    }
    for (uint32_t row = 0; row < shape.channels * shape.height; ++row)
    {
        if (row % shape.height >= shape.height - m_size)
        {
            features.segment((row + 1) * shape.width - m_size, m_size).setConstant(value);
        }
    }
    samples.labels[sample] = m_target;
}

void
BackdoorPoisoning::DoPoison(const Dataset& data, Dataset& samples) const
{
    const ImageShape& shape = data.shape;
    const uint32_t most =
        shape.channels > 0 ? std::min(shape.height, shape.width) : data.GetFeatures();
    Require(m_target < data.classes,
            "BackdoorPoisoning: Target must be less than the number of classes, {}, got {}",
            data.classes,
            m_target);
    Require(m_size <= most, "BackdoorPoisoning: Size must be at most {}, got {}", most, m_size);
    const double value = data.features.maxCoeff();
    for (uint32_t sample = 0; sample < samples.GetSize(); ++sample)
    {
        if (std::floor((sample + 1) * m_share) > std::floor(sample * m_share))
        {
            Mark(samples, sample, value);
        }
    }
}

std::optional<Dataset>
BackdoorPoisoning::MakeTest(const Dataset& train, const Dataset& test) const
{
    SampleIndices others;
    for (uint32_t sample = 0; sample < test.GetSize(); ++sample)
    {
        if (test.labels[sample] != m_target)
        {
            others.push_back(sample);
        }
    }
    if (others.empty())
    {
        return std::nullopt;
    }
    Dataset marked = Subset(test, others);
    const double value = train.features.maxCoeff();
    for (uint32_t sample = 0; sample < marked.GetSize(); ++sample)
    {
        Mark(marked, sample, value);
    }
    return marked;
}

} // namespace ns3::dlearn
