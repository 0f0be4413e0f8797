/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-graph-scenario.h"

#include "dlearn-compression-option.h"
#include "dlearn-synchrony-option.h"

#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

void
GraphScenario::CreatePeers(const ScenarioOptions& options,
                           TypeId rule,
                           const std::string& missing,
                           const std::string& synchrony)
{
    const SynchronyOption pace(synchrony);
    PeerHelper helper;
    helper.SetAttribute("Rounds", UintegerValue(options.rounds));
    helper.SetAttribute("Rule", TypeIdValue(rule));
    helper.SetAttribute("MissingPolicy",
                        TypeIdValue(Choose("missing",
                                           missing,
                                           {{"skip", SkipMissing::GetTypeId()},
                                            {"last", LastReceived::GetTypeId()},
                                            {"wait", WaitForMissing::GetTypeId()}})));
    if (pace.IsAsynchronous())
    {
        helper.SetAttribute("RoundPolicy", TypeIdValue(AsynchronousPolicy::GetTypeId()));
    }
    else if (!options.deadline.empty() || options.quorum < 1) // else the attribute says
    {
        helper.SetAttribute("RoundPolicy", TypeIdValue(ChooseRoundPolicy(options)));
    }
    m_learners = helper.Create(GetNetwork());
    for (const auto& learner : m_learners)
    {
        ConfigureRoundPolicy(options, *learner->GetRoundPolicy());
        pace.Apply(*learner->GetRoundPolicy());
        ConfigureExchange(options, *learner->GetExchange());
        CompressionOption(options.compress).Apply(*learner->GetExchange());
    }
}

std::vector<ModelVector>
GraphScenario::DrawInitialModels(double deviation) const
{
    const auto normal = CreateSeeded<NormalRandomVariable>(INITIAL_STREAM, 0);
    std::vector<ModelVector> models(m_graph.GetSize(),
                                    m_task->DrawInitialModel(INITIAL_STREAM + 1));
    for (ModelVector& model : models)
    {
        for (double& entry : model)
        {
            entry += deviation > 0 ? deviation * normal->GetValue() : 0;
        }
    }
    return models;
}

const std::vector<Ptr<PeerApplication>>&
GraphScenario::GetLearners() const
{
    return m_learners;
}

Ptr<const Task>
GraphScenario::GetTask() const
{
    return m_task;
}

} // namespace ns3::dlearn
