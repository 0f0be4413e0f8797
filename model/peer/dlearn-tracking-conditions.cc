/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tracking-conditions.h"

#include "ns3/dlearn-check.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace ns3::dlearn
{

namespace
{

/** Eigenvalues cost n^3: for larger networks the user learns that nothing was checked. */
constexpr uint32_t LARGEST = 500;

/** Collects conditions that do not hold. */
class Findings
{
  public:
    /**
     * @param holds whether a condition holds
     * @param parts its name and values, to say when it does not
     */
    template <typename... Parts>
    void Demand(bool holds, const Parts&... parts)
    {
        if (!holds)
        {
            std::ostringstream text;
            (text << ... << parts);
            m_found.push_back(text.str());
        }
    }

    /** @return all that was found */
    std::vector<std::string> Get() const { return m_found; }

  private:
    std::vector<std::string> m_found; //!< in the order of the demands
};

/** @return whether a >= b up to rounding, as exponents are written in decimals */
bool
AtLeast(double a, double b)
{
    return a >= b - 1e-12;
}

/** @return the largest modulus of the eigenvalues */
double
SpectralRadius(const Eigen::MatrixXd& matrix)
{
    return matrix.eigenvalues().cwiseAbs().maxCoeff();
}

/** @return the vector x with matrix x = 0 whose entries sum to n; empty when not unique */
Eigen::VectorXd
FindNullVector(const Eigen::MatrixXd& matrix)
{
    Eigen::FullPivLU<Eigen::MatrixXd> decomposition(matrix);
    decomposition.setThreshold(1e-10);
    if (decomposition.dimensionOfKernel() != 1)
    {
        return {};
    }
    const Eigen::VectorXd kernel = decomposition.kernel();
    return kernel * (static_cast<double>(kernel.size()) / kernel.sum());
}

/** @return largest sum_j R_ij and largest sum_j C_ji of all learners */
std::pair<double, double>
FindLargestWeights(const TrackingNetwork& network)
{
    double in = 0;
    double out = 0;
    for (LearnerId i = 0; i < network.states.GetSize(); ++i)
    {
        in = std::max(in, network.states.GetInWeight(i));
        double sum = 0;
        for (const auto& [receiver, weight] : network.trackers.GetOutNeighbors(i))
        {
            sum += weight;
        }
        out = std::max(out, sum);
    }
    return {in, out};
}

/** The spectrum, or a finding that says why there is none. */
std::optional<TrackingSpectrum>
DemandSpectrum(const TrackingPlan& plan, const TrackingNetwork& network, Findings& findings)
{
    const uint32_t size = network.states.GetSize();
    findings.Demand(size <= LARGEST,
                    "conditions on the spectra of L_1 and L_2: not checked for more than ",
                    LARGEST,
                    " learners");
    if (size > LARGEST)
    {
        return {};
    }
    const auto spectrum = FindSpectrum(network.states, network.trackers, plan.alpha, plan.beta);
    findings.Demand(spectrum.has_value(),
                    "Lemma 1 (Assumption 1): the null vectors v_1 of L_1^T and v_2 of L_2 must be "
                    "unique, with v_1^T v_2 > 0");
    return spectrum;
}

/** Bounds that a step must stay below, by name. */
using Bounds = std::vector<std::pair<const char*, double>>;

/**
 * Require a matrix of Lemma 1 to contract, and add what then bounds its step.
 *
 * @param matrix its name
 * @param bound name of the bound
 * @param step alpha or beta
 * @param rate 1 - step rate is the spectral radius of the matrix
 */
void
DemandContraction(const char* matrix,
                  const char* bound,
                  double step,
                  double rate,
                  Bounds& bounds,
                  Findings& findings)
{
    findings.Demand(rate > 0, "rho of ", matrix, " < 1 (Lemma 1): ", 1 - step * rate);
    if (rate > 0)
    {
        bounds.emplace_back(bound, 1 / rate);
    }
}

/** Require what Lemma 1 says of both matrices. */
void
DemandContractions(const TrackingSpectrum& spectrum,
                   const TrackingPlan& plan,
                   Bounds& alpha,
                   Bounds& beta,
                   Findings& findings)
{
    DemandContraction("I - alpha L_1 - 1 v_1^T / n",
                      "1/r_L1",
                      plan.alpha,
                      spectrum.rate1,
                      alpha,
                      findings);
    DemandContraction("I - beta L_2 - v_2 1^T / n",
                      "1/r_L2",
                      plan.beta,
                      spectrum.rate2,
                      beta,
                      findings);
}

/** Require a step to be below all of its bounds; the message names only the tightest. */
void
DemandBelow(const char* condition, double step, const Bounds& bounds, Findings& findings)
{
    const auto least =
        std::min_element(bounds.begin(), bounds.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
    findings.Demand(step < least->second,
                    condition,
                    ": ",
                    step,
                    ", the bound is ",
                    least->second,
                    " (",
                    least->first,
                    ")");
}

} // namespace

std::vector<std::string>
FindViolations(const LearnerTracking& learner)
{
    Findings findings;
    const double state = learner.alpha * learner.inWeight;
    const double tracker = learner.beta * learner.outWeight;
    findings.Demand(state > 0 && state < 1,
                    "0 < alpha_K sum_j R_ij < 1 (Corollary 1; finite epsilon, Theorems 4 and 5): ",
                    state);
    findings.Demand(tracker > 0 && tracker < 1,
                    "0 < beta_K sum_j C_ji < 1 (Corollary 1; finite epsilon, Theorems 4 and 5; "
                    "out-weights, see the erratum): ",
                    tracker);
    return findings.Get();
}

std::optional<TrackingSpectrum>
FindSpectrum(const Graph& states, const Graph& trackers, double alpha, double beta)
{
    RequireSize("FindSpectrum", "the graph of the trackers", trackers.GetSize(), states.GetSize());
    const Eigen::Index n = states.GetSize();
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(n);
    const Eigen::MatrixXd inLaplacian = -states.GetCouplingMatrix();
    Eigen::MatrixXd outLaplacian = -trackers.GetCouplingMatrix();
    outLaplacian.diagonal().setZero();
    outLaplacian.diagonal() = -outLaplacian.colwise().sum();

    TrackingSpectrum spectrum;
    spectrum.v1 = FindNullVector(inLaplacian.transpose());
    spectrum.v2 = FindNullVector(outLaplacian);
    if (spectrum.v1.size() == 0 || spectrum.v2.size() == 0)
    {
        return {};
    }
    spectrum.overlap = spectrum.v1.dot(spectrum.v2);
    if (!(spectrum.overlap > 1e-10))
    {
        return {};
    }
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(n, n);
    const double count = static_cast<double>(n);
    const double radius1 =
        SpectralRadius(identity - alpha * inLaplacian - ones * spectrum.v1.transpose() / count);
    const double radius2 =
        SpectralRadius(identity - beta * outLaplacian - spectrum.v2 * ones.transpose() / count);
    spectrum.rate1 = (1 - radius1) / alpha;
    spectrum.rate2 = (1 - radius2) / beta;
    spectrum.radius1 = SpectralRadius(inLaplacian);
    return spectrum;
}

std::vector<std::string>
FindAssumption4Violations(const SchemeS1Constants& s,
                          const TrackingPlan& plan,
                          const TrackingNetwork& network)
{
    Findings findings;
    findings.Demand(0.5 < s.pBeta && s.pBeta < s.pAlpha && s.pAlpha < s.pGamma && s.pGamma < 1,
                    "1/2 < p_beta < p_alpha < p_gamma < 1 (Assumption 4): ",
                    s.pBeta,
                    ", ",
                    s.pAlpha,
                    ", ",
                    s.pGamma);
    const auto demandOne = [&findings](const char* condition, double value) {
        findings.Demand(AtLeast(value, 1), condition, " >= 1 (Assumption 4): ", value);
    };
    demandOne("2 p_gamma - p_alpha", 2 * s.pGamma - s.pAlpha);
    demandOne("2 p_alpha - 2 p_zeta - p_beta", 2 * s.pAlpha - 2 * s.pState - s.pBeta);
    demandOne("2 p_alpha - p_beta", 2 * s.pAlpha - s.pBeta);
    demandOne("2 p_beta - 2 p_eta", 2 * s.pBeta - 2 * s.pTracker);
    demandOne("p_m - p_beta", s.pSamples - s.pBeta);
    const double tracker = s.pSamples - s.pBeta - std::max(0.0, 1 - s.pTracker);
    findings.Demand(tracker > 0, "p_m - p_beta - max{0, 1-p_eta} > 0 (Theorem 4): ", tracker);
    const double state =
        s.pSamples + std::min(0.0, s.pGamma - s.pAlpha - s.pBeta) - std::max(0.0, 1 - s.pState);
    findings.Demand(state > 0,
                    "p_m + min{0, p_gamma-p_alpha-p_beta} - max{0, 1-p_zeta} > 0 (Theorem 4): ",
                    state);

    const auto spectrum = DemandSpectrum(plan, network, findings);
    const double horizon = plan.rounds + 1.0;
    const auto [in, out] = FindLargestWeights(network);
    Bounds first{{"1/sum_j R_ij", 1 / in}};
    Bounds second{{"1/sum_j C_ji, out-weights", 1 / out}};
    if (spectrum)
    {
        DemandContractions(*spectrum, plan, first, second, findings);
    }
    DemandBelow("a_1 (Assumption 4)", plan.alpha * std::pow(horizon, s.pAlpha), first, findings);
    DemandBelow("a_2 (Assumption 4)", plan.beta * std::pow(horizon, s.pBeta), second, findings);
    findings.Demand(network.smoothness > 0,
                    "a_3 < n/(4 v_1^T v_2 L) (Assumption 4): not checked, L is not known of this "
                    "task");
    if (spectrum && network.smoothness > 0)
    {
        const double n = network.states.GetSize();
        DemandBelow("a_3 (Assumption 4)",
                    plan.gamma * std::pow(horizon, s.pGamma),
                    {{"n/(4 v_1^T v_2 L)", n / (4 * spectrum->overlap * network.smoothness)}},
                    findings);
    }
    return findings.Get();
}

namespace
{

/**
 * Bounds on gamma of Assumption 5. W_1 = I - 1 v_1^T / n and W_2 = I - v_2 1^T / n are
 * projections: their spectral radius is 1.
 */
Bounds
FindGammaBounds(const TrackingPlan& plan, const TrackingNetwork& network, const TrackingSpectrum& s)
{
    const double n = network.states.GetSize();
    const double lip = network.smoothness;
    const double mu = network.curvature;
    const double r1 = s.rate1;
    const double r2 = s.rate2;
    const double norm1 = s.v1.norm();
    const double norm2 = s.v2.norm();
    const double v = s.overlap;
    const double rho = s.radius1;
    // sqrt of mu/(||v_1||^2 ||v_2||^2 (16 L^2 + 3 mu)), in the last parts of Q_1 and Q_2
    const double root = std::sqrt(mu / (16 * lip * lip + 3 * mu)) / (norm1 * norm2);
    const double q1 = std::min({std::sqrt(n) * r1 / (8 * norm2 * lip),
                                std::sqrt(6 * n) * r1 / (24 * norm2 * lip),
                                norm1 * r1 / (2 * lip) * std::sqrt(n) * root});
    const double q2 = std::min(
        {std::sqrt(2) * r2 / (6 * lip),
         r1 * r2 / (24 * rho * lip),
         std::sqrt(2 * n * v * v * v) * r2 / (6 * norm1 * norm2 * lip),
         v * r1 * r2 / (36 * norm1 * norm2 * lip) * std::sqrt(6 / (4 * rho * rho + r1 * r1)),
         r2 / lip * std::sqrt(v / (6 * n)),
         v * r2 / (66 * lip) * std::sqrt(660.0) * root});
    return {{"1", 1.0},
            {"n/(15 v_1^T v_2 L)", n / (15 * v * lip)},
            {"Q_1 alpha", q1 * plan.alpha},
            {"Q_2 beta", q2 * plan.beta}};
}

} // namespace

std::vector<std::string>
FindAssumption5Violations(const SchemeS2Constants& s,
                          const TrackingPlan& plan,
                          const TrackingNetwork& network)
{
    Findings findings;
    const auto demandFraction = [&findings](const char* name, double value) {
        findings.Demand(value > 0 && value < 1, "0 < ", name, " < 1 (Assumption 5): ", value);
    };
    demandFraction("p_zeta", s.pState);
    demandFraction("p_eta", s.pTracker);
    findings.Demand(s.pSamples > 1, "p_m > 1 (Assumption 5): ", s.pSamples);
    findings.Demand(1 / s.pSamples < std::min(s.pState, s.pTracker),
                    "1/p_m < min{p_zeta, p_eta} (Theorem 5): ",
                    1 / s.pSamples,
                    ", ",
                    std::min(s.pState, s.pTracker));

    const auto spectrum = DemandSpectrum(plan, network, findings);
    const auto [in, out] = FindLargestWeights(network);
    Bounds alpha{{"1/sum_j R_ij", 1 / in}};
    Bounds beta{{"1/sum_j C_ji, out-weights", 1 / out}};
    if (spectrum)
    {
        const double n = network.states.GetSize();
        DemandContractions(*spectrum, plan, alpha, beta, findings);
        alpha.emplace_back("multiple of beta",
                           std::sqrt(330 * n) * spectrum->overlap * spectrum->rate2 /
                               (66 * n * spectrum->v1.norm() * spectrum->radius1) * plan.beta);
    }
    DemandBelow("alpha (Assumption 5)", plan.alpha, alpha, findings);
    DemandBelow("beta (Assumption 5)", plan.beta, beta, findings);
    const bool known = network.smoothness > 0 && network.curvature > 0;
    findings.Demand(known,
                    "gamma < min{1, n/(15 v_1^T v_2 L), Q_1 alpha, Q_2 beta} (Assumption 5): not "
                    "checked, L or mu is not known of this task");
    if (spectrum && known)
    {
        DemandBelow("gamma (Assumption 5)",
                    plan.gamma,
                    FindGammaBounds(plan, network, *spectrum),
                    findings);
    }
    return findings.Get();
}

} // namespace ns3::dlearn
