/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ENVIRONMENT_WORDS_H
#define DLEARN_ENVIRONMENT_WORDS_H

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The attributes in ns-3's environment variable NS_ATTRIBUTE_DEFAULT and the global values in
 * NS_GLOBAL_VALUE become words of the command line, so that they are checked and recorded like
 * those that a user typed. The variables are removed from the environment of this process: ns-3
 * would prefer the attributes to those of the command line.
 *
 * @return "--ns3::TYPE::ATTRIBUTE=VALUE" or "--NAME=VALUE" for each of them
 * @throw std::invalid_argument for anything else between their semicolons, and for a name that is
 *        there twice
 */
std::vector<std::string> TakeEnvironmentWords();

} // namespace ns3::dlearn

#endif // DLEARN_ENVIRONMENT_WORDS_H
