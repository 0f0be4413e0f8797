/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * dlearn-privacy --algorithm=ldp-online. The defaults are the first experiment of Chen and
 * Wang, "Locally Differentially Private Distributed Online Learning with Guaranteed
 * Optimality": five learners on a ring, 112 features, noise Lap((t+1)^(0.1 + 0.01 i)) of
 * learner i = 1..5.
 *
 * The plan is a network that loses nothing; a lossy one costs more (fewer arrivals contract
 * less), and a simulation accounts for what happened. Learners are numbered from 1 here, as in the
 * paper.
 */

#include "dlearn-privacy-planner.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-privacy-plans.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <map>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** The options. */
struct Parameters
{
    int64_t learners{5};
    std::string graph{"ring"};
    std::string weight{"0.3"};
    int64_t rounds{2000};
    int64_t dimension{112};
    int64_t window{0};
    double sensitivity{2};
    double clip{0};
    double regularization{0};
    double smoothness{-1};
    double noise{1};
    double noiseExponent{0.1};
    double noiseExponentStep{0.01};
    double step{1};
    double stepExponent{0.77};
    double coupling{1};
    double couplingExponent{0.65};
    std::string ledger{"refined"};
    std::string mechanism{"laplace"};
    double delta{1e-5};
    std::string unit{"batch"};
    int64_t batch{20};
    int64_t samples{0};
    double targetEpsilon{0};

    /** @return the protected unit */
    TypeId GetUnit() const
    {
        ComponentFamily family = GetPrivacyUnitFamily();
        family.option = "--" + family.option;
        return ParseComponent(family, unit).GetTypeId();
    }

    void AddOptions(ProgramArguments& arguments);
    void Validate() const;
    PrivacyPlanner::Useless FindUseless() const;
};

void
Parameters::AddOptions(ProgramArguments& arguments)
{
    arguments.AddValue("learners", "Number of learners", learners);
    arguments.AddValue("graph",
                       "ring, path, complete, star, grid, er:P, rgg:R, graphml:FILE",
                       graph);
    arguments.AddValue("weight",
                       "Weight of an edge: a number, metropolis or max-degree",
                       weight,
                       {"edge-weight"});
    arguments.AddValue("rounds", "Number of rounds", rounds);
    arguments.AddValue("dimension", "Entries of a model", dimension);
    arguments.AddValue("window", "Newest batches in the gradient; 0 for all", window);
    arguments.AddValue("sensitivity", "C: largest distance of two samples' gradients", sensitivity);
    arguments.AddValue("clip", "Per-sample clipping norm c: makes C = 2c; 0 for none", clip);
    arguments.AddValue("regularization",
                       "l2 regularization, the curvature mu of the loss",
                       regularization);
    arguments.AddValue("smoothness",
                       "L, regularization included; -1 for 0.25 + regularization (logistic loss, "
                       "features of norm 1)",
                       smoothness);
    arguments.AddValue(
        "noise",
        "Scale of the noise in round 0: b of Laplace noise, else the standard deviation",
        noise);
    arguments.AddValue("noise-exponent", "Growth exponent of the noise", noiseExponent);
    arguments.AddValue("noise-exponent-step",
                       "Added to it i times for learner i",
                       noiseExponentStep);
    arguments.AddValue("step", "lambda_0", step);
    arguments.AddValue("step-exponent", "v: lambda_t = lambda_0 / (t+1)^v", stepExponent);
    arguments.AddValue("coupling", "gamma_0", coupling);
    arguments.AddValue("coupling-exponent", "u: gamma_t = gamma_0 / (t+1)^u", couplingExponent);
    arguments.AddValue("ledger", "theorem5, refined or convex", ledger);
    arguments.AddValue("mechanism", "Law of the noise: laplace or gaussian", mechanism);
    arguments.AddValue("delta", "Of epsilon under Gaussian noise", delta);
    arguments.AddValue("privacy-unit",
                       "What epsilon protects: a sample, a batch or all data of a learner",
                       unit);
    arguments.AddValue("batch",
                       "Samples that a round draws, for privacy-unit sample",
                       batch,
                       {"batch-size"});
    arguments.AddValue("samples",
                       "Samples of a learner, drawn in passes (attribute Replacement = false of "
                       "ns3::dlearn::SampleStream), for privacy-unit sample",
                       samples);
    arguments.AddValue("target-epsilon",
                       "Find the noise that meets this epsilon; 0 for no",
                       targetEpsilon);
}

