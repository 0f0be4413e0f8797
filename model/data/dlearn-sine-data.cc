/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-sine-data.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"

namespace ns3::dlearn
{

Dataset
MakeSineData(const SineOptions& options, int64_t stream)
{
    const std::string name = "sine data";
    Require(options.samples >= 1, name, ": samples must be at least 1, got ", options.samples);
    Require(options.features >= 1, name, ": features must be at least 1, got ", options.features);
    RequireNonNegative(name, "shift", options.shift);
    RequireDenseSize(name, options.features, options.samples);
    const auto exponential = CreateSeeded<ExponentialRandomVariable>(stream, 0);
    const auto uniform = CreateSeeded<UniformRandomVariable>(stream, 1);
    Dataset data;
    data.name = "sine";
    data.features.resize(options.features, options.samples);
    data.labels.setZero(options.samples);
    data.truth = ModelVector::Zero(options.features);
    for (double& feature : data.features.reshaped())
    {
        // The difference of two exponential numbers of mean b is Lap(b); b = 1/2.
        feature = exponential->GetValue(0.5, 0);
        feature -= exponential->GetValue(0.5, 0);
    }
    for (uint32_t k = 0; k + 1 < options.samples; k += 2)
    {
        data.labels[k] = uniform->GetValue(-options.shift, options.shift);
        data.labels[k + 1] = -data.labels[k];
    }
    return data;
}

} // namespace ns3::dlearn
