/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_OPTIONS_H
#define DLEARN_RUN_OPTIONS_H

#include "dlearn-program-arguments.h"
#include "dlearn-run-spec.h"

#include "ns3/attribute.h"
#include "ns3/dlearn-component.h"
#include "ns3/object-base.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * An option of the programs: name, help, value, and the attributes of ns-3 objects that it sets.
 */
struct RunOption
{
    std::string name;                      //!< after the two dashes
    std::string group;                     //!< title in --help
    std::string help;                      //!< description
    OptionValue value;                     //!< in a RunSpec
    std::vector<std::string> aliases{};    //!< other names
    std::string alone{};                   //!< value if given without one; empty: required
    std::vector<std::string> attributes{}; //!< full names, set by UsedOptions
    std::string interval{};                //!< its range, such as "(0, 1]"; may be empty
    std::string decider{};                 //!< option that decides whether it is used
    std::string users{};                   //!< its users; empty: all runs
    std::string neutral{};                 //!< value without an effect

    /** @return whether some runs do not use it */
    bool MayBeUnused() const { return !users.empty() || !attributes.empty(); }
};

/**
 * @ingroup dlearn
 * @param spec gets the values
 * @return the options of its kind of run, in the order of --help
 */
std::vector<RunOption> GetRunOptions(RunSpec& spec);

/**
 * @ingroup dlearn
 * Set the options that are names of attributes to the default of their first attribute.
 *
 * @param spec gets the values
 */
void TakeDefaults(RunSpec& spec);

/** @ingroup dlearn
 * @return names of algorithms with a server, which stand for values of other options */
std::vector<std::string> GetFederatedAlgorithms();

/** @ingroup dlearn
 * @return names of presets of federations */
std::vector<std::string> GetPresetNames();

/**
 * @ingroup dlearn
 * @param name a preset, or empty
 * @return the defaults of options with which a network of the literature learns a data set, by name
 * @throw std::invalid_argument for another name
 */
std::map<std::string, std::string> GetPreset(const std::string& name);

/**
 * @ingroup dlearn
 * @param spec options of the run
 * @return the spec with the option values of its algorithm's name, as if they were given. Options
 *         that were given, or that differ from their defaults, keep their values
 */
RunSpec ResolveAlgorithm(const RunSpec& spec);

/**
 * @ingroup dlearn
 * @param spec options of the run
 * @throw std::invalid_argument for a value out of the range of its option, or of the attributes
 *        that it sets
 */
void RequireRanges(const RunSpec& spec);

/**
 * @ingroup dlearn
 * @param spec options of the run
 * @return names and values of all its options, for summary.json and the report
 */
std::vector<std::pair<std::string, std::string>> GetParameters(const RunSpec& spec);

/**
 * @ingroup dlearn
 * @param spec options of the run
 * @param usual a run of the same kind
 * @return the options whose values differ from those of @p usual
 */
std::vector<RunOption> ListChanged(const RunSpec& spec, const RunSpec& usual);

/**
 * @ingroup dlearn
 * Name the option in a message of a class about its attribute.
 *
 * @param spec options of the run
 * @param message message of an exception
 * @return the message; if it begins with an attribute that a given option sets, followed by the
 *         option
 */
std::string NameOption(const RunSpec& spec, const std::string& message);

/**
 * @ingroup dlearn
 * Tracks the options that a run uses. The parts of a run take values from here or with
 * RunSpec::Take(); options of the user that no part has taken are refused.
 */
class UsedOptions
{
  public:
    /** @param spec values that RequireRanges() accepts; must outlive this */
    explicit UsedOptions(const RunSpec& spec);

    /**
     * Set the attributes of a part for which there are options, as Give() does.
     * @param part part of a run
     */
    void Apply(ObjectBase& part) const { Set(part, false); }

    /** As Apply(), but attributes that the user has chosen keep their values unless the option is
     *  given, too. */
    void Complete(ObjectBase& part) const { Set(part, true); }

    /**
     * Mark options as unused if the attributes that they set have no effect.
     * @param isIdle returns whether the attribute with a name has no effect
     */
    void GiveBack(const std::function<bool(const std::string& attribute)>& isIdle) const;

    /**
     * Set an attribute from the value of an option, and mark the option as used.
     *
     * @tparam Value type of the option
     * @param part part of a run
     * @param name name of an attribute
     * @param value value of the attribute
     * @param option a member of the RunSpec
     * @return whether the part has such an attribute
     * @throw std::invalid_argument when the user has chosen another value of the attribute
     */
    template <typename Value>
    bool Give(ObjectBase& part,
              const std::string& name,
              const AttributeValue& value,
              const Value& option) const
    {
        return GiveFrom(part, name, value, &option);
    }

    /** As above, for values that do not follow from a single option. */
    bool Give(ObjectBase& part, const std::string& name, const AttributeValue& value) const
    {
        return GiveFrom(part, name, value, nullptr);
    }

    /**
     * @param part new part of a run
     * @param name name of an attribute that it may have
     * @return whether the user has set its value: on the command line, in the text from which the
     *         part was created, or by Config::SetDefault()
     */
    static bool HasChosenValue(const ObjectBase& part, const std::string& name);

