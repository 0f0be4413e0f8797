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
 * The directed graphs of a run, and their radios.
 */
struct TrackingGraphs
{
    Graph states{1};   //!< R
    Graph trackers{1}; //!< C; without edges unless a rule tracks gradients
    std::vector<std::pair<double, double>> positions; //!< of radios, in metres; may be empty
    std::vector<double> powers;                       //!< of radios, in dBm; may be empty
    Graph radios{1}; //!< which radio receives which; one node without radios
};

/**
 * @ingroup dlearn
 * Make the graphs of the options.
 *
 * Names are those of DirectedGraphByName() and `radio`: the graph of radios that receive each other
 * at the initial positions of the radio networks of the same spec, with the powers of the options
 * (RadioGraph()). A tracker graph `same` has the edges of the state graph. Graphs without given
 * weights have R_ij = 1/(in-degree of i) and C_ij = 1/(out-degree of j).
 *
 * Gradient tracking needs Assumption 1 (RequireTrackingAssumption()). Other algorithms use only the
 * state graph, with gradient tracking's weights w_ij = alpha R_ij; it must be connected.
 *
 * @param spec options of the run
 * @param stream first random stream (three are used)
 * @return the graphs
 * @throw std::runtime_error when a file cannot be read
 * @throw std::invalid_argument for a name, a file or a graph that cannot be used
 */
TrackingGraphs MakeTrackingGraphs(const RunSpec& spec, int64_t stream);

/**
 * @ingroup dlearn
 * The learners of a run of peers on directed graphs: gradient tracking (GradientTracking), or a
 * rule for comparison with the same steps, samples and noise.
 *
 * Gradient tracking uses both graphs, alpha, beta, gamma and m_K of the scheme, and its noise,
 * multiplied by the option noise, on states and trackers. The other rules use only the state graph,
 * with the weights alpha R_ij (except push-sum and push-diging), the constant step gamma, batches
 * of m_K samples and the noise of the states; the batches of dp-sgd grow to m_K in the last round,
 * and ternary has its quantiser instead of noise. Attributes of the rule set everything that has no
 * option: for example, PDOP has the authors' step sizes if `ns3::dlearn::Pdop::StepRatio` is below
 * 1.
 *
 * The error in rounds.csv is that of GradientNormEvaluator. There is no privacy account if
 * gradients are unbounded and not clipped (`ns3::dlearn::Task::ClipNorm`).
 */
class DirectedLearners : public PeerLearners
{
  public:
    /** @param spec options of the run, of kind DIRECTED */
    explicit DirectedLearners(const RunSpec& spec);

    /** @return the monitor of the trackers' invariant; null for other rules */
    Ptr<TrackingMonitor> GetTrackingMonitor() const { return m_invariant; }

    NetworkSetup GetNetworkSetup() const override;
    void Install(Network& network) override;
    void Describe(std::ostream& title) const override;
    void Complete(RunResults& results) const override;

  protected:
    std::unique_ptr<ModelEvaluator> DoCreateEvaluator() const override;

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

    /** @return the Lipschitz constant of the gradient if the task knows it, otherwise 0 */
    double FindSmoothness() const;

    /** @return whether privacy accounts of a type of rules are possible */
    bool HasAccount(TypeId rule) const;

    void AddTheory(RunResults& results) const;

    void AddSampleWarning(RunResults& results) const;

    void AddRadioWarning(RunResults& results) const;

    TrackingPlan m_plan; //!< parameters of the scheme
    TrackingGraphs m_graphs;
    Ptr<TrackingMonitor> m_invariant; //!< null unless rules track gradients
    bool m_overWifi{false};           //!< whether the network is a WifiNetwork
};

} // namespace ns3::dlearn

#endif // DLEARN_DIRECTED_LEARNERS_H
