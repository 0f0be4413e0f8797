/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_INVOCATION_H
#define DLEARN_INVOCATION_H

#include <map>
#include <set>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a command line said. A run refuses what it said without effect, and its results record it.
 * Of runs that a program compares only the first is strict: an option may mean something to some of
 * them.
 */
struct Invocation
{
    std::string command;                           //!< for a shell; without the program's folder
    std::set<std::string> options;                 //!< names of options that it had
    std::map<std::string, std::string> attributes; //!< of ns-3's types, by full name
    std::map<std::string, std::string> globals;    //!< global values of ns-3
    std::map<std::string, std::string> more;       //!< options that only this program has
    bool strict{true};                             //!< refuse what has no effect
};

/**
 * @ingroup dlearn
 * @param invocation what a command line said
 * @param option name of an option
 * @param missing what the option needs to have an effect, and is not there; empty for nothing
 * @throw std::invalid_argument when the command line had the option, and something is missing
 */
void RefuseWithoutEffect(const Invocation& invocation,
                         const std::string& option,
                         const std::string& missing);

} // namespace ns3::dlearn

#endif // DLEARN_INVOCATION_H
