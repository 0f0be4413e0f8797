/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-attribute-watch.h"

#include "dlearn-object-walk.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-idle-attributes.h"
#include "ns3/dlearn-trial-objects.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/object-ptr-container.h"
#include "ns3/pointer.h"
#include "ns3/queue-size.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"
#include "ns3/vector.h"

#include <set>

namespace ns3::dlearn
{

namespace
{

/** A default that counts how often an object is created with it, which copies it. */
template <typename Value>
class CountedValue : public Value, public ChosenDefault
{
  public:
    /**
     * @param value the default
     * @param count gets the number of copies
     */
    CountedValue(const Value& value, std::shared_ptr<uint64_t> count)
        : Value(value),
          m_count(std::move(count))
    {
    }

    Ptr<AttributeValue> Copy() const override
    {
        *m_count += TrialObjects::AreCreated() ? 0 : 1;
        return Value::Copy();
    }

  private:
    std::shared_ptr<uint64_t> m_count; //!< number of copies
};

/**
 * @param value a default
 * @param count gets the number of objects that are created with it
 * @return the default that counts; null for a class of values that is none of these
 */
template <typename... Values>
Ptr<AttributeValue>
MakeCounted(const AttributeValue& value, const std::shared_ptr<uint64_t>& count)
{
    Ptr<AttributeValue> counted;
    const auto attempt = [&](const auto* plain) {
        using Value = std::decay_t<decltype(*plain)>;
        if (plain != nullptr)
        {
            counted = Create<CountedValue<Value>>(*plain, count);
        }
    };
    (attempt(dynamic_cast<const Values*>(&value)), ...);
    return counted;
}

/** Types whose objects exist before their defaults can be watched. */
const std::set<std::string> NOT_WATCHED{"ns3::ConfigStore"};

/** Groups of types whose objects are created while the simulation runs, too, once there are any. */
const std::set<std::string> CREATED_LATER{"Internet", "Lte", "Mesh", "Nr", "TrafficControl"};

/** @return whether an attribute is the number of a random stream, which each run assigns */
bool
IsStream(TypeId type, const std::string& attribute)
{
    return type == RandomVariableStream::GetTypeId() && attribute == "Stream";
}

/** @return an object as text that creates such an object */
std::string
DescribeObject(const Object& object)
{
    std::string attributes;
    for (TypeId type = object.GetInstanceTypeId(); type.HasParent(); type = type.GetParent())
    {
        for (size_t a = 0; a < type.GetAttributeN(); ++a)
        {
            const TypeId::AttributeInformation info = type.GetAttribute(a);
            const Ptr<AttributeValue> value = info.checker->Create();
            const bool holds =
                dynamic_cast<const PointerValue*>(PeekPointer(value)) != nullptr ||
                dynamic_cast<const ObjectPtrContainerValue*>(PeekPointer(value)) != nullptr;
            const bool readable = IsGettable(info) && !IsStream(type, info.name) && !holds;
            if (readable && info.accessor->Get(&object, *value))
            {
                const std::string text = value->SerializeToString(info.checker);
                if (text != info.originalInitialValue->SerializeToString(info.checker))
                {
                    attributes += (attributes.empty() ? "" : "|") + info.name + "=" + text;
                }
            }
        }
    }
    return object.GetInstanceTypeId().GetName() +
           (attributes.empty() ? "" : "[" + attributes + "]");
}

/** @return a value as text, which for an object is not its address */
std::string
Describe(const AttributeValue& value, const TypeId::AttributeInformation& info)
{
    if (const auto pointer = dynamic_cast<const PointerValue*>(&value))
    {
        const auto object = pointer->Get<Object>();
        return object ? DescribeObject(*object) : "";
    }
    return value.SerializeToString(info.checker);
}

/** @return whether a value of an object is a default, given as text by Describe() */
bool
IsValue(const AttributeValue& value,
        const TypeId::AttributeInformation& info,
        const std::string& initial)
{
    const std::string text = Describe(value, info);
    const bool part = dynamic_cast<const PointerValue*>(&value) != nullptr &&
                      dynamic_cast<const PointerValue*>(PeekPointer(info.initialValue)) == nullptr;
    if (text == initial || !part)
    {
        return text == initial;
    }
    const std::string name = initial.substr(0, initial.find('['));
    TypeId type;
    if (text.empty()) // no part, for which the type of its interface stands
    {
        return TypeId::LookupByNameFailSafe(name, &type) && !type.HasConstructor();
    }
    return text.substr(0, text.find('[')) == name; // it gets more attributes from its owner
}

/** @return whether a type is that of a part that owners have by default, or a base of it */
bool
IsOfDefaultPart(TypeId type)
{
    bool found = false;
    ForEachAttribute([&](TypeId, size_t, const TypeId::AttributeInformation& info) {
        const auto* part = dynamic_cast<const TypeIdValue*>(PeekPointer(info.originalInitialValue));
        const bool held = dynamic_cast<const PointerChecker*>(PeekPointer(info.checker)) != nullptr;
        found = found || (held && part && (part->Get() == type || part->Get().IsChildOf(type)));
    });
    return found;
}

/** @return whether the default of an attribute was changed */
bool
IsChanged(const TypeId::AttributeInformation& info)
{
    return info.initialValue->SerializeToString(info.checker) !=
           info.originalInitialValue->SerializeToString(info.checker);
}

} // namespace

std::map<std::string, std::string>
GetChangedAttributes()
{
    std::map<std::string, std::string> changed;
    ForEachAttribute([&](TypeId type, size_t index, const TypeId::AttributeInformation& info) {
        if (IsChanged(info))
        {
            changed[type.GetAttributeFullName(index)] = Describe(*info.initialValue, info);
        }
    });
    return changed;
}

AttributeWatch::AttributeWatch(const std::map<std::string, std::string>& typed)
{
    ForEachAttribute([&](TypeId type, size_t index, const TypeId::AttributeInformation& info) {
        const std::string name = type.GetAttributeFullName(index);
        const auto text = typed.find(name);
        if ((text == typed.end() && !IsChanged(info)) || NOT_WATCHED.count(type.GetName()) > 0)
        {
            return;
        }
        Change change;
        change.name = name;
        change.value = Describe(*info.initialValue, info);
        change.text = text == typed.end() ? change.value : text->second;
        change.typed = text != typed.end();
        change.type = type;
        change.index = index;
        change.initial = info.initialValue;
        const auto created = std::make_shared<uint64_t>(0);
        const auto counted = MakeCounted<BooleanValue,
                                         DoubleValue,
                                         UintegerValue,
                                         IntegerValue,
                                         StringValue,
                                         TimeValue,
                                         DataRateValue,
                                         QueueSizeValue,
                                         TypeIdValue,
                                         PointerValue,
                                         ObjectFactoryValue,
                                         VectorValue>(*info.initialValue, created);
        if (counted)
        {
            change.created = created;
            change.counted = counted;
            type.SetAttributeInitialValue(index, counted);
        }
        m_changes.push_back(change);
    });
}

AttributeWatch::~AttributeWatch()
{
    for (Change& change : m_changes)
    {
        // Since then the script may have set another default, or reset them all.
        if (change.type.GetAttribute(change.index).initialValue == change.counted)
        {
            change.type.SetAttributeInitialValue(change.index, change.initial);
        }
    }
}

void
AttributeWatch::Compare()
{
    for (Change& change : m_changes)
    {
        change.objects = 0;
        change.carriers = 0;
        change.idle.clear();
    }
    m_groups.clear();
    if (m_changes.empty())
    {
        return;
    }
    VisitObjects(m_objects, [this](const Object& object) {
        const TypeId own = object.GetInstanceTypeId();
        m_groups.insert(own.GetGroupName());
        const auto* idle = dynamic_cast<const IdleAttributes*>(&object);
        for (Change& change : m_changes)
        {
            const TypeId::AttributeInformation info = change.type.GetAttribute(change.index);
            if (!IsGettable(info) || !(own == change.type || own.IsChildOf(change.type)))
            {
                continue;
            }
            const Ptr<AttributeValue> value = info.checker->Create();
            if (info.accessor->Get(&object, *value))
            {
                ++change.objects;
                const std::string reason = idle ? idle->ExplainIdle(info.name) : "";
                change.carriers += reason.empty() && IsValue(*value, info, change.value) ? 1 : 0;
                change.idle = reason.empty() ? change.idle : reason;
            }
        }
    });
}

std::string
AttributeWatch::FindFault(const Change& change)
{
    // Parts that are in use are found; a default part that was created has been replaced.
    const bool created = change.created && *change.created > 0 && !IsOfDefaultPart(change.type);
    const uint32_t flags = change.type.GetAttribute(change.index).flags;
    const bool takesDefault = (flags & TypeId::ATTR_CONSTRUCT) != 0;
    if (takesDefault && (change.carriers > 0 || (change.objects == 0 && created)))
    {
        return "";
    }
    std::string reason = "this run has no object of type " + change.type.GetName() +
                         " that takes the default of this attribute";
    if (!takesDefault)
    {
        reason = "objects of type " + change.type.GetName() + " do not take it from its default";
    }
    else if (!change.idle.empty())
    {
        reason = change.idle;
    }
    else if (change.objects > 0)
    {
        reason = "this run gives all objects of type " + change.type.GetName() + " another value";
    }
    return "attribute " + change.name + "=" + change.text + " has no effect: " + reason;
}

void
AttributeWatch::CheckBuilt()
{
    Compare();
    for (const Change& change : m_changes)
    {
        const std::string fault = FindFault(change);
        const bool later = change.objects == 0 &&
                           CREATED_LATER.count(change.type.GetGroupName()) > 0 &&
                           m_groups.count(change.type.GetGroupName()) > 0;
        Require(fault.empty() || later || !change.typed, fault);
    }
}

void
AttributeWatch::AddReplaced(const std::map<std::string, std::string>& typed,
                            std::vector<std::string>& warnings) const
{
    for (const Change& change : m_changes)
    {
        const std::string fault = FindFault(change);
        if (!fault.empty() && typed.count(change.name) == 0 && change.objects > 0)
        {
            warnings.push_back(
                fault + "; the script set it by Config::SetDefault(): choose by an option of the "
                        "program instead (--help), or build the learners with FederatedHelper or "
                        "PeerHelper, which leave it as it is");
        }
    }
}

void
AttributeWatch::RequireEffect() const
{
    for (const Change& change : m_changes)
    {
        const std::string fault = FindFault(change);
        Require(fault.empty() || !change.typed, fault);
    }
}

std::map<std::string, std::string>
AttributeWatch::GetUsed() const
{
    std::map<std::string, std::string> used;
    for (const Change& change : m_changes)
    {
        if (FindFault(change).empty())
        {
            used[change.name] = change.text;
        }
    }
    return used;
}

} // namespace ns3::dlearn
