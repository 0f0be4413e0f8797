/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-options.h"

#include "dlearn-run-tiers.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-optimizer.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <variant>

namespace ns3::dlearn
{

namespace
{

const std::string ADAPTIVE_RATE = "0.1";    //!< server-rate of adaptive optimizers
const std::string PREFIX = "ns3::dlearn::"; //!< of the types whose attributes options name

/** @return an attribute that an option sets, of the type that is named with it */
NamedAttribute
GetAttribute(const std::string& name)
{
    static std::map<std::string, NamedAttribute> known;
    const auto found = known.find(name);
    if (found != known.end())
    {
        return found->second;
    }
    auto attribute = FindAttribute(name);
    const size_t colons = name.rfind("::");
    const TypeId owner = TypeId::LookupByName(name.substr(0, colons));
    for (uint16_t k = 0; k < TypeId::GetRegisteredN() && !attribute; ++k)
    {
        TypeId::AttributeInformation info;
        const TypeId type = TypeId::GetRegistered(k);
        if (type.IsChildOf(owner) && type.LookupAttributeByName(name.substr(colons + 2), &info))
        {
            attribute = {owner, info};
        }
    }
    Require(attribute.has_value(), "no attribute ", name);
    return known.emplace(name, *attribute).first->second;
}

/**
 * Complete the help of an option that is empty or ends in a colon, from the first attribute that it
 * sets.
 */
void
CompleteHelp(RunOption& option)
{
    const bool begun = !option.help.empty() && option.help.back() == ':';
    if (!option.help.empty() && !begun)
    {
        return;
    }
    const auto& info = GetAttribute(option.attributes.at(0)).info;
    std::string help = info.help;
    help.erase(help.find_last_not_of('.') + 1);
    if (help.size() > 1 && std::islower(static_cast<unsigned char>(help[1])))
    {
        help[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(help[0])));
    }
    option.help += (begun ? " " : "") + help;
    const std::string initial = info.originalInitialValue->SerializeToString(info.checker);
    if (PrintOption(option.value).empty() && !initial.empty()) // the attribute keeps it then
    {
        option.help += "; empty: " + initial;
    }
}

/** @return the options of a constant spec: GetRunOptions() returns pointers for writing */
std::vector<RunOption>
GetOptions(const RunSpec& spec)
{
    return GetRunOptions(const_cast<RunSpec&>(spec));
}

/** @return whether a number is in an interval such as "(0, 1]" */
bool
IsInside(double number, const std::string& interval)
{
    const size_t comma = interval.find(',');
    const double least = ParseNumber(interval.substr(1, comma - 1)).value();
    const double most =
        ParseNumber(interval.substr(comma + 2, interval.size() - comma - 3)).value();
    return (interval.front() == '[' ? number >= least : number > least) &&
           (interval.back() == ']' ? number <= most : number < most);
}

/** @return the address of the value of an option */
const void*
GetPlace(const RunOption& option)
{
    return std::visit([](const auto* place) { return static_cast<const void*>(place); },
                      option.value);
}

/** @return an attribute's name with that of the type that declares it */
std::string
GetFullName(TypeId type, const std::string& name)
{
    for (; type.HasParent(); type = type.GetParent())
    {
        for (size_t k = 0; k < type.GetAttributeN(); ++k)
        {
            if (type.GetAttribute(k).name == name)
            {
                return type.GetAttributeFullName(k);
            }
        }
    }
    return name;
}

/** @return the nearest common ancestor of two types */
TypeId
FindCommonType(TypeId one, TypeId other)
{
    while (one != other && !other.IsChildOf(one) && one.HasParent())
    {
        one = one.GetParent();
    }
    return one;
}

/** @return the number of ancestors of a type */
size_t
CountParents(TypeId type)
{
    size_t count = 0;
    for (; type.HasParent(); type = type.GetParent())
    {
        ++count;
    }
    return count;
}

} // namespace

OptionTable&
OptionTable::Add(const char* name, uint32_t kinds, OptionValue value, const std::string& help)
{
    RunOption option{name, m_group, help, value};
    m_left = (kinds & m_kind) == 0;
    if (m_left)
    {
        m_other = std::move(option);
    }
    else
    {
        m_options.push_back(std::move(option));
    }
    return *this;
}

