/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-scenario-options.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-network-factory.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

std::string
Print(const std::string& value)
{
    return value;
}

std::string
Print(bool value)
{
    return value ? "true" : "false";
}

std::string
Print(uint32_t value)
{
    return std::to_string(value);
}

std::string
Print(double value)
{
    return FormatShortest(value);
}

} // namespace

ScenarioOptions::ScenarioOptions(std::string name)
    : program(std::move(name)),
      out("results/" + program)
{
}

ScenarioOptions::~ScenarioOptions() = default;

std::vector<ScenarioOption>
ScenarioOptions::List()
{
    return {
        {"task",
         "auto, logistic, softmax, least-squares, sine (not convex, with a known minimum), cnn (a "
         "convolutional network for images, 28 x 28 for instance), net:LAYERS, layers of convFxS "
         "(F filters of S x S), poolS, "
         "relu, sigmoid, flatten, fcN with commas between them, such as net:fc100,relu,fc10, or "
         "torch:FILE, a network in a TorchScript file (needs LibTorch)",
         &task},
        {"data", GetDataNames(), &data},
        {"data-dir", "where data sets lie; default DLEARN_DATA, then ../shared/data", &dataDir},
        {"partition", "iid, label, sorted or dirichlet:ALPHA", &partition},
        {"data-samples", "of generated and glyphs: samples; 0: 8000 and 12500", &dataSamples},
        {"test-fraction",
         "share of the samples kept back for scoring, where there is no test set",
         &testFraction},
        {"unit-norm",
         "divide the features by the largest norm of a sample; not with normalize or task sine",
         &unitNorm},
        {"normalize",
         "images: mean 0 and variance 1 in each channel of the training data",
         &normalize},
        {"mirror", "images: learn from the mirror images, too", &mirror},
        {"regularization", "strength of the l2 regularization", &regularization},
        {"network", GetNetworkNames(), &network},
        {"transport", "udp, broadcast (UDP, shared media only) or tcp", &transport},
        {"loss", "probability that a packet is lost, [0, 1)", &loss},
        {"delay", "propagation delay of a wired link", &delay},
        {"rate", "rate of a wired link", &rate},
        {"trunk-rate", "rate between the routers of a tree or backbone", &trunkRate},
        {"mtu",
         "largest IP packet in bytes; 0: 1500, of ideal 65535; more, of ideal, p2p, tree, backbone "
         "and trace: fewer packets to simulate",
         &mtu},
        {"side", "radio: side in metres of the square of positions", &side},
        {"mobility", "radio: move by random waypoint", &mobility},
        {"float-bits", "bits of a number on the wire: 16, 32 or 64", &floatBits},
        {"compress", "of what is sent: none, fp16, qsgd:S, topk:K or randk:K", &compress},
        {"rounds", "number of rounds", &rounds},
        {"deadline", "longest time of a round, such as 200ms; empty: wait for all", &deadline},
        {"quorum", "share of the expected messages that closes a round, (0, 1]", &quorum},
        {"links",
         "of ideal and p2p: down:A-B@TIME,up:A-B@TIME,loss=P:A-B@TIME,... on the link of learners "
         "A "
         "and B; AtoB: only what A sends to B",
         &links},
        {"churn", "crash:LEARNER@TIME,leave:LEARNER@TIME,restart:LEARNER@TIME,...", &churn},
        {"evaluate-every", "evaluate every so many rounds", &evaluateEvery},
        {"evaluation-samples",
         "evaluate the loss on so many random training samples, the same in every round, and the "
         "accuracy on the first so many test samples; 0: on all",
         &evaluationSamples},
        {"threads", "threads that compute gradients; results do not depend on it", &threads},
        {"out", "directory of the results", &out},
        {"transcript",
         "write transcript.csv: whose data entered which state, which messages left and came",
         &transcript},
    };
}

void
ScenarioOptions::AddTo(ProgramArguments& arguments)
{
    for (const ScenarioOption& option : List())
    {
        std::visit([&](auto* value) { arguments.AddValue(option.name, option.help, *value); },
                   option.value);
        if (!option.alias.empty())
        {
            const std::string help = "the same as " + option.name;
            std::visit([&](auto* value) { arguments.AddValue(option.alias, help, *value); },
                       option.value);
        }
    }
}

std::vector<std::pair<std::string, std::string>>
ScenarioOptions::GetParameters() const
{
    std::vector<std::pair<std::string, std::string>> parameters;
    // List() hands out pointers for AddTo() to write to; here they are only read.
    for (const ScenarioOption& option : const_cast<ScenarioOptions*>(this)->List())
    {
        const auto print = [](const auto* value) { return Print(*value); };
        parameters.emplace_back(option.name, std::visit(print, option.value));
    }
    return parameters;
}

void
ScenarioOptions::RequireCount(const char* name, uint32_t value, uint32_t most)
{
    Require(value >= 1 && value <= most, name, " must be from 1 to ", most, ", got ", value);
}

void
ScenarioOptions::RequireAtLeastZero(const char* name, double value)
{
    Require(std::isfinite(value) && value >= 0,
            name,
            " must be finite and at least 0, got ",
            value);
}

void
ScenarioOptions::Validate() const
{
    RequireCount("rounds", rounds, 1000000000);
    RequireCount("threads", threads, 256);
    RequireCount("evaluate-every", evaluateEvery, 1000000000);
    RequireCount("evaluation-samples", std::max(evaluationSamples, 1U), 1000000000);
    Require(loss >= 0 && loss < 1, "loss must be in [0, 1), got ", loss);
    Require(quorum > 0 && quorum <= 1, "quorum must be in (0, 1], got ", quorum);
    Require(floatBits == 16 || floatBits == 32 || floatBits == 64,
            "float-bits must be 16, 32 or 64, got ",
            floatBits);
    RequireAtLeastZero("regularization", regularization);
    Require(deadline.empty() || quorum == 1, "deadline and quorum exclude each other");
    Require(!out.empty(), "out must name a directory");
}

} // namespace ns3::dlearn
