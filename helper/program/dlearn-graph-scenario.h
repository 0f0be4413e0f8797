/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRAPH_SCENARIO_H
#define DLEARN_GRAPH_SCENARIO_H

#include "dlearn-scenario.h"

#include "ns3/dlearn-peer-application.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What all runs of peers on a graph share: the learners and their task. Derived classes say who
 * sends to whom, and by which rule.
 */
class GraphScenario : public Scenario
{
  public:
    /** @return the learners, to set or trace more before Run() */
    const std::vector<Ptr<PeerApplication>>& GetLearners() const;

    /** @return what is learned, with the data of all honest learners */
    Ptr<const Task> GetTask() const;

  protected:
    /**
     * Create the learners, without neighbours yet: rounds, policies, message layer.
     *
     * @param options what the user asked for
     * @param rule the learners' algorithm
     * @param missing what a missing message means: skip, last or wait
     * @param synchrony see SynchronyOption
     */
    void CreatePeers(const ScenarioOptions& options,
                     TypeId rule,
                     const std::string& missing,
                     const std::string& synchrony);

    /**
     * @param deviation standard deviation of what is added to each entry of each model
     * @return one initial model a learner: the task's, with what is added
     */
    std::vector<ModelVector> DrawInitialModels(double deviation) const;

    Ptr<Task> m_task;                             //!< what is learned
    std::vector<Ptr<PeerApplication>> m_learners; //!< in the order of the graph
};

} // namespace ns3::dlearn

#endif // DLEARN_GRAPH_SCENARIO_H