OptionTable&
OptionTable::Alias(const Names& aliases)
{
    Last().aliases = aliases;
    return *this;
}

OptionTable&
OptionTable::Alone(const std::string& value)
{
    Last().alone = value;
    return *this;
}

OptionTable&
OptionTable::Sets(const Names& attributes)
{
    for (const std::string& attribute : attributes)
    {
        Last().attributes.push_back(PREFIX + attribute);
    }
    return *this;
}

OptionTable&
OptionTable::In(const std::string& interval)
{
    Last().interval = interval;
    return *this;
}

OptionTable&
OptionTable::For(const std::string& decider, const std::string& users)
{
    Last().decider = decider;
    Last().users = users;
    return *this;
}

OptionTable&
OptionTable::Neutral(const std::string& value)
{
    Last().neutral = value;
    return *this;
}

std::string
ListTypes(const ComponentFamily& family)
{
    return JoinNames(GetComponentNames(family));
}

std::vector<RunOption>
GetRunOptions(RunSpec& spec)
{
    OptionTable table(spec.kind);
    AddLearningOptions(spec, table);
    AddDataOptions(spec, table);
    AddNetworkOptions(spec, table);
    AddEnergyOptions(spec, table);
    AddTimingOptions(spec, table);
    AddPrivacyOptions(spec, table);
    AddAttackOptions(spec, table);
    AddFaultOptions(spec, table);
    AddOutputOptions(spec, table);
    std::vector<RunOption> options = table.Take();
    std::for_each(options.begin(), options.end(), CompleteHelp);
    return options;
}

void
TakeDefaults(RunSpec& spec)
{
    for (const RunOption& option : GetRunOptions(spec))
    {
        // An empty text leaves the attribute alone.
        if (!option.attributes.empty() && !std::holds_alternative<std::string*>(option.value))
        {
            const auto& info = GetAttribute(option.attributes.front()).info;
            ReadOption(option.value,
                       option.name,
                       info.originalInitialValue->SerializeToString(info.checker));
        }
    }
}

namespace
{

/** The options that each algorithm with a server sets. */
const std::map<std::string, std::map<std::string, std::string>> ALGORITHMS{
    {"cafcor", {}},
    {"ditto", {{"client-rule", "Ditto"}}},
    {"fedavg", {}},
    {"feddyn", {{"client-rule", "FedDyn"}, {"server-rule", "FedDyn"}, {"proximal", "0.01"}}},
    {"fednova", {{"server-rule", "FedNova"}, {"reports", "steps"}}},
    {"fedper", {{"client-rule", "FedPer"}}},
    {"fedprox", {{"proximal", "0.01"}}},
    {"qfedavg", {{"server-rule", "QFedAvg"}, {"reports", "loss"}}},
    {"scaffold", {{"client-rule", "Scaffold"}, {"server-rule", "Scaffold"}}},
    {"fedadagrad", {{"server-optimizer", "adagrad,epsilon=0.001"}}},
    {"fedadam", {{"server-optimizer", "adam,beta2=0.99,epsilon=0.001,biascorrection=false"}}},
    {"fedyogi", {{"server-optimizer", "yogi,beta2=0.99,epsilon=0.001"}}}};

/**
 * The options that each preset sets. The federations on MNIST are those of McMahan et al. 2017,
 * "Communication-efficient learning of deep networks from decentralized data", AISTATS, and the
 * others those of Li et al. 2022, "Federated learning on non-IID data silos", ICDE, with ten
 * clients.
 */
const std::map<std::string, std::map<std::string, std::string>> PRESETS{
    {"mnist-mlp",
     {{"data", "mnist"},
      {"task", "net:fc200,relu,fc200,relu,fc10"},
      {"learners", "100"},
      {"sample-fraction", "0.1"},
      {"batch-size", "10"},
      {"epochs", "5"},
      {"step-size", "0.1"},
      {"rounds", "50"}}},
    {"mnist-cnn",
     {{"data", "mnist"},
      {"task", "net:conv32x5,relu,pool2,conv64x5,relu,pool2,fc512,relu,fc10"},
      {"learners", "100"},
      {"sample-fraction", "0.1"},
      {"batch-size", "10"},
      {"step-size", "0.1"},
      {"rounds", "50"}}},
    {"fashion-cnn",
     {{"data", "fashion-mnist"},
      {"task", "net:conv16x5,relu,pool2,conv32x5,relu,pool2,fc128,relu,fc10"},
      {"learners", "10"},
      {"batch-size", "20"},
      {"step-size", "0.05"},
      {"rounds", "30"}}},
    {"cifar10-cnn",
     {{"data", "cifar10"},
      {"task", "net:conv6x5,relu,pool2,conv16x5,relu,pool2,fc120,relu,fc84,relu,fc10"},
      {"normalize", "true"},
      {"learners", "10"},
      {"batch-size", "20"},
      {"step-size", "0.05"},
      {"rounds", "50"}}}};

/** @return the keys of a table */
std::vector<std::string>
ListKeys(const std::map<std::string, std::map<std::string, std::string>>& table)
{
    std::vector<std::string> names;
    for (const auto& [name, values] : table)
    {
        names.push_back(name);
    }
    return names;
}

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

} // namespace

