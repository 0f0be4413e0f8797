/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-part.h"

#include "dlearn-attribute-text.h"

namespace ns3::dlearn
{

namespace
{

/** A mark on a part: which owner it serves. */
class PartOwner : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::PartOwner")
                                .SetParent<Object>()
                                .SetGroupName("Dlearn")
                                .HideFromDocumentation();
        return tid;
    }

    const Object* m_owner{nullptr}; //!< compared only: it may be gone
    std::string m_type;             //!< of the owner
};

NS_OBJECT_ENSURE_REGISTERED(PartOwner);

} // namespace

bool
ReadPartFactory(const AttributeValue& value, ObjectFactory& factory)
{
    if (const auto made = dynamic_cast<const ObjectFactoryValue*>(&value))
    {
        factory = made->Get();
        return factory.IsTypeIdSet();
    }
    if (const auto type = dynamic_cast<const TypeIdValue*>(&value))
    {
        factory.SetTypeId(type->Get());
        return true;
    }
    const auto text = dynamic_cast<const StringValue*>(&value);
    if (!text || text->Get().empty())
    {
        return text != nullptr;
    }
    return ReadFactoryText(text->Get(), factory).empty();
}

void
ClaimPart(const Ptr<Object>& part, const Object& owner)
{
    if (!part)
    {
        return;
    }
    Ptr<PartOwner> mark = part->GetObject<PartOwner>();
    if (!mark)
    {
        mark = CreateObject<PartOwner>();
        mark->m_owner = &owner;
        mark->m_type = owner.GetInstanceTypeId().GetName();
        part->AggregateObject(mark);
    }
    Require(
        mark->m_owner == &owner,
        "{}: this {} is a part of another {} already; as it keeps state, each owner needs its own",
        owner.GetInstanceTypeId().GetName(),
        part->GetInstanceTypeId().GetName(),
        mark->m_type);
}

bool
IsClaimed(const Object& part)
{
    return part.GetObject<PartOwner>() != nullptr;
}

ObjectFactory
internal::MakePartFactory(const AttributeValue& value, const std::string& name)
{
    ObjectFactory factory;
    if (!ReadPartFactory(value, factory))
    {
        const auto text = dynamic_cast<const StringValue*>(&value);
        Require(false, "{}: {}", name, ReadFactoryText(text ? text->Get() : "", factory));
    }
    return factory;
}

std::string
internal::NameAttribute(const ObjectBase& owner, const AttributeAccessor* accessor)
{
    const TypeId type = owner.GetInstanceTypeId();
    for (TypeId holder = type; holder.HasParent(); holder = holder.GetParent())
    {
        for (size_t k = 0; k < holder.GetAttributeN(); ++k)
        {
            const TypeId::AttributeInformation info = holder.GetAttribute(k);
            if (PeekPointer(info.accessor) == accessor)
            {
                return type.GetName() + ": " + info.name;
            }
        }
    }
    return type.GetName();
}

} // namespace ns3::dlearn
