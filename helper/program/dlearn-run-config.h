/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_CONFIG_H
#define DLEARN_RUN_CONFIG_H

#include "dlearn-run-spec.h"

#include <string>
#include <vector>

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

} // namespace ns3::dlearn

#endif // DLEARN_RUN_CONFIG_H
