/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_OPTION_GROUPS_H
#define DLEARN_RUN_OPTION_GROUPS_H

#include "dlearn-run-option-table.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-learner-attack.h"

#include <cstdint>
#include <string>

namespace ns3::dlearn
{

/** Kinds of run that have an option, to be joined by `|`. */
namespace run_kinds
{
constexpr auto P = static_cast<uint32_t>(RunKind::PEERS);      //!< peers
constexpr auto D = static_cast<uint32_t>(RunKind::DIRECTED);   //!< peers on directed graphs
constexpr auto F = static_cast<uint32_t>(RunKind::FEDERATION); //!< server and clients
} // namespace run_kinds

/** What options of several groups need to have an effect. */
namespace run_needs
{
constexpr const char* DATA_SET = "a data set, and data linear-gaussian is none"; //!< to learn from
constexpr const char* TRACKING = "algorithm dp-gt or gt"; //!< two vectors in a message
} // namespace run_needs

/**
 * @param attack of the run, perhaps one that will be refused
 * @param property of attacks
 * @return whether the attack has the property; yes for one that will be refused
 */
bool IsAttack(const std::string& attack, bool (LearnerAttack::*property)() const);

/**
 * The groups of options, each of which begins with its title. Each is in a file of its own,
 * `dlearn-run-options-GROUP.cc`.
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

#endif // DLEARN_RUN_OPTION_GROUPS_H
