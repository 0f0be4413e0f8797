/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-placement.h"

#include "dlearn-mobility-ranges.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/node.h"
#include "ns3/position-allocator.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/**
 * Share of the side by which learners that move begin inside the square: ns-3's random walk never
 * leaves a corner in which it begins.
 */
constexpr double BORDER = 1e-6;

/**
 * @param side length of the range in metres
 * @return a uniform random variable on [0, side]
 */
Ptr<UniformRandomVariable>
Coordinate(double side)
{
    return CreateObjectWithAttributes<UniformRandomVariable>("Min",
                                                             DoubleValue(0),
                                                             "Max",
                                                             DoubleValue(side));
}

} // namespace

void
CheckPositions(const std::string& network,
               const NetworkOptions& options,
               uint32_t learners,
               std::optional<LearnerId> fixed)
{
    options.mobility.CheckFits(network, options.side);
    if (const PositionTrace* trace = options.mobility.GetTrace())
    {
        trace->CheckFits(network, learners, options.side, fixed);
        Require(options.positions.empty() ||
                    options.positions == PlaceLearners(options, learners, fixed),
                network,
                ": learners are where the file of mobility says, so no positions can be given and "
                "no graph can place them");
    }
    if (options.positions.empty())
    {
        return;
    }
    RequireSize(network, "positions", options.positions.size(), learners);
    for (LearnerId id = 0; id < learners; ++id)
    {
        const auto& [x, y] = options.positions[id];
        Require(x >= 0 && x <= options.side && y >= 0 && y <= options.side,
                network,
                ": position (",
                x,
                ", ",
                y,
                ") of learner ",
                id,
                " lies outside the square of side ",
                options.side);
    }
}

std::vector<std::pair<double, double>>
PlaceLearners(const NetworkOptions& options, uint32_t learners, std::optional<LearnerId> fixed)
{
    const std::pair<double, double> centre{options.side / 2, options.side / 2};
    std::vector<std::pair<double, double>> positions;
    if (const PositionTrace* trace = options.mobility.GetTrace())
    {
        for (LearnerId id = 0; id < learners; ++id)
        {
            positions.push_back(trace->Has(id) ? trace->GetStart(id) : centre);
        }
        return positions;
    }
    if (!options.positions.empty())
    {
        return options.positions;
    }
    Ptr<UniformRandomVariable> coordinate = Coordinate(options.side);
    coordinate->SetStream(options.positionStream);
    while (positions.size() < learners)
    {
        const double x = coordinate->GetValue();
        const double y = coordinate->GetValue();
        positions.emplace_back(x, y);
    }
    if (fixed)
    {
        positions[*fixed] = centre;
    }
    return positions;
}

void
InstallMobility(const std::string& network,
                const NodeContainer& nodes,
                const std::vector<std::pair<double, double>>& positions,
                const NetworkOptions& options,
                std::optional<LearnerId> fixed,
                Time ready)
{
    const Time origin = options.timesFromReady ? ready : Time(0);
    for (LearnerId id = 0; id < nodes.GetN(); ++id)
    {
        const PositionTrace* const trace = options.mobility.GetTrace();
        const bool moves = trace ? trace->Has(id) : id != fixed;
        const LearnerMobility mobility = moves ? options.mobility : LearnerMobility();
        const auto model = mobility.CreateModel(id, options.side, options.speed, origin);
        if (!trace || !moves)
        {
            const double margin = mobility.IsOn() ? BORDER * options.side : 0;
            const auto inside = [&](double x) {
                return std::clamp(x, margin, options.side - margin);
            };
            const auto [x, y] = positions[id];
            model->SetPosition(Vector(inside(x), inside(y), 0));
        }
        nodes.Get(id)->AggregateObject(model);
        CheckMobilityModel(network + ": " + model->GetInstanceTypeId().GetName(), model);
    }
}

Grid
ChooseGrid(uint32_t count)
{
    const auto columns = static_cast<uint32_t>(std::ceil(std::sqrt(count)));
    return {columns, (count + columns - 1) / columns};
}

void
PlaceOnGrid(const NodeContainer& nodes, const NetworkOptions& options)
{
    const auto [columns, rows] = ChooseGrid(nodes.GetN());
    for (uint32_t k = 0; k < nodes.GetN(); ++k)
    {
        const auto place = CreateObject<ConstantPositionMobilityModel>();
        place->SetPosition(Vector((k % columns + 0.5) * options.side / columns,
                                  (k / columns + 0.5) * options.side / rows,
                                  0));
        nodes.Get(k)->AggregateObject(place);
    }
}

} // namespace ns3::dlearn
