/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACKING_SCENARIO_H
#define DLEARN_TRACKING_SCENARIO_H

#include "dlearn-graph-scenario.h"
#include "dlearn-tracking-graphs.h"
#include "dlearn-tracking-options.h"

#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/dlearn-tracking-monitor.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A run of peers on directed graphs: gradient tracking (GradientTracking), or a rule that it is
 * compared with under the same steps, samples and noise.
 *
 * Gradient tracking has both graphs, alpha, beta, gamma and m_K of the scheme, and its noise times
 * the option noise on states and trackers. The others exchange states alone, with the weights
 * alpha R_ij (push-sum has its own), the constant step gamma, batches of m_K samples and the noise
 * of the states; samples of dp-sgd grow to m_K in the last round, and ternary has its quantiser in
 * the place of noise. What no option says can be set as an attribute of the rule: with
 * `ns3::dlearn::Pdop::StepRatio` below 1, say, PDOP is again what its authors proposed.
 *
 * The error of rounds.csv is that of GradientNormEvaluator. Where gradients have no bound and are
 * not clipped (`ns3::dlearn::Task::ClipNorm`) there is no privacy account.
 *
 * @code
 *   TrackingOptions options("my-study");
 *   options.network = "p2p";
 *   TrackingScenario scenario(options);
 *   RunResults results = scenario.Run(std::cout);
 * @endcode
 */
class TrackingScenario : public GraphScenario
{
  public:
    /** @param options what to run */
    explicit TrackingScenario(const TrackingOptions& options);

    /** @return watches the invariant; null when nobody tracks */
    Ptr<TrackingMonitor> GetTrackingMonitor() const;

    const ScenarioOptions& GetOptions() const override;

  protected:
    void PrintTitle(std::ostream& table) const override;
    void Complete(RunResults& results) const override;

  private:
    void LoadTask();
    void BuildRadios();
    void CreateLearners();
    void ConfigureTracking(GradientTracking& rule, size_t shard) const;
    void ConfigureBaseline(PeerRule& rule) const;
    void ConfigureNoise(NoiseMechanism& noise, const TrackingNoise& planned) const;
    void SetUnlessChosen(Object& rule, const std::string& name, const AttributeValue& value) const;
    double FindSmoothness() const;
    bool HasAccount() const;
    void AddTheory(RunResults& results) const;
    void AddSampleWarning(RunResults& results) const;
    void AddRadioWarning(RunResults& results) const;

    TrackingOptions m_options;                   //!< what to run
    TrackingPlan m_plan;                         //!< what its scheme comes to
    std::map<std::string, std::string> m_chosen; //!< attributes that the user has set
    TrackingGraphs m_graphs;                     //!< R and C
    std::vector<SampleIndices> m_shards;         //!< one a learner
    Ptr<TrackingMonitor> m_invariant;            //!< null when nobody tracks
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACKING_SCENARIO_H
