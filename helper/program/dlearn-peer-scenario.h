/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_SCENARIO_H
#define DLEARN_PEER_SCENARIO_H

#include "dlearn-graph-scenario.h"
#include "dlearn-peer-options.h"

#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-peer-application.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A run of peers.
 *
 * @code
 *   PeerOptions options("my-study");
 *   options.network = "p2p";
 *   PeerScenario scenario(options);
 *   RunResults results = scenario.Run(std::cout);
 *   WriteResults(options.out, results);
 * @endcode
 */
class PeerScenario : public GraphScenario
{
  public:
    /** @param options what to run */
    explicit PeerScenario(const PeerOptions& options);

    /** @return the learners' samples */
    const std::vector<Ptr<SampleStream>>& GetStreams() const;

    const ScenarioOptions& GetOptions() const override;

  protected:
    void PrintTitle(std::ostream& table) const override;
    void Complete(RunResults& results) const override;

  private:
    void LoadTask();
    void CreateLearners();
    void ConfigureNoise(PeerApplication& learner, LearnerId id) const;
    void ConfigureMixing(PeerApplication& learner, LearnerId id) const;
    void InstallAttack();
    std::vector<Ptr<SampleStream>> GetHonestStreams() const;

    PeerOptions m_options;                    //!< what to run
    LearnerAttack m_attack;                   //!< what the Byzantine learners do
    std::vector<Ptr<const Task>> m_tasks;     //!< one a learner
    std::vector<Ptr<SampleStream>> m_streams; //!< one a learner
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_SCENARIO_H
