/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_VARIANT_H
#define DLEARN_RUN_VARIANT_H

#include "dlearn-run-spec.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A run that a program compares with its first one: what differs, as on a command line.
 */
struct RunVariant
{
    std::string name;               //!< of the run beside others, and of its folder
    std::vector<std::string> words; //!< options, --name=value
};

/**
 * @ingroup dlearn
 * Options that a user gave hold for all runs of a comparison: those words of a variant that say
 * something else are left out. Its results go to the folder of its name within that of the first
 * run, and its command line repeats it alone.
 *
 * @param first the first run, with its command line
 * @param variant what to change
 * @return the run; nothing when the user's options leave no difference from the first
 * @throw std::invalid_argument for words that are no options of the first run
 */
std::optional<RunSpec> MakeVariant(const RunSpec& first, const RunVariant& variant);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_VARIANT_H
