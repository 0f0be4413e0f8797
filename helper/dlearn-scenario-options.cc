/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-scenario-options.h"

#include "dlearn-text-format.h"

#include "ns3/dlearn-check.h"

#include <type_traits>

namespace ns3
{
namespace dlearn
{

ScenarioOptions::ScenarioOptions(std::string name)
    : program(std::move(name)),
      out("results/" + program)
{
}

/** The one list of options: name, help, value. */
template <typename Visitor>
void
ScenarioOptions::Visit(Visitor&& visit)
{
    visit("algorithm", "ldp-online, dsgd, dola or pdop", algorithm);
    visit("task", "auto, logistic, softmax or least-squares", task);
    visit("data", "generated, mushrooms or the path of a LIBSVM file (may be .gz)", data);
    visit("data-dir", "where data sets lie; default DLEARN_DATA, then ../shared/data", dataDir);
    visit("partition", "iid, label, sorted or dirichlet:ALPHA", partition);
    visit("test-fraction", "share of the samples kept back for scoring", testFraction);
    visit("unit-norm", "divide the features by the largest norm of a sample", unitNorm);
    visit("learners", "number of learners; 0 with graphml: as many as its nodes", learners);
    visit("graph", "ring|path|complete|star|grid|er:P|rgg:R|graphml:FILE", graph);
    visit("weight", "metropolis, max-degree or the weight of every edge", weight);
    visit("network", "ideal, p2p, csma, wifi-adhoc or wifi-infra", network);
    visit("transport", "udp, broadcast (UDP, shared media only) or tcp", transport);
    visit("loss", "probability that a packet is lost, [0, 1)", loss);
    visit("delay", "propagation delay of a wired link", delay);
    visit("rate", "rate of a wired link", rate);
    visit("side", "radio: side in metres of the square of positions", side);
    visit("mobility", "radio: move by random waypoint", mobility);
    visit("float-bits", "bits of a number on the wire, 32 or 64", floatBits);
    visit("rounds", "number of rounds", rounds);
    visit("batch", "new samples of each learner in each round", batch);
    visit("regularization", "strength of the l2 regularization", regularization);
    visit("initial",
          "standard deviation of the entries of the learners' random initial models; 0: all zero",
          initial);
    visit("noise", "multiplies the base noise; 0: no noise, epsilon infinite", noise);
    visit("noise-exponent",
          "growth of the noise scale: (t+1)^(this + step i), i from 1",
          noiseExponent);
    visit("noise-exponent-step",
          "see noise-exponent; with many learners choose it smaller",
          noiseExponentStep);
    visit("deadline", "longest time of a round, such as 200ms; empty: wait for all", deadline);
    visit("quorum", "share of the expected messages that closes a round, (0, 1]", quorum);
    visit("missing", "what a missing message means: skip, last (received) or wait", missing);
    visit("churn", "crash:LEARNER@TIME,restart:LEARNER@TIME,...", churn);
    visit("evaluate-every", "evaluate every so many rounds", evaluateEvery);
    visit("out", "directory of the results", out);
}

void
ScenarioOptions::AddTo(ProgramArguments& arguments)
{
    Visit([&](const char* name, const char* help, auto& value) {
        arguments.AddValue(name, help, value);
    });
}

std::vector<std::pair<std::string, std::string>>
ScenarioOptions::GetParameters() const
{
    std::vector<std::pair<std::string, std::string>> parameters;
    const auto print = [&](const char* name, const char* /* help */, const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string>)
        {
            parameters.emplace_back(name, value);
        }
        else if constexpr (std::is_same_v<Value, bool>)
        {
            parameters.emplace_back(name, value ? "true" : "false");
        }
        else if constexpr (std::is_integral_v<Value>)
        {
            parameters.emplace_back(name, std::to_string(value));
        }
        else
        {
            parameters.emplace_back(name, FormatShortest(value));
        }
    };
    ScenarioOptions copy(*this); // Visit() hands out references that one could write to
    copy.Visit(print);
    return parameters;
}

void
ScenarioOptions::Validate() const
{
    // The command line turns -1 into the largest number there is: hence the upper ends.
    const auto isCount = [](const char* name, uint32_t value, uint32_t most) {
        Require(value >= 1 && value <= most, name, " must be from 1 to ", most, ", got ", value);
    };
    const auto isNonNegative = [](const char* name, double value) {
        Require(std::isfinite(value) && value >= 0,
                name,
                " must be finite and at least 0, got ",
                value);
    };
    const bool fromFile = graph.rfind("graphml:", 0) == 0;
    isCount("learners", learners == 0 && fromFile ? 1 : learners, 100000);
    isCount("rounds", rounds, 1000000000);
    isCount("batch", batch, 1000000);
    isCount("evaluate-every", evaluateEvery, 1000000000);
    Require(loss >= 0 && loss < 1, "loss must be in [0, 1), got ", loss);
    Require(quorum > 0 && quorum <= 1, "quorum must be in (0, 1], got ", quorum);
    Require(floatBits == 32 || floatBits == 64, "float-bits must be 32 or 64, got ", floatBits);
    isNonNegative("initial", initial);
    isNonNegative("noise", noise);
    isNonNegative("regularization", regularization);
    Require(std::isfinite(noiseExponent) && std::isfinite(noiseExponentStep),
            "noise-exponent and noise-exponent-step must be finite");
    Require(deadline.empty() || quorum == 1, "deadline and quorum exclude each other");
    Require(!out.empty(), "out must name a directory");
}

} // namespace dlearn
} // namespace ns3
