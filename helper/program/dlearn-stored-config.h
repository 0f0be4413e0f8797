/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STORED_CONFIG_H
#define DLEARN_STORED_CONFIG_H

#include <string>
#include <vector>

/**
 * @file
 * Command lines that come from files.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Read what a run was: the members `parameters`, `attributes`, `globals`, `seed` and `run` of its
 * summary.json, or of any JSON file that has some of them. The folder of the results is not taken
 * from a summary.json, which has a member `status`.
 *
 * @param path of the file
 * @param program that is to repeat the run; that of the file must be the same
 * @return the command line of the run, word by word
 * @throw std::invalid_argument naming the file and what is wrong with it
 */
std::vector<std::string> ReadRunConfig(const std::string& path, const std::string& program);

/**
 * @ingroup dlearn
 * Read the file that the attributes of ns3::ConfigStore say, in the format RawText. Values of
 * single objects are not loaded: ns-3 ends the program when it sets some of them.
 *
 * @return the defaults and global values of the file that differ from those that hold, as words of
 *         a command line; nothing unless the attribute Mode is Load
 * @throw std::invalid_argument naming a line that cannot be read
 */
std::vector<std::string> ReadStoredConfig();

/**
 * @ingroup dlearn
 * Save all defaults and global values in the file that the attributes of ns3::ConfigStore say, if
 * their Mode is Save.
 */
void SaveStoredConfig();

} // namespace ns3::dlearn

#endif // DLEARN_STORED_CONFIG_H