void
Parameters::Validate() const
{
    RequireCount("learners", learners, 1, 100000);
    RequireCount("rounds", rounds, 1, 100000000);
    RequireCount("dimension", dimension, 1, 2000000000);
    RequireCount("window", window, 0, 100000000);
    RequireAtLeastZero("sensitivity", sensitivity);
    RequireAtLeastZero("clip", clip);
    RequireAtLeastZero("regularization", regularization);
    RequireAtLeastZero("noise", noise);
    RequireAtLeastZero("step", step);
    RequireAtLeastZero("step-exponent", stepExponent);
    RequireAtLeastZero("coupling", coupling);
    RequireAtLeastZero("coupling-exponent", couplingExponent);
    RequireAtLeastZero("target-epsilon", targetEpsilon);
    Require(mechanism == "laplace" || mechanism == "gaussian",
            "--mechanism must be laplace or gaussian, got ",
            mechanism);
    Require(delta > 0 && delta < 1, "--delta must be in (0, 1), got ", delta);
    GetUnit(); // refuses a wrong name
    RequireCount("batch", batch, 1, 1000000);
    Require(unit != "sample" || samples > 0,
            "--privacy-unit=sample needs --samples, the number of samples of a learner");
    RequireCount("samples", samples, 0, 100000000);
    Require(unit != "sample" || batch <= samples,
            "--batch must be at most the {} samples of a learner, got {}",
            samples,
            batch);
    Require(std::isfinite(noiseExponent) && std::isfinite(noiseExponentStep),
            "--noise-exponent and --noise-exponent-step must be finite, got {} and {}",
            noiseExponent,
            noiseExponentStep);
    Require(smoothness == -1 || (std::isfinite(smoothness) && smoothness >= regularization),
            "--smoothness must be finite and at least the regularization {}, got {}",
            regularization,
            smoothness);
}

PrivacyPlanner::Useless
Parameters::FindUseless() const
{
    PrivacyPlanner::Useless useless;
    if (targetEpsilon > 0)
    {
        useless.push_back({"noise", "target-epsilon 0, as the target decides about the noise"});
    }
    if (clip > 0)
    {
        useless.push_back({"sensitivity", "clip 0, as clipping decides about the sensitivity"});
    }
    if (clip > 0 && smoothness != -1)
    {
        useless.push_back({"regularization", "clip 0 or smoothness -1"});
    }
    useless.push_back(mechanism == "gaussian"
                          ? std::pair{"dimension", "mechanism laplace, with its 1-norm"}
                          : std::pair{"delta", "mechanism gaussian"});
    if (unit == "learner")
    {
        useless.push_back({"window", "privacy-unit batch or sample"});
    }
    if (unit != "sample")
    {
        useless.push_back({"batch", "privacy-unit sample"});
        useless.push_back({"samples", "privacy-unit sample"});
    }
    return useless;
}

/** Print what all learners spend together and the most that one of them does. */
void
PrintTotals(const std::string& key, const std::vector<double>& epsilon)
{
    double sum = 0;
    for (double value : epsilon)
    {
        sum += value;
    }
    std::cout << key << "_max=" << *std::max_element(epsilon.begin(), epsilon.end()) << "\n"
              << key << "_sum=" << sum << "\n";
}

/** What LDP-OL does with the options, but for the ledger. */
LdpOnlinePlan
GetLdpOnlinePlan(const Parameters& p)
{
    LdpOnlinePlan plan;
    plan.rounds = static_cast<uint32_t>(p.rounds);
    plan.dimension = static_cast<uint32_t>(p.dimension);
    plan.sensitivity = p.clip > 0 ? 2 * p.clip : p.sensitivity;
    plan.smoothness = p.smoothness == -1 ? 0.25 + p.regularization : p.smoothness;
    // Clipped gradients need not be those of a convex loss.
    plan.curvature = p.clip > 0 ? -1 : p.regularization;
    plan.stepSize = p.step;
    plan.stepExponent = p.stepExponent;
    plan.coupling = p.coupling;
    plan.couplingExponent = p.couplingExponent;
    plan.historyWindow = static_cast<uint32_t>(p.window);
    plan.law = p.mechanism == "gaussian" ? NoiseLaw::GAUSSIAN : NoiseLaw::LAPLACE;
    plan.delta = p.delta;
    plan.unit = p.GetUnit();
    if (p.unit == "sample")
    {
        plan.batch = static_cast<uint32_t>(p.batch);
        plan.samples = static_cast<uint32_t>(p.samples);
    }
    return plan;
}