std::vector<std::string>
GetFederatedAlgorithms()
{
    return ListKeys(ALGORITHMS);
}

std::vector<std::string>
GetPresetNames()
{
    return ListKeys(PRESETS);
}

std::map<std::string, std::string>
GetPreset(const std::string& name)
{
    if (name.empty())
    {
        return {};
    }
    RequireOneOf("preset", name, GetPresetNames());
    auto values = PRESETS.at(name);
    values.insert({{"unit-norm", "false"}, {"regularization", "0"}});
    return values;
}

RunSpec
ResolveAlgorithm(const RunSpec& spec)
{
    RunSpec resolved = spec;
    const auto usual = GetParameters(RunSpec(spec.kind, spec.program));
    const auto options = GetRunOptions(resolved);
    const auto set = [&](const std::string& name, const std::string& value) {
        for (size_t k = 0; k < options.size(); ++k) // the same ones in the same order
        {
            if (options[k].name == name && PrintOption(options[k].value) == usual[k].second &&
                resolved.invocation.options.insert(name).second)
            {
                ReadOption(options[k].value, name, value);
            }
        }
    };
    const auto algorithm = ALGORITHMS.find(spec.algorithm);
    for (const auto& [name, value] :
         algorithm == ALGORITHMS.end() ? std::map<std::string, std::string>() : algorithm->second)
    {
        set(name, value);
    }
    const bool adaptive = IsComponentOf(GetOptimizerFamily(),
                                        resolved.serverOptimizer,
                                        AdaptiveOptimizer::GetTypeId());
    if (adaptive && !spec.IsCafCor()) // whose step-size it is
    {
        set("server-rate", ADAPTIVE_RATE);
    }
    if (!spec.tiers.empty() && spec.invocation.options.count("learners") == 0)
    {
        resolved.learners = CountClients(ParseTiers(spec.tiers));
    }
    if (!spec.learner.empty())
    {
        if (spec.IsLinearGaussian() && spec.invocation.options.count("data") == 0)
        {
            resolved.data = "generated"; // as usual
        }
        set("data", LEARNER_DATA);
        if (!spec.IsCafCor())
        {
            set("client-rule", "ExternalTraining");
        }
    }
    return resolved;
}

void
RequireRanges(const RunSpec& spec)
{
    for (const RunOption& option : GetOptions(spec))
    {
        const std::string value = PrintOption(option.value);
        const auto number = ParseNumber(value);
        Require(option.interval.empty() || value == "auto" ||
                    (number && IsInside(*number, option.interval)),
                option.name,
                " must be in ",
                option.interval,
                ", got ",
                value);
        for (const std::string& attribute : option.attributes)
        {
            const auto& info = GetAttribute(attribute).info;
            Require(value.empty() || value == "auto" ||
                        IsValid(value, *info.checker, *info.initialValue),
                    option.name,
                    " must be ",
                    DescribeValues(*info.checker, *info.initialValue),
                    ", got '",
                    value,
                    "'");
        }
    }
}

