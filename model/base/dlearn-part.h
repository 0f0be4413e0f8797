/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PART_H
#define DLEARN_PART_H

#include "dlearn-check.h"

#include "ns3/attribute.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

/**
 * @file
 * Attributes that hold a part of an object: a rule of a learner, the noise of a rule.
 *
 * A pointer attribute of ns-3 whose default is set by Config::SetDefault or on the command line is
 * one object that all owners share, and it cannot be set to a type. A part is set by
 *
 *  - TypeIdValue or StringValue, the name of a type: every owner makes its own part of that type;
 *  - ObjectFactoryValue, or StringValue with "TYPE[Attribute=value|...]": the same with attributes;
 *  - PointerValue: this object. Some parts are set only in this way (MakeGivenPartAccessor()).
 *
 * An owner makes its part when it is created, so that attributes of the part can be set, by a path
 * of ns-3's Config, too. An owner refuses another part once it is set up. For an optional part, the
 * type of the interface itself, or an empty string, means none.
 *
 * A part that keeps state serves one owner, which claims it by ClaimPart(). An attribute of a part
 * may have a second name on the owner: MakePartAliasAccessor().
 */

namespace ns3::dlearn
{

/**
 * @param value of an attribute
 * @param factory gets type and attributes of the part; no TypeId for a pointer or none
 * @return whether the value describes a part that a factory makes, or none
 */
bool ReadPartFactory(const AttributeValue& value, ObjectFactory& factory);

/**
 * Create the object that a factory describes.
 *
 * @tparam Base the interface that the owner needs
 * @param factory the chosen type and its attributes
 * @param what for the message: class and attribute
 * @return a new object
 * @throw std::invalid_argument when the type is not a Base or cannot be created
 */
template <typename Base>
Ptr<Base>
CreatePart(const ObjectFactory& factory, const std::string& what)
{
    Require(factory.IsTypeIdSet(),
            "{} must be a {}, got an empty text or no type",
            what,
            Base::GetTypeId().GetName());
    const TypeId type = factory.GetTypeId();
    const bool fits = type == Base::GetTypeId() || type.IsChildOf(Base::GetTypeId());
    Require(fits && type.HasConstructor(),
            "{} must be a concrete type derived from {}, got {}",
            what,
            Base::GetTypeId().GetName(),
            type.GetName());
    return factory.Create<Base>();
}

/**
 * Reserve a part for an owner. Owners call it at set-up for the parts that keep state.
 *
 * @param part a part, or null
 * @param owner the object that uses it from now on
 * @throw std::invalid_argument when another owner has claimed the part
 */
void ClaimPart(const Ptr<Object>& part, const Object& owner);

/** @return whether an owner has claimed the part at its set-up */
bool IsClaimed(const Object& part);

namespace internal
{

/** Tells defaults of second names from values. */
struct AliasMark
{
    virtual ~AliasMark() = default;
};

} // namespace internal

/**
 * @ingroup dlearn
 * The default of an attribute that is a second name for one of a part (MakePartAliasAccessor()):
 * shown in the help, but when an owner is made it leaves the part as it is.
 */
template <typename Value>
class AliasDefaultOf : public Value, public internal::AliasMark
{
  public:
    using Value::Value;

    Ptr<AttributeValue> Copy() const override { return Create<AliasDefaultOf>(*this); }
};

using AliasDefault = AliasDefaultOf<DoubleValue>; //!< of a number

namespace internal
{

/** @return class and attribute that has the accessor, for messages */
std::string NameAttribute(const ObjectBase& owner, const AttributeAccessor* accessor);

/**
 * @param value of an attribute, not a pointer
 * @param name of the attribute, for messages
 * @return the factory of ReadPartFactory()
 * @throw std::invalid_argument with the mistake in the value
 */
ObjectFactory MakePartFactory(const AttributeValue& value, const std::string& name);

/** Accepts all values that set a part. */
template <typename Base>
class PartChecker : public PointerChecker
{
  public:
    bool Check(const AttributeValue& value) const override
    {
        if (const auto pointer = dynamic_cast<const PointerValue*>(&value))
        {
            return !pointer->GetObject() || DynamicCast<Base>(pointer->GetObject()) != nullptr;
        }
        // ns-3 would read text that is refused here as a pointer, and crash. The accessor refuses
        // it.
        ObjectFactory factory;
        return dynamic_cast<const StringValue*>(&value) || ReadPartFactory(value, factory);
    }

