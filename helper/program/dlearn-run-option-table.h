/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_OPTION_TABLE_H
#define DLEARN_RUN_OPTION_TABLE_H

#include "dlearn-run-option.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-component.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Collects the options of the programs. Add() begins an option; the calls that follow say more of
 * the same option:
 *
 * @code
 *   table.Add("compress-model", F, &spec.compressModel, "of the server's model: none or fp16")
 *       .Needs(spec.mode == "sync", "mode sync");
 * @endcode
 */
class OptionTable
{
  public:
    /** Names of options or attributes. */
    using Names = std::vector<std::string>;

    /** @param kind of run whose options are collected */
    explicit OptionTable(RunKind kind);

    /**
     * @param group title of the options that are added next
     * @param theory what they mean for the closed form of the error, unless Theory() says otherwise
     */
    void Begin(const char* group, TheoryEffect theory);

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

    /**
     * @param aliases other names of the option added last
     * @return this table
     */
    OptionTable& Alias(const Names& aliases);

    /**
     * @param value of the option added last where a user writes it without one
     * @return this table
     */
    OptionTable& Alone(const std::string& value);

    /**
     * @param attributes that the option added last sets, without `ns3::dlearn::`
     * @return this table
     */
    OptionTable& Sets(const Names& attributes);

    /**
     * @param attributes that a run sets because of the option added last, without `ns3::dlearn::`
     * @return this table
     */
    OptionTable& Governs(const Names& attributes);

    /**
     * @param attribute that a run sets because of the option added last, in each type of
     *        UpdateRule that declares it
     * @return this table
     */
    OptionTable& GovernsInRules(const std::string& attribute);

    /**
     * @param family of the part that the option added last describes, which exists as long as the
     *        program does; attributes in the description that options set are refused
     * @return this table
     */
    OptionTable& Describes(const ComponentFamily& family);

    /**
     * @param effect what the option added last means for the closed form of the error
     * @return this table
     */
    OptionTable& Theory(TheoryEffect effect);

    /**
     * The option added last sets what only some networks have: Network::HasEffect() says which.
     *
     * @return this table
     */
    OptionTable& OfNetworks();

    /**
     * @param there whether the option added last has an effect
     * @param what it needs to have one
     * @return this table
     */
    OptionTable& Needs(bool there, const std::string& what);

    /**
     * Say Needs() of several options.
     *
     * @param first name of the first; the others are those added since then
     * @param there whether they have an effect
     * @param what they need to have one
     */
    void AllNeed(const char* first, bool there, const std::string& what);

    /** @return the options of the kind of run, in the order in which they were added */
    std::vector<RunOption> Take();

  private:
    uint32_t m_kind;                  //!< of run
    std::string m_group;              //!< of the options that are added next
    TheoryEffect m_theory;            //!< likewise
    std::vector<RunOption> m_options; //!< of all kinds
};

/**
 * @ingroup dlearn
 * @param family of types that an option takes
 * @return their names, for --help
 */
std::string ListTypes(const ComponentFamily& family);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_OPTION_TABLE_H
