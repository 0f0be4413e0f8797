/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tracking-options.h"

#include "dlearn-peer-algorithms.h"
#include "dlearn-synchrony-option.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

TrackingOptions::TrackingOptions(std::string name)
    : ScenarioOptions(std::move(name))
{
    rounds = 2000;
    evaluateEvery = 20;
    floatBits = 64;
    unitNorm = false;
}

std::vector<ScenarioOption>
TrackingOptions::List()
{
    std::vector<ScenarioOption> options{
        {"algorithm",
         "dp-gt (private gradient tracking), gt (the same without noise), " + ListPeerAlgorithms() +
             "; all with the steps, samples and noise of the scheme",
         &algorithm},
        {"scheme", "what steps, samples and noise depend on: s1, s2 or free", &scheme},
        {"alpha", "coupling of the states; 0: the scheme's", &alpha},
        {"beta", "coupling of the trackers; 0: the scheme's", &beta},
        {"gamma", "step along the tracker, or of the gradient; 0: the scheme's", &gamma},
        {"samples",
         "samples of a round's gradient, at most all that the learner has; 0: the scheme's",
         &samples},
        {"state-noise-exponent",
         "of the noise on states, (k+1)^this, or in scheme s2 this^K; empty: the scheme's",
         &stateNoiseExponent},
        {"tracker-noise-exponent", "of the noise on trackers, likewise", &trackerNoiseExponent},
        {"learners", "number of learners; 0: as many as the file of the state graph", &learners},
        {"state-graph",
         "who sends its state to whom: ring|exponential|complete|tree:EXTRA|random:P|radio|"
         "csv:FILE|graphml:FILE",
         &stateGraph},
        {"tracker-graph", "who sends its tracker to whom: as state-graph, or same", &trackerGraph},
        {"powers", "radio: power of the learners in dBm, or LOW:HIGH to draw them from", &powers},
        {"compensation", "of lost trackers: none or running-sum", &compensation},
        {"initial",
         "standard deviation of what is added to each entry of each learner's initial model, "
         "which is the same for all and zero unless the task is a neural network",
         &initial},
        {"smoothness",
         "L for the privacy account of dp-gt: Lipschitz constant of one sample's gradient; "
         "negative: what the task knows; 0: Lemma 2 as printed, which is no bound",
         &smoothness},
        {"noise", "multiplies the noise of the scheme; 0: no noise, epsilon infinite", &noise},
        {"missing", "what a missing message means: skip, last (received) or wait", &missing},
        {"synchrony",
         "rounds: learners go through them together; async: each on its own, waiting for nobody; "
         "async:PERIOD: likewise, a round taking at least so long",
         &synchrony},
    };
    for (const auto& more : {privacy.List(), ScenarioOptions::List()})
    {
        options.insert(options.end(), more.begin(), more.end());
    }
    return options;
}

bool
TrackingOptions::IsTracking() const
{
    return algorithm == "dp-gt" || algorithm == "gt";
}

double
TrackingOptions::GetNoise() const
{
    return algorithm == "gt" ? 0 : noise;
}

TrackingChoice
TrackingOptions::GetChoice() const
{
    return {scheme, alpha, beta, gamma, samples, stateNoiseExponent, trackerNoiseExponent};
}

TrackingPlan
TrackingOptions::GetPlan() const
{
    return GetChoice().GetPlan(rounds - 1);
}

void
TrackingOptions::Validate() const
{
    ScenarioOptions::Validate();
    const bool fromFile = stateGraph.rfind("graphml:", 0) == 0 || stateGraph.rfind("csv:", 0) == 0;
    RequireCount("learners", learners == 0 && fromFile ? 1 : learners, 100000);
    RequireCount("samples (0 for the scheme's)", std::max(samples, 1U), 1000000000);
    RequireAtLeastZero("initial", initial);
    RequireAtLeastZero("noise", noise);
    privacy.Validate();
    Require(algorithm != "gt" || (privacy.mechanism.empty() && privacy.delta == 0),
            "mechanism and delta have no effect on algorithm gt, which adds no noise");
    Require(std::isfinite(smoothness), "smoothness must be finite, got ", smoothness);
    SynchronyOption(synchrony).Validate(*this, missing);
    Require(compensation == "none" || compensation == "running-sum",
            "compensation must be none or running-sum, got '",
            compensation,
            "'");
    Require(compensation == "none" || IsTracking(),
            "compensation ",
            compensation,
            " needs algorithm dp-gt or gt, got ",
            algorithm);
    // TopK and RandomK send in later messages what they left out, which a sum has, too.
    const bool feedback = compress.rfind("topk", 0) == 0 || compress.rfind("randk", 0) == 0;
    Require(compensation == "none" || !feedback,
            "compensation running-sum and compress ",
            compress,
            " exclude each other, as error feedback would count twice what a running sum "
            "has already; use compress none, fp16 or qsgd:S");
    GetPlan();
}

} // namespace ns3::dlearn
