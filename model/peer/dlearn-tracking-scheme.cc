/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tracking-scheme.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-gradient-tracking-ledger.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-types.h"
#include "ns3/double.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dlearn
{

namespace
{

/** Eigenvalues cost n^3: larger networks are not checked. */
constexpr uint32_t LARGEST = 500;

/** Collects conditions that do not hold. */
class Findings
{
  public:
    /** Note a condition, with its name and values, unless it holds. */
    template <typename... Parts>
    void Demand(bool holds, const Parts&... parts)
    {
        if (!holds)
        {
            m_found.push_back(FormatText(parts...));
        }
    }

    std::vector<std::string> Get() const { return m_found; }

  private:
    std::vector<std::string> m_found;
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

/** @return the spectrum, or nothing and a finding */
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

/** Require both matrices of Lemma 1, of spectral radius 1 - step rate, to contract, and add the
 *  bounds of the steps that follow. */
void
DemandContractions(const TrackingSpectrum& spectrum,
                   const TrackingPlan& plan,
                   Bounds& alpha,
                   Bounds& beta,
                   Findings& findings)
{
    const auto demand = [&](const char* matrix, double step, double rate) {
        findings.Demand(rate > 0, "rho of ", matrix, " < 1 (Lemma 1): ", 1 - step * rate);
        return rate > 0;
    };
    if (demand("I - alpha L_1 - 1 v_1^T / n", plan.alpha, spectrum.rate1))
    {
        alpha.emplace_back("1/r_L1", 1 / spectrum.rate1);
    }
    if (demand("I - beta L_2 - v_2 1^T / n", plan.beta, spectrum.rate2))
    {
        beta.emplace_back("1/r_L2", 1 / spectrum.rate2);
    }
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
SchemeS1::FindViolations(const TrackingPlan& plan, const TrackingNetwork& network) const
{
    Findings findings;
    findings.Demand(0.5 < pBeta && pBeta < pAlpha && pAlpha < pGamma && pGamma < 1,
                    "1/2 < p_beta < p_alpha < p_gamma < 1 (Assumption 4): ",
                    pBeta,
                    ", ",
                    pAlpha,
                    ", ",
                    pGamma);
    const auto demandOne = [&findings](const char* condition, double value) {
        findings.Demand(AtLeast(value, 1), condition, " >= 1 (Assumption 4): ", value);
    };
    demandOne("2 p_gamma - p_alpha", 2 * pGamma - pAlpha);
    demandOne("2 p_alpha - 2 p_zeta - p_beta", 2 * pAlpha - 2 * pState - pBeta);
    demandOne("2 p_alpha - p_beta", 2 * pAlpha - pBeta);
    demandOne("2 p_beta - 2 p_eta", 2 * pBeta - 2 * pTracker);
    demandOne("p_m - p_beta", pSamples - pBeta);
    const double tracker = pSamples - pBeta - std::max(0.0, 1 - pTracker);
    findings.Demand(tracker > 0, "p_m - p_beta - max{0, 1-p_eta} > 0 (Theorem 4): ", tracker);
    const double state =
        pSamples + std::min(0.0, pGamma - pAlpha - pBeta) - std::max(0.0, 1 - pState);
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
    DemandBelow("a_1 (Assumption 4)", plan.alpha * std::pow(horizon, pAlpha), first, findings);
    DemandBelow("a_2 (Assumption 4)", plan.beta * std::pow(horizon, pBeta), second, findings);
    findings.Demand(network.smoothness > 0,
                    "a_3 < n/(4 v_1^T v_2 L) (Assumption 4): not checked, L is not known of this "
                    "task");
    if (spectrum && network.smoothness > 0)
    {
        const double n = network.states.GetSize();
        DemandBelow("a_3 (Assumption 4)",
                    plan.gamma * std::pow(horizon, pGamma),
                    {{"n/(4 v_1^T v_2 L)", n / (4 * spectrum->overlap * network.smoothness)}},
                    findings);
    }
    return findings.Get();
}

namespace
{

/** Bounds on gamma of Assumption 5. W_1 = I - 1 v_1^T / n and W_2 = I - v_2 1^T / n are
 *  projections: their spectral radius is 1. */
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
SchemeS2::FindViolations(const TrackingPlan& plan, const TrackingNetwork& network) const
{
    Findings findings;
    const auto demandFraction = [&findings](const char* name, double value) {
        findings.Demand(value > 0 && value < 1, "0 < ", name, " < 1 (Assumption 5): ", value);
    };
    demandFraction("p_zeta", pState);
    demandFraction("p_eta", pTracker);
    findings.Demand(pSamples > 1, "p_m > 1 (Assumption 5): ", pSamples);
    findings.Demand(1 / pSamples < std::min(pState, pTracker),
                    "1/p_m < min{p_zeta, p_eta} (Theorem 5): ",
                    1 / pSamples,
                    ", ",
                    std::min(pState, pTracker));

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

namespace
{

/** @return m_K, of which count is m_K - 1 when rounded down */
uint32_t
CountSamples(double count)
{
    constexpr double MOST = std::numeric_limits<uint32_t>::max();
    Require(count >= 0 && count < MOST,
            "TrackingScheme: the samples of a gradient must be between 1 and {}, got {}",
            MOST,
            count + 1);
    return static_cast<uint32_t>(std::floor(count)) + 1;
}

/** Refuse step sizes and noises that are out of their range. */
TrackingPlan
CheckPlan(const TrackingPlan& plan)
{
    const char* const name = "TrackingScheme";
    RequirePositive(name, "alpha", plan.alpha);
    RequirePositive(name, "beta", plan.beta);
    RequirePositive(name, "gamma", plan.gamma);
    RequirePositive(name, "scale of the state's noise", plan.state.base);
    RequirePositive(name, "scale of the tracker's noise", plan.tracker.base);
    Require(std::isfinite(plan.state.exponent) && std::isfinite(plan.tracker.exponent),
            "{}: exponents of the noise must be finite, got {} and {}",
            name,
            plan.state.exponent,
            plan.tracker.exponent);
    Require(plan.samples >= 1, "{}: samples must be at least 1, got 0", name);
    return plan;
}

/** Read the value of an option, if there is any. */
void
ReadExponent(const char* option, const std::string& text, double& value)
{
    if (!text.empty())
    {
        const auto number = ParseNumber(text);
        Require(number.has_value(), "--{} must be a number, got {}", option, text);
        value = *number;
    }
}

/** Take the value of an option unless it is 0. */
void
ReadPositive(const char* option, double given, double& value)
{
    Require(std::isfinite(given) && given >= 0,
            "--{} must be finite and greater than 0, or 0 for the scheme's own, got {}",
            option,
            given);
    value = given > 0 ? given : value;
}

template <typename Scheme>
std::unique_ptr<TrackingScheme>
Make(const TrackingChoice& choice)
{
    auto scheme = std::make_unique<Scheme>();
    ReadExponent("state-noise-exponent", choice.stateNoiseExponent, scheme->pState);
    ReadExponent("tracker-noise-exponent", choice.trackerNoiseExponent, scheme->pTracker);
    return scheme;
}

} // namespace

TrackingPlan
SchemeS1::GetPlan(uint32_t rounds) const
{
    const double horizon = rounds + 1.0;
    return CheckPlan({rounds,
                      a1 / std::pow(horizon, pAlpha),
                      a2 / std::pow(horizon, pBeta),
                      a3 / std::pow(horizon, pGamma),
                      CountSamples(a4 * std::pow(rounds, pSamples)),
                      {1, pState},
                      {1, pTracker}});
}

TrackingPlan
SchemeS2::GetPlan(uint32_t rounds) const
{
    return CheckPlan({rounds,
                      alpha,
                      beta,
                      gamma,
                      CountSamples(std::pow(pSamples, rounds)),
                      {std::pow(pState, rounds), 0},
                      {std::pow(pTracker, rounds), 0}});
}

TrackingPlan
FreeScheme::GetPlan(uint32_t rounds) const
{
    return CheckPlan({rounds, alpha, beta, gamma, samples, {1, pState}, {1, pTracker}});
}

std::vector<std::string>
FreeScheme::FindViolations(const TrackingPlan&, const TrackingNetwork&) const
{
    return {"scheme (Theorems 1 to 5 are about S1 and S2): free, about which they say nothing"};
}

std::unique_ptr<TrackingScheme>
TrackingChoice::MakeScheme() const
{
    Require(scheme == "s1" || scheme == "s2" || scheme == "free",
            "--scheme must be s1, s2 or free, got {}",
            scheme);
    if (scheme == "s1")
    {
        return Make<SchemeS1>(*this);
    }
    return scheme == "s2" ? Make<SchemeS2>(*this) : Make<FreeScheme>(*this);
}

TrackingPlan
TrackingChoice::GetPlan(uint32_t rounds) const
{
    TrackingPlan plan = MakeScheme()->GetPlan(rounds);
    ReadPositive("alpha", alpha, plan.alpha);
    ReadPositive("beta", beta, plan.beta);
    ReadPositive("gamma", gamma, plan.gamma);
    Require(samples >= 0 && samples <= std::numeric_limits<uint32_t>::max(),
            "--samples must be between 1 and {}, or 0 for the scheme's own, got {}",
            std::numeric_limits<uint32_t>::max(),
            samples);
    plan.samples = samples > 0 ? static_cast<uint32_t>(samples) : plan.samples;
    return plan;
}

double
PlanTrackingEpsilon(const TrackingPlan& plan, const PlannedTracker& learner)
{
    const auto ledger = CreateObject<GradientTrackingLedger>();
    if (learner.smoothness == 0)
    {
        ledger->SetAttribute("Smoothness", DoubleValue(0));
    }
    ledger->SetAttribute("Delta", DoubleValue(learner.delta));
    TrackingConstants constants;
    constants.sensitivity = learner.sensitivity;
    constants.samples = plan.samples;
    constants.smoothness = learner.smoothness;
    constants.regularization = learner.regularization;
    constants.spread = learner.sensitivity; // as clipping makes it
    ledger->SetConstants(constants);
    TrackingRelease release;
    release.dimension = learner.dimension;
    release.stateLaw = learner.law;
    release.trackerLaw = learner.law;
    TrackingUpdate update;
    update.stepSize = plan.gamma;
    update.nominalCoupling = plan.alpha * learner.inWeight;
    update.realisedCoupling = update.nominalCoupling;
    update.nominalPush = plan.beta * learner.outWeight;
    update.realisedPush = update.nominalPush;
    for (uint64_t round = 0; round <= plan.rounds; ++round)
    {
        const auto k = static_cast<uint32_t>(round);
        release.round = k;
        release.stateScale = PowerLaw(plan.state.base, plan.state.exponent, k);
        release.trackerScale = PowerLaw(plan.tracker.base, plan.tracker.exponent, k);
        update.round = k;
        ledger->Refresh(k);
        ledger->Release(release, true);
        ledger->Update(update);
    }
    return ledger->GetNominalEpsilon();
}

} // namespace ns3::dlearn
