/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DIRECTED_LEARNERS_H
#define DLEARN_DIRECTED_LEARNERS_H

#include "dlearn-peer-learners.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-tracking-monitor.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The directed graphs of a run, and the radios that they come from.
 */
struct TrackingGraphs
{
    Graph states{1};                                  //!< R
    Graph trackers{1};                                //!< C; without edges when no rule tracks
    std::vector<std::pair<double, double>> positions; //!< of radios, in metres; empty for none
    std::vector<double> powers;                       //!< of radios, in dBm; empty for none
    Graph radios{1}; //!< which hears which; one where there are none
};

/**
 * @ingroup dlearn
 * Make the graphs that a user named.
 *
 * Names are those of DirectedGraphByName() and `radio`: the radios that hear each other when all
 * stand where the radio networks of the same spec place them at the start and send with the powers
 * asked for (RadioGraph()). A tracker graph `same` has the edges of the state graph. Graphs without
 * given weights get R_ij = 1/(in-degree of i) and C_ij = 1/(out-degree of j).
 *
 * Gradient tracking needs Assumption 1 (RequireTrackingAssumption()). Other algorithms exchange
 * states only, w_ij = alpha R_ij as gradient tracking does; their graph must not fall apart.
 *
 * @param spec what to make
 * @param stream first random stream (3 used)
 * @return the graphs
 * @throw std::runtime_error when a file cannot be read
 * @throw std::invalid_argument when a name, a file or a graph will not do
 */
TrackingGraphs MakeTrackingGraphs(const RunSpec& spec, int64_t stream);

/**
 * @ingroup dlearn
 * The learners of a run of peers on directed graphs: gradient tracking (GradientTracking), or a
 * rule that it is compared with under the same steps, samples and noise.
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
 */
class DirectedLearners : public PeerLearners
{
  public:
    /** @param spec what to run, of kind DIRECTED */
    explicit DirectedLearners(const RunSpec& spec);

    /** @return watches the invariant of the trackers; null for other rules */
    Ptr<TrackingMonitor> GetTrackingMonitor() const { return m_invariant; }

    NetworkSetup GetNetworkSetup() const override;
    void Install(Network& network) override;
    std::unique_ptr<ModelEvaluator> CreateEvaluator() const override;
    void Describe(std::ostream& title) const override;
    void Complete(RunResults& results) const override;

  protected:
    Graph GetStateGraph() const override { return m_graphs.states; }

    Graph GetTrackerGraph() const override { return m_graphs.trackers; }

    void ConfigureRule(UpdateRule& rule, LearnerId id) const override;

  private:
    void ConfigureTracking(GradientTracking& rule, size_t shard) const;

    void GiveCompensation(UpdateRule& rule) const;
    void ConfigureBaseline(PeerRule& rule) const;

    void ConfigureNoise(NoiseMechanism& noise,
                        const TrackingNoise& planned,
                        const std::string& option) const;

    static void SetUnlessChosen(Object& rule, const std::string& name, const AttributeValue& value);

    /** @return the Lipschitz constant of a gradient, as far as the task knows; else 0 */
    double FindSmoothness() const;

    /** @return whether a privacy account of a type of rules can tell anything */
    bool HasAccount(TypeId rule) const;

    void AddTheory(RunResults& results) const;

    void AddSampleWarning(RunResults& results) const;

    void AddRadioWarning(RunResults& results) const;

    TrackingPlan m_plan;              //!< what the scheme comes to
    TrackingGraphs m_graphs;          //!< R and C
    Ptr<TrackingMonitor> m_invariant; //!< null when no rule tracks
    bool m_overWifi{false};           //!< whether the network is one of Wi-Fi
};

} // namespace ns3::dlearn

#endif // DLEARN_DIRECTED_LEARNERS_H
