/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CHOSEN_OBJECT_H
#define DLEARN_CHOSEN_OBJECT_H

#include "dlearn-check.h"

#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/type-id.h"

namespace ns3::dlearn
{

/**
 * Create the object that a TypeId attribute chose, one for each owner.
 *
 * Pointer attributes would do the same with less code, but a default for them set by
 * Config::SetDefault or on the command line is one object shared by all owners.
 *
 * @tparam Base the interface that the owner needs
 * @param type the chosen type
 * @param owner class that has the attribute, for the message
 * @param attribute its name, for the message
 * @return a new object with its attributes at their defaults
 * @throw std::invalid_argument when the type is no Base or can not be created
 */
template <typename Base>
Ptr<Base>
CreateChosen(TypeId type, const char* owner, const char* attribute)
{
    Require(type.IsChildOf(Base::GetTypeId()) && type.HasConstructor(),
            owner,
            ": ",
            attribute,
            " must be a concrete type derived from ",
            Base::GetTypeId().GetName(),
            ", got ",
            type.GetName());
    ObjectFactory factory;
    factory.SetTypeId(type);
    return factory.Create<Base>();
}

/**
 * A part that is created on first use, so that its own attributes can be set before its owner
 * is set up.
 *
 * @tparam Base the interface that the owner needs
 * @param part where the owner keeps it; made as CreateChosen() does when null
 * @param type the chosen type
 * @param owner class that has the attribute, for the message
 * @param attribute its name, for the message
 * @return the part
 */
template <typename Base>
Ptr<Base>
GetChosen(Ptr<Base>& part, TypeId type, const char* owner, const char* attribute)
{
    if (!part)
    {
        part = CreateChosen<Base>(type, owner, attribute);
    }
    return part;
}

/**
 * As above for a part that an owner may do without: the type of the interface itself stands for
 * none.
 *
 * @tparam Base the interface
 * @param part where the owner keeps it
 * @param type the chosen type
 * @param owner class that has the attribute, for the message
 * @param attribute its name, for the message
 * @return the part; null for none
 */
template <typename Base>
Ptr<Base>
GetChosenOrNone(Ptr<Base>& part, TypeId type, const char* owner, const char* attribute)
{
    const bool chosen = part || type != Base::GetTypeId();
    return chosen ? GetChosen(part, type, owner, attribute) : nullptr;
}

} // namespace ns3::dlearn

#endif // DLEARN_CHOSEN_OBJECT_H
