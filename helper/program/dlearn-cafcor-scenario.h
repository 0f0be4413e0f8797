/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CAFCOR_SCENARIO_H
#define DLEARN_CAFCOR_SCENARIO_H

#include "dlearn-cafcor-options.h"
#include "dlearn-scenario.h"

#include "ns3/dlearn-cafcor-privacy.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/dlearn-worker-noise.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A run of CafCor: a server that aggregates robustly, workers whose noise is correlated, and
 * Byzantine ones among them.
 */
class CafCorScenario : public Scenario
{
  public:
    /** @param options what to run */
    explicit CafCorScenario(const CafCorOptions& options);

    /** @return the learners, to set or trace more before Run() */
    const Federation& GetFederation() const;

    /** @return what each worker adds to its gradient */
    const NoiseScales& GetNoiseScales() const;

    /** @return what the run costs every worker, if all its rounds are done */
    const CafCorEpsilon& GetPlannedEpsilon() const;

    const ScenarioOptions& GetOptions() const override;

  protected:
    void PrintTitle(std::ostream& table) const override;
    void Complete(RunResults& results) const override;

  private:
    std::unique_ptr<ModelEvaluator> CreateData();
    static constexpr uint32_t SERVER = 0; //!< number of the server

    std::vector<SampleIndices> Partition(const Dataset& data) const;
    void PlanPrivacy();
    CafCorPlan GetPlan(size_t samples) const;
    void SetLedger(CafCorWorker& rule, size_t samples) const;
    Ptr<WorkerNoise> CreateNoise() const;
    Ptr<ServerNoise> CreateServerNoise() const;
    Ptr<Aggregator> CreateAggregator() const;
    void AddNoise();
    void CreateFederation();
    PrivacyConstants DescribePrivacy() const;

    CafCorOptions m_options;            //!< what to run
    LearnerAttack m_attack;             //!< what the Byzantine workers do
    std::string m_title;                //!< of the data
    std::vector<Ptr<LocalData>> m_data; //!< of each worker
    std::vector<size_t> m_shards;       //!< samples that each worker has
    Ptr<const ThreatModel> m_threat;    //!< who is curious; null for no privacy
    NoiseScales m_noise;                //!< of each worker
    CafCorEpsilon m_epsilon;            //!< planned
    Federation m_federation;            //!< the learners
    Ptr<RobustServer> m_rule;           //!< the server's
};

} // namespace ns3::dlearn

#endif // DLEARN_CAFCOR_SCENARIO_H
