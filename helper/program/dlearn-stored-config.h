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
 * Read the configuration of a run: the members `parameters`, `attributes`, `globals`, `seed` and
 * `run` of its summary.json, or of any JSON file with some of them. The folder of the results is
 * ignored in a summary.json, that is if there is a member `status`.
 *
 * @param path path of the file
 * @param program program that repeats the run; must be that of the file
 * @return the command line of the run, word by word
 * @throw std::invalid_argument naming the file and the error
 */
std::vector<std::string> ReadRunConfig(const std::string& path, const std::string& program);

/**
 * @ingroup dlearn
 * Read the file that the attributes of ns3::ConfigStore name, in the format RawText. Values of
 * single objects are not loaded, because ns-3 aborts when it sets some of them.
 *
 * @return the defaults and global values of the file that differ from the current ones, as words of
 *         a command line; empty unless the attribute Mode is Load
 * @throw std::invalid_argument naming a line that cannot be parsed
 */
std::vector<std::string> ReadStoredConfig();

/**
 * @ingroup dlearn
 * Save all defaults and global values in the file that the attributes of ns3::ConfigStore name, if
 * the attribute Mode is Save.
 */
void SaveStoredConfig();

} // namespace ns3::dlearn

#endif // DLEARN_STORED_CONFIG_H
