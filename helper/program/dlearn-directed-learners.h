/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DIRECTED_LEARNERS_H
#define DLEARN_DIRECTED_LEARNERS_H

#include "dlearn-peer-learners.h"
#include "dlearn-tracking-graphs.h"

#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-tracking-monitor.h"

#include <map>
#include <string>

namespace ns3::dlearn
{

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

    NetworkOptions GetNetworkOptions() const override;
    void Install(Network& network) override;
    std::unique_ptr<ModelEvaluator> CreateEvaluator() const override;
    void Describe(std::ostream& title) const override;
    void Complete(RunResults& results) const override;

  protected:
    Graph GetStateGraph() const override { return m_graphs.states; }

    Graph GetTrackerGraph() const override { return m_graphs.trackers; }

    void ConfigureRule(UpdateRule& rule, LearnerId id) const override;

  private:
    /**
     * @param rule gets what the scheme says
     * @param shard samples of the learner
     */
    void ConfigureTracking(GradientTracking& rule, size_t shard) const;

    /** @param rule that is compared with gradient tracking; gets what the scheme says */
    void ConfigureBaseline(PeerRule& rule) const;

    /**
     * @param noise gets the scale of the scheme
     * @param planned what the scheme says
     * @param option exponent of this noise, which is refused where the noise has none
     */
    void ConfigureNoise(NoiseMechanism& noise,
                        const TrackingNoise& planned,
                        const char* option) const;

    /**
     * @param rule whose attribute is set, unless a user chose its value
     * @param name of the attribute, which the rule need not have
     * @param value of the attribute
     */
    void SetUnlessChosen(Object& rule, const std::string& name, const AttributeValue& value) const;

    /** @return the Lipschitz constant of a gradient, as far as the task knows; else 0 */
    double FindSmoothness() const;

    /** @return whether a privacy account of a type of rules can tell anything */
    bool HasAccount(TypeId rule) const;

    /** @param results get a warning for each condition of the theory that is not met */
    void AddTheory(RunResults& results) const;

    /** @param results get a warning when some learners have less samples than the scheme takes */
    void AddSampleWarning(RunResults& results) const;

    /** @param results get a warning when one-way radio links lose what is sent to one receiver */
    void AddRadioWarning(RunResults& results) const;

    TrackingPlan m_plan;                         //!< what the scheme comes to
    std::map<std::string, std::string> m_chosen; //!< attributes that the user has set
    TrackingGraphs m_graphs;                     //!< R and C
    Ptr<TrackingMonitor> m_invariant;            //!< null when no rule tracks
    bool m_overWifi{false};                      //!< whether the network is one of Wi-Fi
};

} // namespace ns3::dlearn

#endif // DLEARN_DIRECTED_LEARNERS_H
