/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-spec.h"

#include "dlearn-run-options.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-local-sgd.h"
#include "ns3/dlearn-push-sum-sgd.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/dlearn-text-format.h"

#include <filesystem>

namespace ns3::dlearn
{

namespace
{

void
RequireOneOf(const char* option, const std::string& value, const std::vector<std::string>& values)
{
    Require(std::find(values.begin(), values.end(), value) != values.end(),
            option,
            " must be one of ",
            JoinNames(values),
            "; got '",
            value,
            "'");
}

/** Refuse an animation that would take the place of results. */
void
CheckAnimation(const RunSpec& s)
{
    namespace fs = std::filesystem;
    if (s.netanim.empty())
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

/** What runs of peers cannot do. */
void
CheckPeers(const RunSpec& s)
{
    const std::string& graph = s.kind == RunKind::PEERS ? s.graph : s.stateGraph;
    Require(s.learners > 0 || graph.rfind("graphml:", 0) == 0 || graph.rfind("csv:", 0) == 0,
            "learners must be in [1, 100000], or 0 with a file of a graph, got 0");
    s.GetPeerRule(); // refuses what is none
    Require(s.kind == RunKind::DIRECTED || !s.IsTracking(),
            "algorithm ",
            s.algorithm,
            " needs a graph of its trackers; see dlearn-gradient-tracking");
    // Later messages have what was left out of one, which a sum has, too.
    Require(s.kind == RunKind::PEERS || !DropsEntries(s.compress) ||
                IsComponentOf(GetCompensationFamily(), s.compensation, NoCompensation::GetTypeId()),
            "compensation ",
            s.compensation,
            " and compress ",
            s.compress,
            " exclude each other, as error feedback would count twice what a running sum "
            "has already; use compress none, fp16 or ",
            JoinNames(GetWholeCompressors()));
}

/** What a server and its clients cannot do together. */
void
CheckFederation(const RunSpec& s)
{
    RequireOneOf("algorithm", s.algorithm, {"fedavg", "cafcor"});
    RequireOneOf("mode", s.mode, {"sync", "async", "buffered"});
    RequireOneOf("byzantine-data", s.byzantineData, {"own", "shards"});
    const bool sync = s.mode == "sync";
    Require(!s.IsLinearGaussian() ||
                !(s.IsCafCor() || (s.attack != "none" && LearnerAttack(s.attack).FlipsLabels())),
            s.IsCafCor() ? "algorithm " + s.algorithm + " needs a data set"
                         : "attack " + s.attack + " needs a classification",
            ", got data linear-gaussian");
    Require(2 * uint64_t{s.byzantine} < s.learners,
            "byzantine must be less than half of the ",
            s.learners,
            " clients, got ",
            s.byzantine);
    Require(!s.IsCafCor() || sync, "algorithm cafcor needs mode sync, got ", s.mode);
    Require(sync || s.drift == 0,
            "drift needs mode sync: with ",
            s.mode,
            " the clients' rounds are not those of the server");
    const int samplings = (s.sampleFraction < 1) + (s.sampleCount > 0) + !s.samplePlan.empty();
    Require(samplings <= 1, "sample-fraction, sample-count and sample-plan exclude each other");
    Require(
        s.reliable == "none" || (sync && samplings == 0),
        "reliable needs all clients in every round, so mode sync and no sampling of clients, as "
        "whoever overhears a model trains on it; got reliable ",
        s.reliable);
    Require(
        s.compressModel == "none" || s.compressModel == "fp16" ||
            (IsComponent(GetCompressorFamily(), s.compressModel) && !DropsEntries(s.compressModel)),
        "compress-model must be none, fp16 or one of ",
        JoinNames(GetWholeCompressors()),
        ", got '",
        s.compressModel,
        "'");
}

/** What accounts of a federation cannot say. */
void
CheckFederatedPrivacy(const RunSpec& s)
{
    RequireOneOf("privacy-unit", s.privacyUnit, {"", "learner", "user", "sample", "example"});
    Require(!s.ProtectsSamples() || s.IsCafCor(),
            "privacy-unit sample needs algorithm cafcor: what a client of fedavg returns holds all "
            "of its samples");
    Require(s.threatModel == "none" || s.clip > 0,
            "clip must be greater than 0 for privacy, got ",
            s.clip);
    const bool central = s.threatModel == "cdp";
    Require(
        !central || (s.compress == "none" && s.floatBits >= 32),
        "threat-model cdp needs compress none and float-bits 32 or 64, as the server's noise "
        "hides no more than the clip allows, and updates that are compressed can be longer; got "
        "compress ",
        s.compress,
        " and float-bits ",
        s.floatBits);
    Require(!central || s.budget == 0 || s.byzantine == 0 || !s.omniscient ||
                !LearnerAttack(s.attack).SeesVectors(),
            "a budget with threat-model cdp needs omniscient false with attack ",
            s.attack,
            ", as attackers who see the vectors of honest clients carry them past the server's "
            "noise, so that epsilon is infinite");
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
    RequireOneOf("time-from", timeFrom, {"ready", "start"});
    RequireOneOf("unused", unused, {"error", "warn"});
    Require(!out.empty(), "out must name a directory");
    CheckAnimation(*this);
    LearnerAttack(attack).RequireBegin(rounds);
    if (kind == RunKind::FEDERATION)
    {
        CheckFederation(*this);
        CheckFederatedPrivacy(*this);
        return;
    }
    CheckPeers(*this);
    if (kind == RunKind::DIRECTED)
    {
        GetTrackingPlan(); // refuses what is wrong
    }
}

bool
RunSpec::IsTracking() const
{
    return IsComponentOf(GetDirectedRuleFamily(), algorithm, GradientTracking::GetTypeId());
}

bool
RunSpec::HasAlpha() const
{
    return !IsComponentOf(GetDirectedRuleFamily(), algorithm, PushSumSgd::GetTypeId());
}

bool
RunSpec::IsNoiseless() const
{
    return IsComponentNamed(GetDirectedRuleFamily(), algorithm, NOISELESS_TRACKING);
}

ObjectFactory
RunSpec::GetPeerRule() const
{
    return ParseComponent(GetDirectedRuleFamily(), algorithm);
}

double
RunSpec::GetNoise() const
{
    return IsNoiseless() ? 0 : noise;
}

TrackingChoice
RunSpec::GetTrackingChoice() const
{
    return {scheme,
            alpha,
            beta,
            gamma,
            samples.value_or(0),
            stateNoiseExponent,
            trackerNoiseExponent};
}

TrackingPlan
RunSpec::GetTrackingPlan() const
{
    return GetTrackingChoice().GetPlan(rounds - 1);
}

std::optional<Time>
RunSpec::GetPeriod() const
{
    if (synchrony == "rounds")
    {
        return std::nullopt;
    }
    const std::string prefix = "async:";
    const bool timed = synchrony.rfind(prefix, 0) == 0;
    Require(synchrony == "async" || timed,
            "synchrony must be rounds, async or async:PERIOD, got '",
            synchrony,
            "'");
    if (!timed)
    {
        return Time(0);
    }
    const Time period =
        ParseTime("synchrony: period of '" + synchrony + "'", synchrony.substr(prefix.size()));
    Require(period.IsStrictlyPositive(),
            "synchrony: period must be greater than 0, got '",
            synchrony,
            "'");
    return period;
}

std::string
RunSpec::GetAggregator() const
{
    if (kind != RunKind::FEDERATION)
    {
        return aggregator;
    }
    const bool robust =
        serverRule.empty()
            ? IsCafCor() || aggregator != "none"
            : IsComponentOf(GetServerRuleFamily(), serverRule, RobustServer::GetTypeId());
    return !robust ? "none" : aggregator == "none" ? "Average" : aggregator;
}

bool
RunSpec::TakesSteps() const
{
    return clientRule.empty()
               ? !IsCafCor() && localSteps != "inf"
               : IsComponentOf(GetClientRuleFamily(), clientRule, LocalSgd::GetTypeId());
}

RunSpec
LdpOnlinePreset(const std::string& program)
{
    RunSpec spec(RunKind::PEERS, program);
    spec.partition = "label";
    spec.batchSize = 20;
    spec.rounds = 2000;
    spec.evaluateEvery = 20;
    return spec;
}

RunSpec
GradientTrackingPreset(const std::string& program)
{
    RunSpec spec(RunKind::DIRECTED, program);
    spec.algorithm = "dp-gt";
    spec.rounds = 2000;
    spec.evaluateEvery = 20;
    spec.floatBits = 64;
    spec.unitNorm = false;
    return spec;
}

RunSpec
FedAvgPreset(const std::string& program)
{
    RunSpec spec(RunKind::FEDERATION, program);
    spec.algorithm = "fedavg";
    spec.learners = 3;
    spec.data = "linear-gaussian";
    spec.regularization = 1e-4; // of data sets; enough for separable classes to have a best model
    spec.transport = "tcp";
    spec.rounds = 20;
    spec.delta = 1e-5;
    return spec;
}

RunSpec
CafCorPreset(const std::string& program)
{
    RunSpec spec(RunKind::FEDERATION, program);
    spec.algorithm = "cafcor";
    spec.learners = 20;
    spec.byzantine = 2;
    spec.aggregator = "Caf";
    spec.task = "softmax";
    spec.regularization = 1e-4;
    spec.transport = "tcp";
    spec.rounds = 30;
    spec.batchSize = 50;
    spec.stepSize = 0.075;
    spec.momentum = 0.85;
    spec.threatModel = "secldp";
    spec.privacyUnit = "learner";
    spec.delta = 1e-4;
    return spec;
}

} // namespace ns3::dlearn
