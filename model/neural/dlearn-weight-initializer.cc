/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-weight-initializer.h"

#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-type-id.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(WeightInitializer, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(HeGlorotInitializer, WeightInitializer);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(FanInUniformInitializer, WeightInitializer);

ModelVector
HeGlorotInitializer::Draw(const NetworkPlan& plan, int64_t stream) const
{
    const auto normal = CreateSeeded<NormalRandomVariable>(stream, 0);
    ModelVector model = ModelVector::Zero(plan.GetParameters());
    double* next = model.data();
    for (auto layer = plan.layers.begin(); layer != plan.layers.end(); ++layer)
    {
        if (layer->GetParameters() == 0)
        {
            continue;
        }
        const auto after = std::find_if(layer + 1, plan.layers.end(), [](const LayerPlan& other) {
            return other.kind != LayerKind::MAX_POOL;
        });
        const bool rectified = after != plan.layers.end() && after->kind == LayerKind::RELU;
        const auto fanIn = static_cast<double>(layer->GetFanIn());
        const auto fanOut = static_cast<double>(layer->GetFanOut());
        const double deviation = std::sqrt(2 / (rectified ? fanIn : fanIn + fanOut));
        std::generate_n(next, layer->GetFanIn() * layer->output.channels, [&]() {
            return deviation * normal->GetValue();
        });
        next += layer->GetParameters();
    }
    return model;
}

ModelVector
FanInUniformInitializer::Draw(const NetworkPlan& plan, int64_t stream) const
{
    const auto uniform = CreateSeeded<UniformRandomVariable>(stream, 0);
    ModelVector model(plan.GetParameters());
    double* next = model.data();
    for (const LayerPlan& layer : plan.layers)
    {
        const double bound = 1 / std::sqrt(static_cast<double>(layer.GetFanIn()));
        next = std::generate_n(next, layer.GetParameters(), [&]() {
            return uniform->GetValue(-bound, bound);
        });
    }
    return model;
}

} // namespace ns3::dlearn