    std::string GetValueTypeName() const override { return "ns3::PointerValue"; }

    bool HasUnderlyingTypeInformation() const override { return true; }

    std::string GetUnderlyingTypeInformation() const override
    {
        return "ns3::Ptr< " + Base::GetTypeId().GetName() + " >";
    }

    Ptr<AttributeValue> Create() const override { return ns3::Create<PointerValue>(); }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        const auto from = dynamic_cast<const PointerValue*>(&source);
        const auto to = dynamic_cast<PointerValue*>(&destination);
        if (from && to)
        {
            *to = *from;
        }
        return from && to;
    }

    TypeId GetPointeeTypeId() const override { return Base::GetTypeId(); }
};

/** Makes parts for their owners. */
template <typename Owner, typename Base>
class PartAccessor : public AttributeAccessor
{
  public:
    /**
     * @param part where the owner keeps it
     * @param isSetUp whether the owner refuses another part; null: never
     * @param none types that stand for no part; empty when there must be one
     * @param given whether the part is an object that exists already
     */
    PartAccessor(Ptr<Base> Owner::*part,
                 bool (Owner::*isSetUp)() const,
                 const std::vector<TypeId>& none,
                 bool given = false)
        : m_part(part),
          m_isSetUp(isSetUp),
          m_none(none),
          m_given(given)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        const auto owner = dynamic_cast<Owner*>(object);
        if (!owner)
        {
            return false;
        }
        const std::string name = NameAttribute(*owner, this);
        Require(!m_isSetUp || !(owner->*m_isSetUp)(), name, " cannot be replaced after set-up");
        const Ptr<Base> part = Make(value, name);
        Require(part || !m_none.empty(), "{} must be a {}", name, Base::GetTypeId().GetName());
        owner->*m_part = part;
        return true;
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        const auto owner = dynamic_cast<const Owner*>(object);
        const auto pointer = dynamic_cast<PointerValue*>(&value);
        const auto type = dynamic_cast<TypeIdValue*>(&value);
        if (!owner || (!pointer && !type))
        {
            return false;
        }
        const Ptr<Base>& part = owner->*m_part;
        if (pointer)
        {
            pointer->Set(part);
        }
        else
        {
            type->Set(part ? part->GetInstanceTypeId() : Base::GetTypeId());
        }
        return true;
    }

    bool HasGetter() const override { return true; }

    bool HasSetter() const override { return true; }

  private:
    /** @return the part that the value stands for; null: none */
    Ptr<Base> Make(const AttributeValue& value, const std::string& name) const
    {
        if (const auto pointer = dynamic_cast<const PointerValue*>(&value))
        {
            return pointer->Get<Base>();
        }
        const auto text = dynamic_cast<const StringValue*>(&value);
        Require(!m_given || (text && text->Get().empty()),
                "{} must be an object that exists already, or none; not a type",
                name);
        const ObjectFactory factory = MakePartFactory(value, name);
        const bool none =
            !factory.IsTypeIdSet() ||
            std::find(m_none.begin(), m_none.end(), factory.GetTypeId()) != m_none.end();
        return none && !m_none.empty() ? nullptr : CreatePart<Base>(factory, name);
    }

    Ptr<Base> Owner::*m_part;         //!< where the owner keeps it
    bool (Owner::*m_isSetUp)() const; //!< whether it refuses another part
    std::vector<TypeId> m_none;       //!< types that stand for no part
    bool m_given;                     //!< whether the part exists already
};

/** Accessor of a second name. */
class AliasAccessor : public AttributeAccessor
{
  public:
    /** @return whether the owner has a part with the attribute */
    virtual bool IsThere(const ObjectBase& owner) const = 0;

    /** @return whether a text is the default that the attribute has in the part of this owner */
    virtual bool IsPartDefault(const ObjectBase& owner, const std::string& text) const = 0;
};

