/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COMPONENT_H
#define DLEARN_COMPONENT_H

#include "ns3/object-factory.h"
#include "ns3/type-id.h"

#include <map>
#include <string>
#include <vector>

/**
 * @file
 * Parts of a run as a user of a program writes them: NAME[:value][,attribute=value]...
 *
 * NAME is the name of a registered type without `ns3::dlearn::` and without the ending of its
 * family: Krum is ns3::dlearn::KrumAggregator, topk is ns3::dlearn::TopKCompressor. Capitals and
 * hyphens do not matter; the full name of a type works, too. Values without a name are for the
 * attributes that the type itself declares, in their order; others are named, in capitals or not:
 * MultiKrum:3, MultiKrum:m=3,margin=2. Colons and commas are equivalent. A number can stand for a
 * constant random variable.
 */

namespace ns3::dlearn
{

/** The types among which a user chooses one. */
struct ComponentFamily
{
    std::string option;               //!< of the programs, for messages
    TypeId base;                      //!< parent of all types
    std::vector<std::string> endings; //!< of their names, which a user leaves out
    bool hyphenated{false};           //!< whether names are dp-sgd rather than DpSgd

    /** Other names, and the names in GetComponentNames() that they stand for. */
    std::map<std::string, std::string> aliases{};

    /**
     * For the name of a type, another type, which is meant if it has the attribute that is given
     * first.
     */
    std::map<std::string, std::string> variants{};

    std::string prefix{"ns3::dlearn::"};   //!< of the names of its types, which a user leaves out
    std::vector<std::string> attributes{}; //!< types must have one of these; empty: no rule
    bool direct{false};                    //!< whether types must be derived from base directly
};

/** @return names and aliases of the types that can be created, in alphabetical order */
std::vector<std::string> GetComponentNames(const ComponentFamily& family);

/** @return the names, with the first attribute that a type itself declares: delay:DELAY */
std::vector<std::string> GetComponentUsages(const ComponentFamily& family);

/** @return the text before the first colon or comma */
std::string GetComponentName(const std::string& text);

/** @return whether the NAME of a text is a type of the family */
bool IsComponent(const ComponentFamily& family, const std::string& text);

/** @return whether the NAME of a text is @p base or a type derived from it; false if unknown */
bool IsComponentOf(const ComponentFamily& family, const std::string& text, TypeId base);

/** @return whether the NAME of a text is this alias of the family, in capitals or not */
bool IsComponentNamed(const ComponentFamily& family,
                      const std::string& text,
                      const std::string& name);

/**
 * @param family the types
 * @param text NAME[:value][,attribute=value]...
 * @return a factory of the type with its attributes
 * @throw std::invalid_argument naming the text and the valid names, attributes or values
 */
ObjectFactory ParseComponent(const ComponentFamily& family, const std::string& text);

/** @return full names of the attributes that a text of ParseComponent() sets, with any value */
std::vector<std::string> GetGivenAttributes(const ComponentFamily& family, const std::string& text);

} // namespace ns3::dlearn

#endif // DLEARN_COMPONENT_H