std::vector<std::pair<std::string, std::string>>
GetParameters(const RunSpec& spec)
{
    std::vector<std::pair<std::string, std::string>> parameters;
    for (const RunOption& option : GetOptions(spec))
    {
        parameters.emplace_back(option.name, PrintOption(option.value));
    }
    return parameters;
}

std::vector<RunOption>
ListChanged(const RunSpec& spec, const RunSpec& usual)
{
    std::vector<RunOption> changed;
    const auto values = GetParameters(usual);
    const auto options = GetOptions(spec);
    for (size_t k = 0; k < options.size(); ++k) // the same ones in the same order
    {
        if (PrintOption(options[k].value) != values[k].second)
        {
            changed.push_back(options[k]);
        }
    }
    return changed;
}

std::string
NameOption(const RunSpec& spec, const std::string& message)
{
    for (const RunOption& option : GetOptions(spec))
    {
        for (const std::string& attribute : option.attributes)
        {
            const auto [type, info] = GetAttribute(attribute);
            const std::string owner = type.GetName();
            const std::string begin = owner.substr(owner.rfind(':') + 1) + ": " + info.name + " ";
            if (spec.invocation.options.count(option.name) > 0 && message.rfind(begin, 0) == 0)
            {
                return message + " (option " + option.name + ")";
            }
        }
    }
    return message;
}

UsedOptions::UsedOptions(const RunSpec& spec)
    : m_spec(spec),
      m_options(GetOptions(spec))
{
}

bool
UsedOptions::IsGiven(const RunOption& option) const
{
    return m_spec.invocation.options.count(option.name) > 0;
}

bool
UsedOptions::HasChosenValue(const ObjectBase& part, const std::string& name)
{
    TypeId::AttributeInformation info;
    const TypeId type = part.GetInstanceTypeId();
    if (!type.LookupAttributeByName(name, &info))
    {
        return false;
    }
    if (FindChosenDefault(type, name))
    {
        return true;
    }
    // The text of a part has set its values already.
    const Ptr<AttributeValue> value = info.checker->Create();
    const bool pointer = dynamic_cast<const PointerValue*>(PeekPointer(value)) != nullptr;
    if (pointer || !IsGettable(info) || !info.accessor->Get(&part, *value))
    {
        return false;
    }
    const std::string text = value->SerializeToString(info.checker);
    const auto alias = dynamic_cast<const internal::AliasAccessor*>(PeekPointer(info.accessor));
    return text != info.originalInitialValue->SerializeToString(info.checker) &&
           (!alias || !alias->IsPartDefault(part, text));
}

bool
UsedOptions::GiveFrom(ObjectBase& part,
                      const std::string& name,
                      const AttributeValue& value,
                      const void* place) const
{
    const TypeId type = part.GetInstanceTypeId();
    m_parts.insert(type);
    TypeId::AttributeInformation info;
    if (!type.LookupAttributeByName(name, &info))
    {
        return false;
    }
    const auto alias = dynamic_cast<const internal::AliasAccessor*>(PeekPointer(info.accessor));
    if (alias && !alias->IsThere(part))
    {
        return false; // another part would have it
    }
    const auto option =
        std::find_if(m_options.begin(), m_options.end(), [place](const RunOption& candidate) {
            return place == GetPlace(candidate);
        });
    Require(!HasChosenValue(part, name),
            GetFullName(type, name),
            " is set by ",
            option == m_options.end()
                ? "this run, whatever the attribute"
                : "the option --" + option->name + "; use that instead of the attribute");
    part.SetAttribute(name, value);
    m_spec.taken.insert(place);
    return true;
}

void
UsedOptions::Set(ObjectBase& part, bool yields) const
{
    const TypeId own = part.GetInstanceTypeId();
    m_parts.insert(own);
    for (const RunOption& option : m_options)
    {
        const std::string value = PrintOption(option.value);
        for (const std::string& attribute :
             value.empty() ? OptionTable::Names() : option.attributes)
        {
            const auto [type, info] = GetAttribute(attribute);
            const bool yielding = yields && !IsGiven(option) && HasChosenValue(part, info.name);
            if ((own == type || own.IsChildOf(type)) && !yielding)
            {
                GiveFrom(part, info.name, StringValue(value), GetPlace(option));
            }
        }
    }
}