/** The learners of LDP-OL, with the noise that was asked for or that meets the target. */
std::vector<PlannedLearner>
GetLdpOnlineLearners(const Parameters& p, const LdpOnlinePlan& plan)
{
    const Graph graph =
        WeightsByName(GraphByName(p.graph, static_cast<uint32_t>(p.learners), 0, 100), p.weight);
    std::vector<PlannedLearner> learners;
    for (LearnerId i = 0; i < graph.GetSize(); ++i)
    {
        PlannedLearner learner;
        learner.inWeight = graph.GetInWeight(i);
        learner.noiseExponent = p.noiseExponent + p.noiseExponentStep * (i + 1);
        learner.noiseScale =
            p.targetEpsilon > 0 ? PlanNoiseScale(plan, learner, p.targetEpsilon) : p.noise;
        learners.push_back(learner);
    }
    return learners;
}

/** Print a table for people: learners and their epsilon under every ledger that holds. */
void
PrintLdpOnlineTable(const Parameters& p,
                    const std::vector<PlannedLearner>& learners,
                    const std::map<std::string, std::vector<double>>& epsilon)
{
    std::cout << "# learner  weight     noise exponent";
    for (const auto& [name, values] : epsilon)
    {
        std::cout << std::setw(12) << name;
    }
    std::cout << "\n" << std::setprecision(4);
    for (size_t i = 0; i < learners.size(); ++i)
    {
        std::cout << "#" << std::setw(8) << i + 1 << std::setw(8) << learners[i].inWeight
                  << std::setw(10) << learners[i].noiseScale << std::setw(9)
                  << learners[i].noiseExponent;
        for (const auto& [name, values] : epsilon)
        {
            std::cout << std::setw(12) << values[i];
        }
        std::cout << "\n";
    }
    std::cout << "# theorem5 protects all data of a learner at once, the others one "
              << (p.unit == "batch" ? "round's batch" : p.unit)
              << ".\n"
                 "# _max: the least protected learner. _sum: all learners together, for somebody\n"
                 "# whose data several of them hold.\n";
}

/** Plan a run of LDP-OL. */
void
PlanLdpOnline(const Parameters& p)
{
    LdpOnlinePlan plan = GetLdpOnlinePlan(p);
    std::map<std::string, TypeId> ledgers{{"theorem5", LdpOnlineTheorem5Ledger::GetTypeId()},
                                          {"refined", LdpOnlineRefinedLedger::GetTypeId()},
                                          {"convex", LdpOnlineConvexLedger::GetTypeId()}};
    Require(ledgers.count(p.ledger) == 1,
            "--ledger must be theorem5, refined or convex, got ",
            p.ledger);
    if (plan.curvature < 0)
    {
        Require(p.ledger != "convex",
                "--ledger=convex does not hold for clipped gradients; use --ledger=refined");
        ledgers.erase("convex");
    }
    plan.ledger = ledgers[p.ledger];
    const std::vector<PlannedLearner> learners = GetLdpOnlineLearners(p, plan);

    std::map<std::string, std::vector<double>> epsilon;
    for (const auto& [name, type] : ledgers)
    {
        plan.ledger = type;
        for (const PlannedLearner& learner : learners)
        {
            epsilon[name].push_back(PlanEpsilon(plan, learner));
        }
    }
    PrintLdpOnlineTable(p, learners, epsilon);
    std::cout << "ledger=" << p.ledger << "\n"
              << "mechanism=" << p.mechanism << "\n"
              << "privacy_unit=" << p.unit << "\n"
              << std::setprecision(10) << "delta=" << (plan.law == NoiseLaw::LAPLACE ? 0 : p.delta)
              << "\n";
    for (size_t i = 0; i < learners.size(); ++i)
    {
        std::cout << "epsilon[" << i + 1 << "]=" << epsilon[p.ledger][i] << "\n";
    }
    PrintTotals("epsilon", epsilon[p.ledger]);
    for (const auto& [name, values] : epsilon)
    {
        PrintTotals("epsilon_" + name, values);
    }
    for (size_t i = 0; p.targetEpsilon > 0 && i < learners.size(); ++i)
    {
        std::cout << "noise[" << i + 1 << "]=" << learners[i].noiseScale << "\n";
    }
}

/** The planner of LDP-OL. */
class LdpOnlinePlanner : public PrivacyPlanner
{
  public:
    void AddOptions(ProgramArguments& arguments) override { m_parameters.AddOptions(arguments); }

    void Print() const override
    {
        m_parameters.Validate();
        PlanLdpOnline(m_parameters);
    }

    Useless FindUseless() const override { return m_parameters.FindUseless(); }

  private:
    Parameters m_parameters; //!< the options
};

} // namespace

std::unique_ptr<PrivacyPlanner>
MakeLdpOnlinePlanner()
{
    return std::make_unique<LdpOnlinePlanner>();
}

} // namespace ns3::dlearn
