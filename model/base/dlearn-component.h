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
 * NAME is the name of a type without `ns3::dlearn::` and without the ending of its family: Krum is
 * ns3::dlearn::KrumAggregator, topk is ns3::dlearn::TopKCompressor. Capitals and hyphens do not
 * matter, and the full name of a type, which may be a user's own, will always do. Values without a
 * name are for the attributes that the type itself declares, in their order; others are named, in
 * capitals or not: MultiKrum:3, MultiKrum:m=3,margin=2. Colons and commas are alike. Where ns-3
 * wants a random variable, a number is one that always has this value. The names there are come
 * from the types that are registered, so a new type is known at once.
 */

namespace ns3::dlearn
{

/** The types among which a user chooses one. */
struct ComponentFamily
{
    std::string option;               //!< of the programs, for messages
    TypeId base;                      //!< parent of all types
    std::vector<std::string> endings; //!< of their names, which a user leaves out
    bool hyphenated{false};           //!< whether names are written dp-sgd rather than DpSgd

    /** Other names, and the names in GetComponentNames() that they stand for. */
    std::map<std::string, std::string> aliases{};

    /**
     * Types that go by another's name when they have the attribute that is given, and that one
     * has not: name of the other, name of the type.
     */
    std::map<std::string, std::string> variants{};

    std::string prefix{"ns3::dlearn::"};   //!< of the names of its types, which a user leaves out
    std::vector<std::string> attributes{}; //!< of which types must have one; none: they need none
    bool direct{false};                    //!< whether types must be derived from base directly
};

/**
 * @param family the types
 * @return the names of those that can be created, with those of aliases, in alphabetical order
 */
std::vector<std::string> GetComponentNames(const ComponentFamily& family);

/**
 * @param family the types
 * @return likewise, with the first attribute that a type itself declares, in capitals, after a
 *         colon: delay:DELAY
 */
std::vector<std::string> GetComponentUsages(const ComponentFamily& family);

/**
 * @param text what a user wrote
 * @return what stands before the first colon or comma
 */
std::string GetComponentName(const std::string& text);

/**
 * @param family the types
 * @param text what a user wrote
 * @return whether its NAME is one of the family
 */
bool IsComponent(const ComponentFamily& family, const std::string& text);

/**
 * What a part is, whichever of its names a user wrote: code that depends on a part asks this, and
 * never compares texts.
 *
 * @param family the types
 * @param text what a user wrote; it may be wrong
 * @param base a type
 * @return whether the NAME is that of this type or of one derived from it
 */
bool IsComponentOf(const ComponentFamily& family, const std::string& text, TypeId base);

/**
 * For a name of a type that means more than the type does.
 *
 * @param family the types
 * @param text what a user wrote; it may be wrong
 * @param name an alias of the family
 * @return whether the NAME is this alias, in capitals or not
 */
bool IsComponentNamed(const ComponentFamily& family,
                      const std::string& text,
                      const std::string& name);

/**
 * @param family the types
 * @param text NAME[:value][,attribute=value]...
 * @return a factory of what it describes
 * @throw std::invalid_argument naming the text, and the names, attributes or values there are
 */
ObjectFactory ParseComponent(const ComponentFamily& family, const std::string& text);

/**
 * @param family the types
 * @param text likewise
 * @return the full names of the attributes to which it gives a value
 * @throw std::invalid_argument likewise, but does not look at the values
 */
std::vector<std::string> GetGivenAttributes(const ComponentFamily& family, const std::string& text);

} // namespace ns3::dlearn

#endif // DLEARN_COMPONENT_H