void
UsedOptions::GiveBack(const std::function<bool(const std::string& attribute)>& isIdle) const
{
    for (const RunOption& option : m_options)
    {
        for (const std::string& attribute : option.attributes)
        {
            if (isIdle(GetAttribute(attribute).info.name))
            {
                m_spec.taken.erase(GetPlace(option));
            }
        }
    }
}

void
UsedOptions::RefuseChosen(TypeId type, const std::vector<std::string>& names) const
{
    m_parts.insert(type);
    for (const std::string& name : names)
    {
        Require(!FindChosenDefault(type, name),
                GetFullName(type, name),
                " is set by this run, whatever the attribute");
    }
}

std::set<std::string>
UsedOptions::FindUnused() const
{
    static const std::set<std::string> nothing{"", "0", "none", "false", "auto"};
    std::set<std::string> names;
    for (const RunOption& option : m_options)
    {
        const std::string value = PrintOption(option.value);
        const bool says = nothing.count(value) == 0 && value != option.neutral;
        if (says && option.MayBeUnused() && m_spec.taken.count(GetPlace(option)) == 0)
        {
            names.insert(option.name);
        }
    }
    return names;
}

std::string
UsedOptions::Explain(const RunOption& option) const
{
    if (!option.decider.empty())
    {
        const auto decider =
            std::find_if(m_options.begin(), m_options.end(), [&option](const RunOption& other) {
                return other.name == option.decider;
            });
        const std::string value = decider == m_options.end() ? "" : PrintOption(decider->value);
        return "it is for " + option.decider + " " + option.users + ", and " + option.decider +
               " is " + (value.empty() ? "empty" : value);
    }
    if (!option.users.empty())
    {
        return "it is for " + option.users;
    }
    const TypeId wanted = GetAttribute(option.attributes.front()).type;
    TypeId nearest;
    size_t most = 1; // more in common than ns3::Object
    for (const TypeId& part : m_parts)
    {
        const size_t common = CountParents(FindCommonType(part, wanted));
        if (common > most)
        {
            most = common;
            nearest = part;
        }
    }
    return "it is for " + wanted.GetName() + ", and this run has " +
           (most > 1 ? nearest.GetName() : "none");
}

std::vector<std::string>
UsedOptions::RequireUsed() const
{
    std::vector<std::string> warnings;
    const std::set<std::string> unused = FindUnused();
    for (const RunOption& option : m_options)
    {
        if (IsGiven(option) && unused.count(option.name) > 0 && m_spec.invocation.strict)
        {
            const std::string text = "option " + option.name + " is not used: " + Explain(option);
            Require(m_spec.unused == "warn", text);
            warnings.push_back(text);
        }
    }
    return warnings;
}

