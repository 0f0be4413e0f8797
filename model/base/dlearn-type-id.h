/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TYPE_ID_H
#define DLEARN_TYPE_ID_H

#include "ns3/object-base.h"
#include "ns3/type-id.h"

#include <string>
#include <type_traits>

namespace ns3::dlearn
{

/**
 * @tparam Type a class, registered with a constructor unless abstract
 * @tparam Parent its base class
 * @param name of Type, with its namespaces
 * @return a TypeId without attributes, to which some can be added
 */
template <typename Type, typename Parent>
TypeId
MakeTypeId(const std::string& name)
{
    TypeId tid = TypeId(name).SetParent<Parent>().SetGroupName("Dlearn");
    if constexpr (!std::is_abstract_v<Type>)
    {
        tid.AddConstructor<Type>();
    }
    return tid;
}

} // namespace ns3::dlearn

/**
 * Register a type of this namespace that has neither attributes nor traces, and define its
 * GetTypeId(). To be used in a source file.
 */
#define DLEARN_TYPE_WITHOUT_ATTRIBUTES(type, parent)                                               \
    NS_OBJECT_ENSURE_REGISTERED(type);                                                             \
    TypeId type::GetTypeId()                                                                       \
    {                                                                                              \
        static const TypeId tid = MakeTypeId<type, parent>("ns3::dlearn::" #type);                 \
        return tid;                                                                                \
    }                                                                                              \
    static_assert(true, "takes the semicolon")

#endif // DLEARN_TYPE_ID_H