    /**
     * @param type type of parts of the run
     * @param names attributes that the run always sets in such parts
     * @throw std::invalid_argument when the user has set a default of one of them
     */
    void RefuseChosen(TypeId type, const std::vector<std::string>& names) const;

    /**
     * @return names of the unused options so far, given or not, except those with a neutral value
     */
    std::set<std::string> FindUnused() const;

    /**
     * Call when the run is built.
     *
     * @return warnings of given but unused options, with `unused=warn`
     * @throw std::invalid_argument naming the first unused option, its possible users and the
     *        actual setting
     */
    std::vector<std::string> RequireUsed() const;

  private:
    void Set(ObjectBase& part, bool yields) const;

    /** @return see Give(); @p option is null for none */
    bool GiveFrom(ObjectBase& part,
                  const std::string& name,
                  const AttributeValue& value,
                  const void* option) const;

    bool IsGiven(const RunOption& option) const;

    /** @return the reason why an option is unused, in words */
    std::string Explain(const RunOption& option) const;

    const RunSpec& m_spec;
    std::vector<RunOption> m_options; //!< of the run
    mutable std::set<TypeId> m_parts; //!< types of the parts
};

/** Kinds of run that have an option, to be joined by `|`. */
namespace run_kinds
{
constexpr auto P = static_cast<uint32_t>(RunKind::PEERS);      //!< peers
constexpr auto D = static_cast<uint32_t>(RunKind::DIRECTED);   //!< peers on directed graphs
constexpr auto F = static_cast<uint32_t>(RunKind::FEDERATION); //!< server and clients
} // namespace run_kinds

/**
 * @ingroup dlearn
 * Collects the options of the programs. Add() begins an option; the following calls describe it
 * further:
 *
 * @code
 *   table.Add("buffer-size", F, &spec.bufferSize, "buffered: updates that make a new model")
 *       .In("[1, 100000]")
 *       .For("mode", "buffered");
 * @endcode
 */
class OptionTable
{
  public:
    /** Names of options or attributes. */
    using Names = std::vector<std::string>;

    /** @param kind kind of run whose options are collected */
    explicit OptionTable(RunKind kind)
        : m_kind(static_cast<uint32_t>(kind))
    {
    }

    /** @param group title of the following options */
    void Begin(const char* group) { m_group = group; }

    /**
     * Add an option.
     *
     * @param name name without dashes
     * @param kinds sum of the kinds of run that have it
     * @param value pointer to its value
     * @param help description; if empty or ending in a colon, the help of its first attribute
     * follows
     * @return this table
     */
    OptionTable& Add(const char* name, uint32_t kinds, OptionValue value, const std::string& help);

    /** @param aliases other names of the last option */
    OptionTable& Alias(const Names& aliases);

    /** @param value value of the last option if a user gives it without one */
    OptionTable& Alone(const std::string& value);

    /**
     * Make the last option a name of attributes: it has the default, the range and the help of the
     * first, and UsedOptions sets them in all parts that have them.
     * @param attributes names without `ns3::dlearn::`; if a type does not have the attribute, as in
     *        Network::Delay, its derived types that have it
     */
    OptionTable& Sets(const Names& attributes);

    /** @param interval range of the last option, such as "(0, 1]" */
    OptionTable& In(const std::string& interval);

    /**
     * State which runs use the last option.
     *
     * @param decider option that decides it; empty if there are several
     * @param users values of that option, or parts of a run, that use it
     */
    OptionTable& For(const std::string& decider, const std::string& users);

    /**
     * @param value value of the last option without an effect, besides 0, none, false and the empty
     *        text
     */
    OptionTable& Neutral(const std::string& value);

    /** @return the options of the kind of run, in the order of their addition */
    std::vector<RunOption> Take() { return std::move(m_options); }

  private:
    RunOption m_other;   //!< last option, if of another kind of run
    bool m_left{false};  //!< whether the last option is of another kind
    uint32_t m_kind;     //!< of run
    std::string m_group; //!< of the following options
    std::vector<RunOption> m_options;

    RunOption& Last() { return m_left ? m_other : m_options.back(); }
};

/**
 * @ingroup dlearn
 * @param family types that an option accepts
 * @return their names, for --help
 */
std::string ListTypes(const ComponentFamily& family);

/**
 * The groups of options.
 * @{
 * @param spec values of the options
 * @param table gets the options
 */
void AddLearningOptions(RunSpec& spec, OptionTable& table);
void AddDataOptions(RunSpec& spec, OptionTable& table);
void AddNetworkOptions(RunSpec& spec, OptionTable& table);
void AddEnergyOptions(RunSpec& spec, OptionTable& table);
void AddTimingOptions(RunSpec& spec, OptionTable& table);
void AddPrivacyOptions(RunSpec& spec, OptionTable& table);
void AddAttackOptions(RunSpec& spec, OptionTable& table);
void AddFaultOptions(RunSpec& spec, OptionTable& table);
void AddOutputOptions(RunSpec& spec, OptionTable& table);
/** @} */

} // namespace ns3::dlearn

#endif // DLEARN_RUN_OPTIONS_H
