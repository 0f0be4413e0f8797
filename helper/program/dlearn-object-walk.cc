/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-object-walk.h"

#include "ns3/config.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/object-ptr-container.h"
#include "ns3/pointer.h"

#include <set>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** Visits objects, each once. */
class ObjectWalk
{
  public:
    explicit ObjectWalk(const std::function<void(const Object&)>& visit)
        : m_visit(visit)
    {
    }

    /** Visit an object and all that it leads to; without recursion, as channels have long chains.
     */
    void Begin(const Ptr<Object>& object)
    {
        Add(object);
        while (!m_open.empty())
        {
            const Ptr<Object> next = m_open.back();
            m_open.pop_back();
            m_visit(*next);
            AddAttributes(next);
            for (auto aggregated = next->GetAggregateIterator(); aggregated.HasNext();)
            {
                Add(ConstCast<Object>(aggregated.Next()));
            }
        }
    }

  private:
    void Add(const Ptr<Object>& object)
    {
        if (object && m_seen.insert(object).second)
        {
            m_open.push_back(object);
        }
    }

    void AddAttributes(const Ptr<Object>& object)
    {
        for (TypeId type = object->GetInstanceTypeId(); type.HasParent(); type = type.GetParent())
        {
            for (size_t a = 0; a < type.GetAttributeN(); ++a)
            {
                const TypeId::AttributeInformation info = type.GetAttribute(a);
                if (IsGettable(info))
                {
                    AddHeld(object, info);
                }
            }
        }
    }

    void AddHeld(const Ptr<Object>& object, const TypeId::AttributeInformation& info)
    {
        if (dynamic_cast<const PointerChecker*>(PeekPointer(info.checker)) != nullptr)
        {
            PointerValue held;
            info.accessor->Get(PeekPointer(object), held);
            Add(held.Get<Object>());
        }
        else if (dynamic_cast<const ObjectPtrContainerChecker*>(PeekPointer(info.checker)) !=
                 nullptr)
        {
            ObjectPtrContainerValue held;
            info.accessor->Get(PeekPointer(object), held);
            for (auto item = held.Begin(); item != held.End(); ++item)
            {
                Add(item->second);
            }
        }
    }

    const std::function<void(const Object&)>& m_visit; //!< called with each object
    std::set<Ptr<Object>> m_seen;                      //!< visited, or to be visited
    std::vector<Ptr<Object>> m_open;                   //!< to be visited
};

} // namespace

void
VisitObjects(const std::vector<Ptr<const Object>>& more,
             const std::function<void(const Object&)>& visit)
{
    ObjectWalk walk(visit);
    for (const auto& object : more)
    {
        walk.Begin(ConstCast<Object>(object));
    }
    for (size_t k = 0; k < Config::GetRootNamespaceObjectN(); ++k)
    {
        walk.Begin(Config::GetRootNamespaceObject(k));
    }
}

} // namespace ns3::dlearn
