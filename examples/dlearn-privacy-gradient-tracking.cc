/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * dlearn-privacy --algorithm=gradient-tracking. What one learner of DP-GT spends in rounds 0 to
 * K over a network that loses nothing (Chen, Wang and Zhang, "Differentially Private
 * Gradient-Tracking-Based Distributed Stochastic Optimization over Directed Graphs", Lemmas 2
 * and 3). The defaults are scheme (S1) of its section 4.1, K = 2000:
 *
 *   dlearn-privacy --algorithm=gradient-tracking --scheme=s1 --state-noise-exponent=0.2
 *
 * With --clip alone C = 2 clip is read as the paper does, as a bound on the 1-norm. Clipping
 * bounds the Euclidean norm; --dimension=D adds the factor sqrt(D) that this costs, and that a
 * simulation books.
 */

#include "dlearn-privacy-planner.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-tracking-conditions.h"
#include "ns3/dlearn-tracking-epsilon.h"

#include <cmath>
#include <iomanip>
#include <iostream>

namespace ns3
{
namespace dlearn
{

namespace
{

/** The planner of DP-GT. */
class GradientTrackingPlanner : public PrivacyPlanner
{
  public:
    void AddOptions(ProgramArguments& arguments) override;
    void Print() const override;

  private:
    TrackingChoice m_choice; //!< scheme, steps, samples, noise
    int64_t m_rounds{2000};  //!< K
    double m_clip{1};        //!< C = 2 clip
    double m_inWeight{1};    //!< sum_j R_ij
    double m_outWeight{1};   //!< sum_j C_ji
    int64_t m_dimension{1};  //!< d
    double m_smoothness{0};  //!< L
};

void
GradientTrackingPlanner::AddOptions(ProgramArguments& arguments)
{
    arguments.AddValue("scheme", "s1, s2 or free (sigma_k = (k+1)^exponent)", m_choice.scheme);
    arguments.AddValue("rounds", "K: rounds 0 to K are counted", m_rounds);
    arguments.AddValue("clip", "Per-sample clipping norm c: C = 2c", m_clip);
    arguments.AddValue("in-weight", "sum_j R_ij of the learner", m_inWeight);
    arguments.AddValue("out-weight",
                       "coefficient of step 5: sum_j C_ji of the learner",
                       m_outWeight);
    arguments.AddValue("alpha", "Coupling of the states; 0 for the scheme's", m_choice.alpha);
    arguments.AddValue("beta", "Coupling of the trackers; 0 for the scheme's", m_choice.beta);
    arguments.AddValue("gamma", "Step along the tracker; 0 for the scheme's", m_choice.gamma);
    arguments.AddValue("samples", "m_K, samples of a gradient; 0: the scheme's", m_choice.samples);
    arguments.AddValue("state-noise-exponent",
                       "p_zeta: sigma_k = (k+1)^p in s1 and free, p^K in s2; empty: the scheme's",
                       m_choice.stateNoiseExponent);
    arguments.AddValue("tracker-noise-exponent", "p_eta, likewise", m_choice.trackerNoiseExponent);
    arguments.AddValue("dimension",
                       "Entries of a model, where C bounds Euclidean distances; 1: C bounds the "
                       "1-norm, as in the paper",
                       m_dimension);
    arguments.AddValue("smoothness",
                       "L, to count that two runs take gradients at different states; 0: not, as "
                       "in the paper",
                       m_smoothness);
}

void
GradientTrackingPlanner::Print() const
{
    PlannedTracker learner;
    const uint32_t rounds = RequireCount("rounds", m_rounds, 0, 100000000);
    RequireAtLeastZero("clip", m_clip);
    RequireAtLeastZero("in-weight", m_inWeight);
    RequireAtLeastZero("out-weight", m_outWeight);
    RequireAtLeastZero("smoothness", m_smoothness);
    learner.sensitivity = 2 * m_clip;
    learner.inWeight = m_inWeight;
    learner.outWeight = m_outWeight;
    learner.dimension = RequireCount("dimension", m_dimension, 1, 2000000000);
    learner.smoothness = m_smoothness;
    const TrackingPlan plan = m_choice.GetPlan(rounds);

    LearnerTracking tracking;
    tracking.alpha = plan.alpha;
    tracking.beta = plan.beta;
    tracking.inWeight = m_inWeight;
    tracking.outWeight = m_outWeight;
    for (const std::string& violation : FindViolations(tracking))
    {
        std::cout << "# does not hold: " << violation << "\n";
    }
    std::cout << std::setprecision(10) << "scheme=" << m_choice.scheme << "\n"
              << "alpha=" << plan.alpha << "\n"
              << "beta=" << plan.beta << "\n"
              << "gamma=" << plan.gamma << "\n"
              << "samples=" << plan.samples << "\n"
              << "epsilon=" << PlanTrackingEpsilon(plan, learner) << "\n";
}

} // namespace

std::unique_ptr<PrivacyPlanner>
MakeGradientTrackingPlanner()
{
    return std::make_unique<GradientTrackingPlanner>();
}

} // namespace dlearn
} // namespace ns3
