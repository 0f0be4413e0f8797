/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-options.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-number-parser.h"

#include <sstream>

namespace ns3::dlearn
{

FederatedOptions::FederatedOptions(std::string name)
    : ScenarioOptions(std::move(name))
{
    data = "linear-gaussian";
    regularization = 0.001; // of data sets; enough for separable classes to have a best model
    transport = "tcp";
    rounds = 20;
}

std::vector<ScenarioOption>
FederatedOptions::List()
{
    std::vector<ScenarioOption> options{
        {"runs", "independent runs; their mean error goes to model_error.csv", &runs},
        {"clients", "number of clients", &clients},
        {"samples", "samples of a client in a round; data sets: 0 for its whole share", &samples},
        {"local-steps",
         "gradient steps of a client in a round, or inf: exact minimum",
         &localSteps},
        {"step-size", "of the clients' gradient steps", &stepSize},
        {"proximal", "FedProx: strength of the pull to the server's model", &proximal},
        {"dimension", "linear-gaussian: entries of the model", &dimension},
        {"noise-std", "linear-gaussian: noise on the targets; or a list, one a client", &noiseStd},
        {"heterogeneity",
         "linear-gaussian: distance of each client's truth from the common one",
         &heterogeneity},
        {"initial-error", "linear-gaussian: ||w* - w_0||^2", &initialError},
        {"sparsity", "linear-gaussian: non-zero entries of w*; 0 for all", &sparsity},
        {"drift", "linear-gaussian: root mean squared step of w* from round to round", &drift},
        {"mode", "sync, async (FedAsync) or buffered (FedBuff)", &mode},
        {"sample-fraction",
         "sync: share of the clients that take part in a round",
         &sampleFraction},
        {"sample-count", "sync: number of clients in a round; 0: by the share", &sampleCount},
        {"sample-plan", "sync: clients of each round, such as 1-3;4,5, repeated", &samplePlan},
        {"buffer-size", "buffered: updates that make a new model", &bufferSize},
        {"concurrency", "async, buffered: clients that work at a time; 0 for all", &concurrency},
        {"staleness",
         "weight of an update of an old model: discard, constant, polynomial:A (1+t)^-A, "
         "hinge:B:A, or auto: discard when sync, else polynomial:0.5",
         &staleness},
        {"mixing", "async: share of a fresh client's model in the next one", &mixing},
        {"server-rate", "sync, buffered: the server's step along the mean update", &serverRate},
        {"momentum", "sync, buffered: of the server's steps (FedAvgM)", &momentum},
        {"patience", "longest wait for the answer to a model", &responseTimeout},
        {"compress-model", "of the server's model: none, fp16 or qsgd:S", &compressModel},
        {"devices", "CSV file of unequal devices: client,rate,delay,loss,flops", &devices},
        {"client-rate",
         "of the clients' links: a value, uniform:A:B, lognormal:MEDIAN:SIGMA or "
         "exponential:MEAN",
         &clientRate},
        {"client-delay", "of the clients' links, likewise", &clientDelay},
        {"client-loss", "of the clients' links, likewise", &clientLoss},
        {"client-flops", "operations a second of the clients' devices, likewise", &clientFlops},
    };
    const auto common = ScenarioOptions::List();
    options.insert(options.end(), common.begin(), common.end());
    const auto explain = [&options](auto* value, const char* help) {
        for (ScenarioOption& option : options)
        {
            option.help = option.value == decltype(option.value)(value) ? help : option.help;
        }
    };
    const std::string names = "linear-gaussian, " + GetDataNames();
    explain(&data, names.c_str());
    explain(&regularization, "data sets: strength of the l2 regularization");
    explain(&transport, "tcp, udp or broadcast (UDP; the model is sent once to all)");
    explain(&compress, "of the clients' updates: none, fp16, qsgd:S, topk:K or randk:K");
    return options;
}

bool
FederatedOptions::IsLinearGaussian() const
{
    return data == "linear-gaussian";
}

uint32_t
FederatedOptions::GetLocalSteps() const
{
    const uint32_t steps = ParseWholeNumber(localSteps).value_or(0);
    Require(steps >= 1 || localSteps == "inf",
            "local-steps must be a whole number of at least 1, or inf; got '",
            localSteps,
            "'");
    return steps;
}

std::vector<double>
FederatedOptions::GetNoiseStds() const
{
    std::vector<double> stds;
    std::istringstream list(noiseStd);
    for (std::string item; std::getline(list, item, ',');)
    {
        const auto number = ParseNumber(item);
        Require(number && std::isfinite(*number) && *number >= 0,
                "noise-std must be a number of at least 0, or a list of them, got '",
                noiseStd,
                "'");
        stds.push_back(*number);
    }
    Require(stds.size() == 1 || stds.size() == clients,
            "noise-std must be one number or one for each of the ",
            clients,
            " clients, got ",
            stds.size());
    return stds;
}

void
FederatedOptions::Validate() const
{
    ScenarioOptions::Validate();
    const bool sync = mode == "sync";
    RequireCount("runs", runs, 1000000);
    RequireCount("clients", clients, 100000);
    RequireCount("samples", IsLinearGaussian() ? samples : samples + 1, 1000000);
    RequireCount("dimension", dimension, 100000000);
    Require(!IsLinearGaussian() || !(normalize || mirror || dataSamples > 0),
            "data-samples, normalize and mirror need data sets, got data linear-gaussian");
    GetLocalSteps();
    GetNoiseStds();
    RequireCount("buffer-size", bufferSize, 100000);
    Require(concurrency <= clients,
            "concurrency must be at most the number of clients, ",
            clients,
            "; got ",
            concurrency);
    Require(sampleFraction > 0 && sampleFraction <= 1,
            "sample-fraction must be in (0, 1], got ",
            sampleFraction);
    Require(mixing > 0 && mixing <= 1, "mixing must be in (0, 1], got ", mixing);
    Require(momentum >= 0 && momentum < 1, "momentum must be in [0, 1), got ", momentum);
    RequireAtLeastZero("server-rate", serverRate);
    Require(serverRate > 0, "server-rate must be greater than 0, got ", serverRate);
    Require(compressModel == "none" || compressModel == "fp16" ||
                compressModel.rfind("qsgd:", 0) == 0,
            "compress-model must be none, fp16 or qsgd:S, got '",
            compressModel,
            "'");
    RequireAtLeastZero("step-size", stepSize);
    RequireAtLeastZero("proximal", proximal);
    RequireAtLeastZero("heterogeneity", heterogeneity);
    RequireAtLeastZero("initial-error", initialError);
    RequireAtLeastZero("drift", drift);
    Require(stepSize > 0, "step-size must be greater than 0, got ", stepSize);
    Require(sync || mode == "async" || mode == "buffered",
            "mode must be one of sync, async, buffered; got '",
            mode,
            "'");
    Require(sync || (sampleFraction == 1 && sampleCount == 0 && samplePlan.empty()),
            "sample-fraction, sample-count and sample-plan need mode sync, got ",
            mode,
            "; see concurrency");
    Require(sync || (deadline.empty() && quorum == 1),
            "deadline and quorum need mode sync, got ",
            mode,
            "; see buffer-size");
    Require(sync || drift == 0,
            "drift needs mode sync: with ",
            mode,
            " the clients' rounds are not those of the server");
    Require(!sync || concurrency == 0, "concurrency needs mode async or buffered");
    Require(mode != "async" || (serverRate == 1 && momentum == 0),
            "server-rate and momentum need mode sync or buffered; see mixing");
    Require((sampleFraction < 1) + (sampleCount > 0) + !samplePlan.empty() <= 1,
            "sample-fraction, sample-count and sample-plan exclude each other");
    Require(devices.empty() || (clientRate.empty() && clientDelay.empty() && clientLoss.empty() &&
                                clientFlops.empty()),
            "devices and client-rate, -delay, -loss, -flops exclude each other");
}

} // namespace ns3::dlearn
