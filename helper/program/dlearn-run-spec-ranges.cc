/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The values that a RunSpec has by default and may have. Where an option sets an attribute, both
 * are those of the attribute, which the table of options knows.
 */

#include "dlearn-run-options.h"
#include "dlearn-run-spec.h"
#include "dlearn-threat-model-option.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-trial-objects.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace ns3::dlearn
{

namespace
{

/**
 * @param name of a count, for the message
 * @param value must be from 1 to @p most: the command line turns -1 into the largest number
 * @param most largest sensible value
 */
void
RequireCount(const char* name, uint32_t value, uint32_t most)
{
    Require(value >= 1 && value <= most, name, " must be from 1 to ", most, ", got ", value);
}

/**
 * @param name of a number, for the message
 * @param value must be at least 0 and at most LARGEST_SETTING
 */
void
RequireAtLeastZero(const char* name, double value)
{
    Require(std::isfinite(value) && value >= 0,
            name,
            " must be finite and at least 0, got ",
            value);
    Require(value <= LARGEST_SETTING, name, " must be at most ", LARGEST_SETTING, ", got ", value);
}

/**
 * @param name of an option, for the message
 * @param value of it
 * @param one the first thing it may be
 * @param other the second
 */
void
RequireOneOf(const char* name, const std::string& value, const char* one, const char* other)
{
    Require(value == one || value == other,
            name,
            " must be ",
            one,
            " or ",
            other,
            ", got '",
            value,
            "'");
}

/** Refuse an animation that would take the place of results. */
void
CheckAnimation(const RunSpec& s)
{
    namespace fs = std::filesystem;
    if (s.netanim.empty() || s.out.empty())
    {
        return;
    }
    std::error_code ignored; // what cannot be written is refused later
    const fs::path file = fs::weakly_canonical(fs::absolute(s.netanim, ignored), ignored);
    const fs::path out = fs::weakly_canonical(fs::absolute(s.out + "/", ignored), ignored);
    const fs::path folder = out.has_filename() ? out : out.parent_path();
    Require(file != folder && (file.parent_path() != folder || file.extension() == ".xml"),
            "netanim must be another file than the results: in the folder out one that ends with "
            ".xml, got '",
            s.netanim,
            "'");
}

/** Attacks, and what protects from them. */
void
CheckAttack(const RunSpec& s)
{
    LearnerAttack(s.attack).RequireBegin(s.rounds);
    Require(s.attack == "none" || s.byzantine > 0,
            "attack ",
            s.attack,
            " needs byzantine ",
            s.kind == RunKind::FEDERATION ? "clients" : "learners");
    const bool robust = s.GetAggregator() != "none";
    Require(s.preAggregator.empty() || robust,
            "pre-aggregator ",
            s.preAggregator,
            " needs an aggregator after it");
    Require(!s.missingAreByzantine || robust, "missing-are-byzantine needs an aggregator");
    Require(
        !s.missingAreByzantine || s.kind != RunKind::FEDERATION || s.mode == "sync",
        "missing-are-byzantine needs mode sync, as most clients are missing from a buffer; got ",
        s.mode);
    Require(!s.missingAreByzantine || s.byzantine > 0,
            "missing-are-byzantine needs byzantine of at least 1, as a message that is missing "
            "counts as one of these; got 0");
}

/** What all runs share. */
void
CheckCommon(const RunSpec& s)
{
    RequireOneOf("time-from", s.timeFrom, "ready", "start");
    CheckAnimation(s);
    RequireCount("runs", s.runs, 1000000);
    RequireCount("threads", s.threads, 256);
    RequireCount("evaluate-every", s.evaluateEvery, 1000000000);
    RequireCount("evaluation-samples", std::max(s.evaluationSamples, 1U), 1000000000);
    RequireCount("batch-size", s.batchSize.value_or(1), 1000000);
    Require(s.loss >= 0 && s.loss < 1, "loss must be in [0, 1), got ", s.loss);
    Require(s.quorum > 0 && s.quorum <= 1, "quorum must be in (0, 1], got ", s.quorum);
    Require(s.floatBits == 16 || s.floatBits == 32 || s.floatBits == 64,
            "float-bits must be 16, 32 or 64, got ",
            s.floatBits);
    RequireAtLeastZero("regularization", s.regularization);
    RequireAtLeastZero("budget", s.budget);
    Require(s.delta >= 0 && s.delta < 1,
            s.kind == RunKind::FEDERATION ? "delta must be in (0, 1), got "
                                          : "delta must be in (0, 1), or 0 for the default, got ",
            s.delta);
    RequireAtLeastZero("clip", s.clip);
    if (s.stepSize)
    {
        Require(std::isfinite(*s.stepSize) && *s.stepSize > 0,
                "step-size must be finite and greater than 0, got ",
                *s.stepSize);
        RequireAtLeastZero("step-size", *s.stepSize);
    }
    Require(s.devices.empty() || (s.clientRate.empty() && s.clientDelay.empty() &&
                                  s.clientLoss.empty() && s.clientFlops.empty()),
            "devices and client-rate, -delay, -loss, -flops exclude each other");
    Require(s.deadline.empty() || s.quorum == 1, "deadline and quorum exclude each other");
    Require(!s.out.empty(), "out must name a directory");
    CheckAttack(s);
}

/** What runs of peers share. */
void
CheckPeers(const RunSpec& s)
{
    const std::string& graph = s.kind == RunKind::PEERS ? s.graph : s.stateGraph;
    const bool fromFile = graph.rfind("graphml:", 0) == 0 ||
                          (s.kind == RunKind::DIRECTED && graph.rfind("csv:", 0) == 0);
    RequireCount("learners", s.learners == 0 && fromFile ? 1 : s.learners, 100000);
    RequireAtLeastZero("init-std", s.initStd);
    s.GetPeerRule(); // refuses what is none
    Require(s.kind == RunKind::DIRECTED || !s.IsTracking(),
            "algorithm ",
            s.algorithm,
            " needs a graph of its trackers; see dlearn-gradient-tracking");
    RequireAtLeastZero("noise", s.noise);
    Require(std::isfinite(s.noiseExponent) && std::isfinite(s.noiseExponentStep),
            "noise-exponent and noise-exponent-step must be finite");
    if (!s.mechanism.empty())
    {
        ParseComponent(GetMechanismFamily(), s.mechanism);
    }
    if (!s.privacyUnit.empty())
    {
        ParseComponent(GetPrivacyUnitFamily(), s.privacyUnit);
    }
    const bool asynchronous = s.GetPeriod().has_value();
    Require(!asynchronous || s.deadline.empty(), "synchrony async and deadline exclude each other");
    Require(!asynchronous || s.quorum == 1, "synchrony async and quorum exclude each other");
    Require(!asynchronous || s.onMissing != "wait",
            "synchrony async and on-missing wait exclude each other");
}

void
CheckDirected(const RunSpec& s)
{
    RequireCount("samples (0 for the scheme's)", std::max(s.samples.value_or(0), 1U), 1000000000);
    Require(!s.IsNoiseless() || (s.mechanism.empty() && s.delta == 0),
            "mechanism and delta have no effect on algorithm gt, which adds no noise");
    Require(std::isfinite(s.smoothness), "smoothness must be finite, got ", s.smoothness);
    ParseComponent(GetCompensationFamily(), s.compensation); // refuses what is none
    const bool compensates =
        !IsComponentOf(GetCompensationFamily(), s.compensation, NoCompensation::GetTypeId());
    Require(!compensates || s.IsTracking(),
            "compensation ",
            s.compensation,
            " needs algorithm dp-gt or gt, got ",
            s.algorithm);
    // Later messages have what was left out of one, which a sum has, too.
    Require(!compensates || !DropsEntries(s.compress),
            "compensation ",
            s.compensation,
            " and compress ",
            s.compress,
            " exclude each other, as error feedback would count twice what a running sum "
            "has already; use compress none, fp16 or ",
            JoinNames(GetWholeCompressors()));
    s.GetTrackingPlan();
}

/** How clients train. */
void
CheckTraining(const RunSpec& s)
{
    RequireCount("epochs", s.epochs, 1000000);
    RequireCount("samples with data linear-gaussian",
                 s.IsLinearGaussian() ? s.samples.value_or(1) : 1,
                 1000000);
    RequireCount("samples (0 for all)", std::max(s.samples.value_or(1), 1U), 1000000);
    const uint32_t steps = ParseWholeNumber(s.localSteps).value_or(0);
    Require(steps >= 1 || s.localSteps == "inf" || s.localSteps.empty(),
            "local-steps must be a whole number of at least 1, or inf; got '",
            s.localSteps,
            "'");
    if (!s.clientRule.empty())
    {
        ParseComponent(GetClientRuleFamily(), s.clientRule); // refuses what is none
        Require(s.localSteps != "inf" ||
                    IsComponentOf(GetClientRuleFamily(), s.clientRule, LocalSolve::GetTypeId()),
                "local-steps inf needs client-rule LocalSolve, got ",
                s.clientRule);
    }
    Require(s.localSteps.empty() || s.IsCafCor() || (!s.batchSize && s.epochs == 1),
            "local-steps and batch-size or epochs exclude each other");
    Require(!s.IsLinearGaussian() || s.epochs == 1,
            "epochs need a data set, got data linear-gaussian, which is drawn anew in every round");
    Require(
        !s.IsCafCor() || (s.localSteps.empty() && s.epochs == 1 && s.proximal == 0),
        "local-steps, epochs and proximal need algorithm fedavg; a worker of cafcor returns one "
        "gradient a round");
}

/** What the data of a federation are. */
void
CheckClientData(const RunSpec& s)
{
    Require(!s.IsCafCor() || !s.IsLinearGaussian(),
            "algorithm cafcor needs a data set, got data linear-gaussian");
    RequireCount("dimension", s.dimension, 100000000);
    Require(!s.IsLinearGaussian() || !(s.normalize || s.mirror || s.dataSamples > 0),
            "data-samples, normalize and mirror need data sets, got data linear-gaussian");
    RequireAtLeastZero("heterogeneity", s.heterogeneity);
    RequireAtLeastZero("initial-error", s.initialError);
    RequireAtLeastZero("drift", s.drift);
    RequireOneOf("byzantine-data", s.byzantineData, "own", "shards");
}

/** Who takes part in a round, and what a server makes of it. */
void
CheckServer(const RunSpec& s)
{
    if (!s.serverRule.empty())
    {
        ParseComponent(GetServerRuleFamily(), s.serverRule); // refuses what is none
    }
    RequireCount("buffer-size", s.bufferSize, 100000);
    for (const auto& [name, count] :
         {std::pair("concurrency", s.concurrency), std::pair("sample-count", s.sampleCount)})
    {
        Require(count <= s.learners,
                name,
                " must be at most the number of clients, ",
                s.learners,
                "; got ",
                count);
    }
    // The ends that no checker of an attribute leaves out; the rest is for RequireRanges().
    Require(s.sampleFraction > 0, "sample-fraction must be in (0, 1], got ", s.sampleFraction);
    Require(s.mixing > 0, "mixing must be in (0, 1], got ", s.mixing);
    Require(s.momentum < 1, "momentum must be in [0, 1), got ", s.momentum);
    Require(s.serverRate > 0, "server-rate must be greater than 0, got ", s.serverRate);
    Require(
        s.compressModel == "none" || s.compressModel == "fp16" ||
            (IsComponent(GetCompressorFamily(), s.compressModel) && !DropsEntries(s.compressModel)),
        "compress-model must be none, fp16 or one of ",
        JoinNames(GetWholeCompressors()),
        ", got '",
        s.compressModel,
        "'");
}

/** What a server does, and does not do, out of lock-step. */
void
CheckMode(const RunSpec& s)
{
    const bool sync = s.mode == "sync";
    Require(sync || s.mode == "async" || s.mode == "buffered",
            "mode must be one of sync, async, buffered; got '",
            s.mode,
            "'");
    const bool all = s.sampleFraction == 1 && s.sampleCount == 0 && s.samplePlan.empty();
    Require(sync || all,
            "sample-fraction, sample-count and sample-plan need mode sync, got ",
            s.mode,
            "; see concurrency");
    Require(!s.IsCafCor() || (sync && s.serverRate == 1),
            "algorithm cafcor needs mode sync and server-rate 1: see step-size");
    Require(sync || (s.deadline.empty() && s.quorum == 1),
            "deadline and quorum need mode sync, got ",
            s.mode,
            "; see buffer-size");
    Require(sync || s.drift == 0,
            "drift needs mode sync: with ",
            s.mode,
            " the clients' rounds are not those of the server");
    Require(!sync || s.concurrency == 0, "concurrency needs mode async or buffered");
    Require(s.mode != "async" || (s.serverRate == 1 && s.momentum == 0),
            "server-rate and momentum need mode sync or buffered; see mixing");
    Require((s.sampleFraction < 1) + (s.sampleCount > 0) + !s.samplePlan.empty() <= 1,
            "sample-fraction, sample-count and sample-plan exclude each other");
    Require(
        s.reliable == "none" || (sync && all),
        "reliable needs all clients in every round, so mode sync and no sampling of clients, as "
        "whoever overhears a model trains on it; got reliable ",
        s.reliable);
    Require(s.aggregator == "none" || sync || s.mode == "buffered",
            "an aggregator needs several updates, so mode sync or buffered; got ",
            s.mode);
}

/** Noise and accounts of a federation. */
void
CheckFederatedPrivacy(const RunSpec& s)
{
    const std::string& model = s.threatModel;
    if (model != "none")
    {
        ParseThreatModel(model, s.view, s.byzantine); // refuses what is none
    }
    Require(model == "none" || s.clip > 0, "clip must be greater than 0 for privacy, got ", s.clip);
    Require(
        model != "cdp" || (s.compress == "none" && s.floatBits >= 32),
        "threat-model cdp needs compress none and float-bits 32 or 64, as the server's noise "
        "hides no more than the clip allows, and updates that are compressed can be longer; got "
        "compress ",
        s.compress,
        " and float-bits ",
        s.floatBits);
    Require(s.IsCafCor() || model == "none" || model == "cdp" || model == "ldp",
            "algorithm fedavg needs threat-model none, cdp or ldp; got '",
            model,
            "'");
    Require(s.privacyUnit.empty() || s.privacyUnit == "learner" || s.privacyUnit == "user" ||
                s.ProtectsSamples(),
            "privacy-unit must be learner (user) or sample (example), got '",
            s.privacyUnit,
            "'");
    Require(model == "none" || s.targetEpsilon > 0,
            "target-epsilon must be greater than 0, got ",
            s.targetEpsilon);
    RequireAtLeastZero("noise-multiplier", s.noiseMultiplier);
    Require(!s.ProtectsSamples() || s.IsCafCor(),
            "privacy-unit sample needs algorithm cafcor: what a client of fedavg returns holds all "
            "of its samples");
    Require(s.budget == 0 || model != "none",
            "budget ",
            s.budget,
            " needs a privacy account, so a threat-model other than none");
    Require(
        !s.noiseRecovery || model == "secldp" || model == "byzldp",
        "noise-recovery needs noise that workers share, so threat-model secldp or byzldp; got '",
        model,
        "'");
    const TrialObjects trials;
    const auto shared =
        ParseComponent(GetSharedNoiseFamily(), s.GetSharedNoise()).Create<CorrelatedNoise>();
    Require(!s.noiseRecovery || shared->HasPairs(),
            "noise-recovery needs shared-noise pairwise, as there is no account of parts of other "
            "noise that are told for several sets of lost workers; got '",
            s.sharedNoise,
            "'");
    Require(model != "cdp" || s.budget == 0 || s.byzantine == 0 || !s.omniscient ||
                !LearnerAttack(s.attack).SeesVectors(),
            "a budget with threat-model cdp needs omniscient false with attack ",
            s.attack,
            ", as attackers who see the vectors of honest clients carry them past the server's "
            "noise, so that epsilon is infinite");
}

void
CheckFederation(const RunSpec& s)
{
    Require(!s.IsLinearGaussian() || s.attack == "none" || !LearnerAttack(s.attack).FlipsLabels(),
            "attack ",
            s.attack,
            " needs a classification, as it exchanges classes; got data linear-gaussian");
    RequireCount("learners", s.learners, 100000);
    RequireOneOf("algorithm", s.algorithm, "fedavg", "cafcor");
    Require(2 * uint64_t{s.byzantine} < s.learners,
            "byzantine must be less than half of the ",
            s.learners,
            " clients, got ",
            s.byzantine);
    CheckTraining(s);
    CheckClientData(s);
    CheckServer(s);
    CheckMode(s);
    CheckFederatedPrivacy(s);
}

} // namespace

RunSpec::RunSpec(RunKind newKind, const std::string& name)
    : kind(newKind),
      program(name),
      clip(newKind == RunKind::FEDERATION ? 2.25 : 0),
      out("results/" + name)
{
    TakeDefaults(*this);
}

void
RunSpec::Validate() const
{
    RequireRanges(*this);
    CheckCommon(*this);
    if (kind == RunKind::FEDERATION)
    {
        CheckFederation(*this);
        return;
    }
    CheckPeers(*this);
    if (kind == RunKind::DIRECTED)
    {
        CheckDirected(*this);
    }
}

} // namespace ns3::dlearn
