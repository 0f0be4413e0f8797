/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_OPTION_H
#define DLEARN_RUN_OPTION_H

#include "dlearn-program-arguments.h"

#include "ns3/dlearn-component.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What an option means for the closed form of the error of a federation, see
 * FederatedLearners::GetTheory(), when its value is another than that of the preset.
 */
enum class TheoryEffect
{
    VOIDS,    //!< something else is computed, of which no closed form is known
    DISTURBS, //!< messages may be missing or late, or clients end, and the error differs
    NONE      //!< the closed form knows it, or the error does not depend on it
};

/**
 * @ingroup dlearn
 * One option of the programs: the only place that says its name, what it means, where its value is,
 * and which attributes of ns-3 objects it sets.
 */
struct RunOption
{
    std::string name;                       //!< after the two dashes
    std::string group;                      //!< title in --help
    uint32_t kinds;                         //!< sum of the RunKinds that have it
    std::string help;                       //!< as OptionTable completes it
    OptionValue value;                      //!< in a RunSpec
    std::vector<std::string> aliases{};     //!< names of the same
    std::string alone{};                    //!< its value when none is written; empty: it needs one
    std::vector<std::string> attributes{};  //!< set by OptionAttributes, full names
    std::vector<std::string> overwritten{}; //!< attributes that a run sets because of it
    const ComponentFamily* family{nullptr}; //!< of the part that it describes; null for another
    TheoryEffect theory{TheoryEffect::VOIDS}; //!< see there
    bool ofNetworks{false};                   //!< whether only some networks have what it sets
    std::string missing{};                    //!< what it needs to have an effect, and is not there
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_OPTION_H
