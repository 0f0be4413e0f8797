/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-placement.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/position-allocator.h"
#include "ns3/random-variable-stream.h"
#include "ns3/random-waypoint-mobility-model.h"

namespace ns3::dlearn
{

namespace
{

/**
 * @param value the value it always has
 * @return a random variable that is not random
 */
Ptr<RandomVariableStream>
Constant(double value)
{
    return CreateObjectWithAttributes<ConstantRandomVariable>("Constant", DoubleValue(value));
}

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
CheckPositions(const std::string& network, const NetworkOptions& options, uint32_t learners)
{
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
    if (!options.positions.empty())
    {
        return options.positions;
    }
    std::vector<std::pair<double, double>> positions;
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
        positions[*fixed] = {options.side / 2, options.side / 2};
    }
    return positions;
}

void
InstallMobility(const NodeContainer& nodes,
                const std::vector<std::pair<double, double>>& positions,
                const NetworkOptions& options,
                std::optional<LearnerId> fixed)
{
    for (LearnerId id = 0; id < nodes.GetN(); ++id)
    {
        Ptr<MobilityModel> model;
        if (options.mobility && id != fixed)
        {
            // Separate goals: the path of a learner must not depend on when others turn.
            Ptr<RandomRectanglePositionAllocator> goals =
                CreateObject<RandomRectanglePositionAllocator>();
            goals->SetX(Coordinate(options.side));
            goals->SetY(Coordinate(options.side));
            model = CreateObjectWithAttributes<RandomWaypointMobilityModel>(
                "Speed",
                PointerValue(Constant(options.speed)),
                "Pause",
                PointerValue(Constant(1)),
                "PositionAllocator",
                PointerValue(goals));
        }
        else
        {
            model = CreateObject<ConstantPositionMobilityModel>();
        }
        model->SetPosition(Vector(positions[id].first, positions[id].second, 0));
        nodes.Get(id)->AggregateObject(model);
    }
}

void
PlaceInCentre(Ptr<Node> node, const NetworkOptions& options)
{
    Ptr<MobilityModel> centre = CreateObject<ConstantPositionMobilityModel>();
    centre->SetPosition(Vector(options.side / 2, options.side / 2, 0));
    node->AggregateObject(centre);
}

} // namespace ns3::dlearn