/** Sets and gets an attribute of a part. */
template <typename Owner, typename Base>
class PartAliasAccessor : public AliasAccessor
{
  public:
    PartAliasAccessor(Ptr<Base> Owner::*part, const std::string& attribute)
        : m_part(part),
          m_attribute(attribute)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        const auto owner = dynamic_cast<Owner*>(object);
        if (!owner || dynamic_cast<const AliasMark*>(&value))
        {
            return owner != nullptr;
        }
        const Ptr<Base>& part = owner->*m_part;
        TypeId::AttributeInformation info;
        Require(part && part->GetInstanceTypeId().LookupAttributeByName(m_attribute, &info),
                "{} is the attribute {} of its part, which {} does not have",
                NameAttribute(*owner, this),
                m_attribute,
                part ? part->GetInstanceTypeId().GetName() : "none");
        // ns-3 ignores what cannot be set when an object is made.
        Require(part->SetAttributeFailSafe(m_attribute, value),
                "{} is out of the range of {} of {}",
                NameAttribute(*owner, this),
                m_attribute,
                part->GetInstanceTypeId().GetName());
        return true;
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        const auto owner = dynamic_cast<const Owner*>(object);
        return owner && owner->*m_part &&
               (owner->*m_part)->GetAttributeFailSafe(m_attribute, value);
    }

    bool IsThere(const ObjectBase& object) const override
    {
        TypeId::AttributeInformation info;
        return Find(object, info);
    }

    bool IsPartDefault(const ObjectBase& object, const std::string& text) const override
    {
        TypeId::AttributeInformation info;
        if (!Find(object, info))
        {
            return false;
        }
        const auto other = dynamic_cast<const AliasAccessor*>(PeekPointer(info.accessor));
        return text == info.initialValue->SerializeToString(info.checker) ||
               (other && other->IsPartDefault(*(dynamic_cast<const Owner&>(object).*m_part), text));
    }

    bool HasGetter() const override { return true; }

    bool HasSetter() const override { return true; }

  private:
    bool Find(const ObjectBase& object, TypeId::AttributeInformation& info) const
    {
        const Ptr<Base>& part = dynamic_cast<const Owner&>(object).*m_part;
        return part && part->GetInstanceTypeId().LookupAttributeByName(m_attribute, &info);
    }

    Ptr<Base> Owner::*m_part; //!< where the owner keeps it
    std::string m_attribute;  //!< of the part
};

} // namespace internal

/** @return the checker of an attribute that holds a part */
template <typename Base>
Ptr<const AttributeChecker>
MakePartChecker()
{
    return Create<internal::PartChecker<Base>>();
}

/**
 * @param part where the owner keeps it
 * @param isSetUp method of the owner that returns whether it refuses another part; null: never
 * @return the accessor of an attribute that always holds a part
 */
template <typename Owner, typename Base>
Ptr<const AttributeAccessor>
MakePartAccessor(Ptr<Base> Owner::*part, std::common_type_t<bool (Owner::*)() const> isSetUp)
{
    return Create<internal::PartAccessor<Owner, Base>>(part, isSetUp, std::vector<TypeId>());
}

/**
 * @param part where the owner keeps it
 * @param isSetUp see MakePartAccessor()
 * @param none further types that stand for none
 * @return the accessor of an attribute that holds a part or none
 */
template <typename Owner, typename Base>
Ptr<const AttributeAccessor>
MakeOptionalPartAccessor(Ptr<Base> Owner::*part,
                         std::common_type_t<bool (Owner::*)() const> isSetUp,
                         std::vector<TypeId> none = {})
{
    none.insert(none.begin(), Base::GetTypeId());
    return Create<internal::PartAccessor<Owner, Base>>(part, isSetUp, none);
}

/** @return the accessor of an attribute that holds an existing part, which owners share, or none */
template <typename Owner, typename Base>
Ptr<const AttributeAccessor>
MakeGivenPartAccessor(Ptr<Base> Owner::*part, std::common_type_t<bool (Owner::*)() const> isSetUp)
{
    const std::vector<TypeId> none{Base::GetTypeId()};
    return Create<internal::PartAccessor<Owner, Base>>(part, isSetUp, none, true);
}

/**
 * A second name, on the owner, for an attribute of its part. To be added after the attribute that
 * holds the part, with a AliasDefault.
 *
 * @param part where the owner keeps it
 * @param attribute of the part
 * @return the accessor; it throws std::invalid_argument when the part has no such attribute
 */
template <typename Owner, typename Base>
Ptr<const AttributeAccessor>
MakePartAliasAccessor(Ptr<Base> Owner::*part, const std::string& attribute)
{
    return Create<internal::PartAliasAccessor<Owner, Base>>(part, attribute);
}

} // namespace ns3::dlearn

#endif // DLEARN_PART_H