namespace
{

/** Refuse an animation file that would overwrite results. */
void
CheckAnimation(const RunSpec& s)
{
    namespace fs = std::filesystem;
    if (s.netanim.empty())
    {
        return;
    }
    std::error_code ignored; // errors are reported later
    const fs::path file = fs::weakly_canonical(fs::absolute(s.netanim, ignored), ignored);
    const fs::path out = fs::weakly_canonical(fs::absolute(s.out + "/", ignored), ignored);
    const fs::path folder = out.has_filename() ? out : out.parent_path();
    Require(file != folder && (file.parent_path() != folder || file.extension() == ".xml"),
            "netanim must be another file than the results: in the folder out one that ends with "
            ".xml, got '",
            s.netanim,
            "'");
}

/** Refuse combinations that runs of peers do not support. */
void
CheckPeers(const RunSpec& s)
{
    const std::string& graph = s.kind == RunKind::PEERS ? s.graph : s.stateGraph;
    Require(s.learners > 0 || graph.rfind("graphml:", 0) == 0 || graph.rfind("csv:", 0) == 0,
            "learners must be in [1, 100000], or 0 with a file of a graph, got 0");
    s.GetPeerRule(); // refuses invalid names
    Require(s.kind == RunKind::DIRECTED || !s.IsTracking(),
            "algorithm ",
            s.algorithm,
            " needs a graph of its trackers; see dlearn-gradient-tracking");
    // Both later messages and running sums contain the entries that a message omits.
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

/** Refuse combinations that federations do not support. */
void
CheckFederation(const RunSpec& s)
{
    RequireOneOf("algorithm", s.algorithm, GetFederatedAlgorithms());
    RequireOneOf("mode", s.mode, {"sync", "async", "buffered"});
    RequireOneOf("byzantine-data", s.byzantineData, {"own", "shards"});
    RequireOneOf("attackers", s.attackers, {"fixed", "drawn"});
    const bool sync = s.mode == "sync";
    Require(!s.IsLinearGaussian() || !(s.IsCafCor() || LearnerAttack(s.attack).GetPoisoning()),
            s.IsCafCor() ? "algorithm " + s.algorithm + " needs a data set"
                         : "attack " + s.attack + " needs a classification",
            ", got data linear-gaussian");
    const uint32_t clients = s.tiers.empty() ? s.learners : CountClients(ParseTiers(s.tiers));
    Require(2 * uint64_t{s.byzantine} < clients,
            "byzantine must be less than half of the ",
            clients,
            " clients, got ",
            s.byzantine);
    Require(!s.IsCafCor() || sync, "algorithm cafcor needs mode sync, got ", s.mode);
    Require(sync || (s.drift == 0 && s.dataDrift.empty()),
            "drift and data-drift need mode sync: with ",
            s.mode,
            " the clients' rounds are not those of the server");
    const int samplings = (s.sampleFraction < 1) + (s.sampleCount > 0) + !s.samplePlan.empty();
    Require(samplings <= 1, "sample-fraction, sample-count and sample-plan exclude each other");
    Require(
        s.reliable == "none" || (sync && samplings == 0 && s.sampling.empty()),
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

/** Refuse combinations that edge servers do not support. */
void
CheckTiers(const RunSpec& s)
{
    if (!s.HasEdges())
    {
        return;
    }
    Require(s.tiers.empty() || s.aggregateAt.empty(), "tiers and aggregate-at exclude each other");
    Require(s.tiers.empty() || s.invocation.options.count("learners") == 0 ||
                CountClients(ParseTiers(s.tiers)) == s.learners,
            "tiers must have as many clients as learners says, {}; got '{}'",
            s.learners,
            s.tiers);
    const auto refuse = [&s](bool wrong, const std::string& what) {
        Require(!wrong,
                "{} needs one server for all clients, without {}",
                what,
                s.tiers.empty() ? "aggregate-at" : "tiers");
    };
    refuse(s.IsCafCor(), "algorithm cafcor");
    refuse(s.attackers == "drawn", "attackers drawn, in each round of the server,");
    refuse(s.threatModel == "cdp",
           "threat-model cdp, whose account is for noise on the mean of all clients,");
    refuse(s.drift > 0, "drift, by the rounds of the server,");
    refuse(s.mpi, "mpi, where each node is of one learner,");
    refuse(s.reliable != "none", "reliable");
    refuse(!s.samplePlan.empty(), "sample-plan, which names clients of all edge servers,");
    refuse(s.uplink == "air", "uplink air");
    refuse(!s.uplinkAllocation.empty(), "uplink-allocation");
    refuse(!s.uplinkPower.empty(), "uplink-power");
}

/** Refuse combinations without a privacy account in federations. */
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
    Require(s.attackers == "fixed" || s.threatModel == "none",
            "attackers drawn needs threat-model none, as all clients are Byzantine in some rounds, "
            "and results have no epsilon of Byzantine ones; got ",
            s.threatModel);
    Require(s.threatModel.rfind("air", 0) != 0 || (s.uplink == "air" && !s.IsCafCor()),
            "threat-model {} needs uplink air and algorithm fedavg, as its account is of updates "
            "that add up",
            s.threatModel);
    Require(s.threatModel != "air-sum" || s.byzantine == 0,
            "threat-model air-sum needs byzantine 0, as its account counts on the noise of all "
            "clients; got {}",
            s.byzantine);
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
        CheckTiers(*this);
        CheckFederatedPrivacy(*this);
        return;
    }
    CheckPeers(*this);
    if (kind == RunKind::DIRECTED)
    {
        GetTrackingPlan(); // refuses invalid values
    }
}

} // namespace ns3::dlearn
