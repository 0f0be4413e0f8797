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
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One option of the programs: the only place that says its name, what it means, where its value is,
 * and which attributes of ns-3 objects it sets.
 */
struct RunOption
{
    std::string name;                      //!< after the two dashes
    std::string group;                     //!< title in --help
    std::string help;                      //!< what it means
    OptionValue value;                     //!< in a RunSpec
    std::vector<std::string> aliases{};    //!< names of the same
    std::string alone{};                   //!< its value when none is written; empty: it needs one
    std::vector<std::string> attributes{}; //!< set by UsedOptions, full names
    std::string interval{};                //!< its range, such as "(0, 1]"; empty for none
    std::string decider{};                 //!< option that decides whether it is used
    std::string users{};                   //!< who uses it; empty: all runs do
    std::string neutral{};                 //!< value that changes nothing

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
 * Give the options that set attributes the defaults of these; of several, that of the first.
 *
 * @param spec gets the values
 */
void TakeDefaults(RunSpec& spec);

/** @ingroup dlearn
 *  @return names of algorithms with a server, which stand for values of other options */
std::vector<std::string> GetFederatedAlgorithms();

/**
 * @ingroup dlearn
 * @param spec what to run
 * @return the same with the values for which the name of its algorithm stands, as if they were
 *         given. Options that were given, or that have another value than usual, keep theirs
 */
RunSpec ResolveAlgorithm(const RunSpec& spec);

/**
 * @ingroup dlearn
 * @param spec what to run
 * @throw std::invalid_argument for a value out of the range of its option, or of the attributes
 *        that it sets
 */
void RequireRanges(const RunSpec& spec);

/**
 * @ingroup dlearn
 * @param spec what to run
 * @return names and values of all its options, for summary.json and the report
 */
std::vector<std::pair<std::string, std::string>> GetParameters(const RunSpec& spec);

/**
 * @ingroup dlearn
 * @param spec what to run
 * @param usual a run of the same kind
 * @return the options that have other values than in the usual run
 */
std::vector<RunOption> ListChanged(const RunSpec& spec, const RunSpec& usual);

/**
 * @ingroup dlearn
 * Classes speak of their attributes, as scripts set these; a user has given an option.
 *
 * @param spec what to run
 * @param message that refuses something
 * @return the message, and after it the option that sets the attribute with which it begins, if
 *         that was given
 */
std::string NameOption(const RunSpec& spec, const std::string& message);

/**
 * @ingroup dlearn
 * What a run uses of its options. What builds the run takes values from here or from
 * RunSpec::Take(); an option that a user gave and that nothing took is refused.
 */
class UsedOptions
{
  public:
    /** @param spec with the values, as RequireRanges() allows; must outlive this */
    explicit UsedOptions(const RunSpec& spec);

    /**
     * Set the attributes that options are names of, as Give() does.
     * @param part of a run, whose type may have any of the attributes
     */
    void Apply(ObjectBase& part) const;

    /**
     * Options that set attributes without effect are not used after all.
     * @param isIdle whether an attribute, by its name alone, has no effect
     */
    void GiveBack(const std::function<bool(const std::string& attribute)>& isIdle) const;

    /**
     * Set an attribute to what an option says, or to what follows from it, which takes the option.
     *
     * @tparam Value of the option
     * @param part of a run
     * @param name of an attribute
     * @param value of the attribute
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

    /** As above, for what no single option says. */
    bool Give(ObjectBase& part, const std::string& name, const AttributeValue& value) const
    {
        return GiveFrom(part, name, value, nullptr);
    }

    /**
     * @param part of a run, just made
     * @param name of an attribute that it may have
     * @return whether the user has chosen its value: on the command line, in the text that the part
     *         was made from, or by Config::SetDefault()
     */
    static bool HasChosenValue(const ObjectBase& part, const std::string& name);

    /**
     * @param type of parts of the run
     * @param names of attributes that the run sets whenever it makes such a part
     * @throw std::invalid_argument when the user has chosen another default of them
     */
    void RefuseChosen(TypeId type, const std::vector<std::string>& names) const;

    /**
     * @return names of the options that nothing took so far, given or not; without those whose
     *         values say what is so anyway
     */
    std::set<std::string> FindUnused() const;

    /**
     * To be called when the run is built.
     *
     * @return what is to be said of options that the user gave and nothing took, where
     *         `unused=warn` allows them
     * @throw std::invalid_argument naming the first of them, what would use it and what is there
     */
    std::vector<std::string> RequireUsed() const;

  private:
    /** @return see Give(); @p option is null for none */
    bool GiveFrom(ObjectBase& part,
                  const std::string& name,
                  const AttributeValue& value,
                  const void* option) const;

    /** @return whether the user gave the option */
    bool IsGiven(const RunOption& option) const;

    /** @return why an option is not used, in words */
    std::string Explain(const RunOption& option) const;

    const RunSpec& m_spec;            //!< with the values
    std::vector<RunOption> m_options; //!< of the run
    mutable std::set<TypeId> m_parts; //!< types of the parts of the run
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
 * Collects the options of the programs. Add() begins an option; the calls that follow say more of
 * the same option:
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

    /** @param kind of run whose options are collected */
    explicit OptionTable(RunKind kind)
        : m_kind(static_cast<uint32_t>(kind))
    {
    }

    /** @param group title of the options that are added next */
    void Begin(const char* group) { m_group = group; }

    /**
     * Add an option.
     *
     * @param name after the two dashes
     * @param kinds sum of the kinds of run that have it; others leave it out
     * @param value where its value is
     * @param help what it means; empty, or with a colon at its end: there follows the help of the
     *        first attribute that it sets
     * @return this table
     */
    OptionTable& Add(const char* name, uint32_t kinds, OptionValue value, const std::string& help);

    /** @param aliases other names of the option added last */
    OptionTable& Alias(const Names& aliases);

    /** @param value of the option added last where a user writes it without one */
    OptionTable& Alone(const std::string& value);

    /**
     * The option added last is another name of attributes: it has the default, the range and the
     * help of the first, and UsedOptions sets them in all parts that have them.
     * @param attributes without `ns3::dlearn::`; where a type does not have it, as in
     *        Network::Delay, that of all types derived from it which do
     */
    OptionTable& Sets(const Names& attributes);

    /** @param interval range of the option added last, such as "(0, 1]" */
    OptionTable& In(const std::string& interval);

    /**
     * Some runs do not use the option added last.
     *
     * @param decider option that decides it; empty when there are several
     * @param users value of that option, or parts of a run, which use it
     */
    OptionTable& For(const std::string& decider, const std::string& users);

    /** @param value of the option added last that changes nothing, besides 0, none, false and the
     *         empty text */
    OptionTable& Neutral(const std::string& value);

    /** @return the options of the kind of run, in the order in which they were added */
    std::vector<RunOption> Take() { return std::move(m_options); }

  private:
    RunOption m_other;                //!< of another kind of run, added last
    bool m_left{false};               //!< whether the option added last is left out
    uint32_t m_kind;                  //!< of run
    std::string m_group;              //!< of the options that are added next
    std::vector<RunOption> m_options; //!< of the kind of run

    /** @return the option added last */
    RunOption& Last() { return m_left ? m_other : m_options.back(); }
};

/**
 * @ingroup dlearn
 * @param family of types that an option takes
 * @return their names, for --help
 */
std::string ListTypes(const ComponentFamily& family);

/**
 * The groups of options.
 * @{
 * @param spec has the values
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
