/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GENERAL_ARGUMENTS_H
#define DLEARN_GENERAL_ARGUMENTS_H

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Refuse an attribute that ns3::CommandLine would abort on.
 *
 * @param name "ns3::TYPE::ATTRIBUTE"
 * @param value its value
 * @return its name, also where the given one has an older name of the type, which ns-3 knows, too
 * @throw std::invalid_argument when there is no such attribute, or it cannot have the value
 */
std::string CheckAttribute(const std::string& name, const std::string& value);

/**
 * @ingroup dlearn
 * Refuse a value that ns3::CommandLine would abort on.
 *
 * @param name of a global value of ns-3, or of an option that makes its CommandLine print something
 * @param value its value
 * @throw std::invalid_argument when it cannot have the value
 */
void CheckGlobal(const std::string& name, const std::string& value);

/**
 * @ingroup dlearn
 * @param name of an option
 * @return whether ns-3 has a global value of that name
 */
bool IsGlobal(const std::string& name);

/**
 * @ingroup dlearn
 * @param name of an option
 * @return whether ns3::CommandLine prints something because of it, and ends the program
 */
bool IsQuery(const std::string& name);

} // namespace ns3::dlearn

#endif // DLEARN_GENERAL_ARGUMENTS_H
