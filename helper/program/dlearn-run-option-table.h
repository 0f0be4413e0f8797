/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_OPTION_TABLE_H
#define DLEARN_RUN_OPTION_TABLE_H

#include "dlearn-run-options.h"

#include "ns3/dlearn-component.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

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
     * @param attributes without `ns3::dlearn::`
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

#endif // DLEARN_RUN_OPTION_TABLE_H
