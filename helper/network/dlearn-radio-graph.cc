/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-radio-graph.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

namespace
{

/**
 * @param places where each learner is
 * @param powers with which each learner sends
 * @param pathLoss the model
 * @param threshold least power of reception
 */
void
CheckRadios(const std::vector<Ptr<MobilityModel>>& places,
            const std::vector<double>& powers,
            Ptr<PropagationLossModel> pathLoss,
            double threshold)
{
    RequireSize("RadioGraph", "powers", powers.size(), places.size());
    Require(pathLoss != nullptr, "RadioGraph: path loss must be a model, got none");
    Require(std::isfinite(threshold), "RadioGraph: threshold must be finite, got ", threshold);
    for (LearnerId id = 0; id < places.size(); ++id)
    {
        Require(places[id] != nullptr, "RadioGraph: learner ", id, " must have a place, got none");
        Require(std::isfinite(powers[id]),
                "RadioGraph: power of learner ",
                id,
                " must be finite, got ",
                powers[id]);
    }
}

} // namespace

Ptr<PropagationLossModel>
CreateWifiPathLoss()
{
    return CreateObject<LogDistancePropagationLossModel>();
}

Graph
RadioGraph(const std::vector<Ptr<MobilityModel>>& places,
           const std::vector<double>& powers,
           Ptr<PropagationLossModel> pathLoss,
           double threshold)
{
    CheckRadios(places, powers, pathLoss, threshold);
    Graph graph(static_cast<uint32_t>(places.size()));
    for (LearnerId receiver = 0; receiver < graph.GetSize(); ++receiver)
    {
        const Vector position = places[receiver]->GetPosition();
        graph.positions.emplace_back(position.x, position.y);
        for (LearnerId sender = 0; sender < graph.GetSize(); ++sender)
        {
            if (sender != receiver &&
                pathLoss->CalcRxPower(powers[sender], places[sender], places[receiver]) >=
                    threshold)
            {
                graph.SetWeight(receiver, sender, 1);
            }
        }
    }
    return graph;
}

Graph
RadioGraph(const std::vector<std::pair<double, double>>& positions,
           const std::vector<double>& powers,
           Ptr<PropagationLossModel> pathLoss,
           double threshold)
{
    std::vector<Ptr<MobilityModel>> places;
    for (const auto& [x, y] : positions)
    {
        Require(std::isfinite(x) && std::isfinite(y),
                "RadioGraph: position of learner ",
                places.size(),
                " must be finite, got (",
                x,
                ", ",
                y,
                ")");
        places.push_back(CreateObject<ConstantPositionMobilityModel>());
        places.back()->SetPosition(Vector(x, y, 0));
    }
    return RadioGraph(places, powers, pathLoss, threshold);
}

} // namespace ns3::dlearn
