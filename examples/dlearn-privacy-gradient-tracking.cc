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
 * counts that two runs take their gradients at different states; --smoothness=0 gives Lemma 2 as
 * printed, which does not.
 *
 * With --clip alone C = 2 clip is read as the paper does, as a bound on the 1-norm. Clipping
 * bounds the Euclidean norm; --dimension=D adds the factor sqrt(D) that this costs, and that the
 * account of a simulation includes.
 */

#include "dlearn-privacy-planner.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-tracking-scheme.h"

#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>

namespace ns3::dlearn
{

namespace
{

/** The planner of DP-GT. */
class GradientTrackingPlanner : public PrivacyPlanner
{
  public:
    void AddOptions(ProgramArguments& arguments) override;
    void Print() const override;
    Useless FindUseless() const override;

  private:
    TrackingChoice m_choice;            //!< scheme, steps, samples, noise
    int64_t m_rounds{2000};             //!< K
    double m_clip{1};                   //!< C = 2 clip
    double m_inWeight{1};               //!< sum_j R_ij
    double m_outWeight{1};              //!< sum_j C_ji
    int64_t m_dimension{1};             //!< d
    double m_smoothness{-1};            //!< L; negative: has to be said
    double m_regularization{0};         //!< L of the regularization alone
    std::string m_mechanism{"laplace"}; //!< law of the noise
    double m_delta{1e-5};               //!< of epsilon under Gaussian noise
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
    arguments.AddValue("tracker-noise-exponent",
                       "p_eta, the same of trackers",
                       m_choice.trackerNoiseExponent);
    arguments.AddValue("dimension",
                       "Entries of a model, where C bounds Euclidean distances; 1: C bounds the "
                       "1-norm, as in the paper",
                       m_dimension);
    arguments.AddValue("smoothness",
                       "L: Lipschitz constant of one sample's gradient; negative: not known, "
                       "gradients differ by at most C; 0: Lemma 2 as printed, which is not a bound",
                       m_smoothness);
    arguments.AddValue("regularization",
                       "l2 regularization, which clipping does not bound",
                       m_regularization);
    arguments.AddValue("mechanism", "Law of the noise: laplace or gaussian", m_mechanism);
    arguments.AddValue("delta", "Of epsilon under Gaussian noise", m_delta);
}

void
GradientTrackingPlanner::Print() const
{
    PlannedTracker learner;
    const uint32_t rounds = RequireCount("rounds", m_rounds, 0, 100000000);
    RequireAtLeastZero("clip", m_clip);
    RequireAtLeastZero("in-weight", m_inWeight);
    RequireAtLeastZero("out-weight", m_outWeight);
    Require(std::isfinite(m_smoothness), "--smoothness must be finite, got ", m_smoothness);
    RequireAtLeastZero("regularization", m_regularization);
    Require(m_mechanism == "laplace" || m_mechanism == "gaussian",
            "--mechanism must be laplace or gaussian, got ",
            m_mechanism);
    Require(m_delta > 0 && m_delta < 1, "--delta must be in (0, 1), got ", m_delta);
    learner.sensitivity = 2 * m_clip;
    learner.inWeight = m_inWeight;
    learner.outWeight = m_outWeight;
    learner.dimension = RequireCount("dimension", m_dimension, 1, 2000000000);
    learner.smoothness = m_smoothness < 0 ? std::numeric_limits<double>::infinity() : m_smoothness;
    learner.regularization = m_regularization;
    learner.law = m_mechanism == "gaussian" ? NoiseLaw::GAUSSIAN : NoiseLaw::LAPLACE;
    learner.delta = m_delta;
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
    if (m_smoothness == 0)
    {
        std::cout
            << "# no bound: Lemma 2 as printed takes the gradients of two runs at one state\n";
    }
    std::cout << std::setprecision(10) << "scheme=" << m_choice.scheme << "\n"
              << "alpha=" << plan.alpha << "\n"
              << "beta=" << plan.beta << "\n"
              << "gamma=" << plan.gamma << "\n"
              << "samples=" << plan.samples << "\n"
              << "epsilon=" << PlanTrackingEpsilon(plan, learner) << "\n";
}

PrivacyPlanner::Useless
GradientTrackingPlanner::FindUseless() const
{
    Useless useless;
    useless.push_back(m_mechanism == "gaussian"
                          ? std::pair{"dimension", "mechanism laplace, with its 1-norm"}
                          : std::pair{"delta", "mechanism gaussian"});
    if (m_smoothness == 0)
    {
        useless.push_back({"regularization", "a smoothness other than 0"});
    }
    return useless;
}

} // namespace

std::unique_ptr<PrivacyPlanner>
MakeGradientTrackingPlanner()
{
    return std::make_unique<GradientTrackingPlanner>();
}

} // namespace ns3::dlearn
