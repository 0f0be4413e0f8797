/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-state-archive.h"

#include "dlearn-check.h"
#include "dlearn-stream-position.h"

#include "ns3/type-id.h"

#include <typeindex>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** @return the visitors of all types that are registered */
std::map<std::type_index, internal::StateVisitor>&
GetVisitors()
{
    static std::map<std::type_index, internal::StateVisitor> visitors;
    return visitors;
}

} // namespace

void
internal::RegisterState(const std::type_info& type, StateVisitor visitor)
{
    GetVisitors()[type] = visitor;
}

bool
HasRegisteredState(const Object& object)
{
    return GetVisitors().count(typeid(object)) > 0;
}

StateArchive::StateArchive(std::string bytes)
    : m_bytes(std::move(bytes))
{
}

void
StateArchive::Visit(std::vector<bool>& value)
{
    const uint64_t size = m_bytes.VisitSize(value.size());
    if (IsLoading())
    {
        value.assign(size, false);
    }
    for (uint64_t k = 0; k < size; ++k)
    {
        bool bit = value[k];
        (*this)(bit);
        value[k] = bit;
    }
}

void
StateArchive::Visit(Time& value)
{
    int64_t steps = value.GetTimeStep();
    m_bytes.VisitNumber(steps);
    value = TimeStep(steps);
}

void
StateArchive::VisitStream(RandomVariableStream& stream)
{
    std::string position = IsLoading() ? "" : GetStreamPosition(stream);
    (*this)(position);
    SetStreamPosition(stream, position);
}

void
StateArchive::VisitObject(Object* object)
{
    const std::string type = object ? object->GetInstanceTypeId().GetName() : "no object";
    if (object && !m_seen.insert(object).second)
    {
        return; // shared: another owner's part, too
    }
    Begin(type);
    if (object)
    {
        const auto visitor = GetVisitors().find(typeid(*object));
        Require(visitor != GetVisitors().end(),
                "the state of ",
                type,
                " cannot be saved: it has no VisitState() registered with "
                "DLEARN_STATE_ENSURE_REGISTERED");
        visitor->second(*object, *this);
    }
}

void
StateArchive::VisitEvent(EventId& event, PendingEvents::Scheduler schedule)
{
    bool pending = !event.IsExpired();
    (*this)(pending);
    if (!pending)
    {
        return;
    }
    uint32_t uid = event.GetUid();
    Time time = TimeStep(event.GetTs());
    (*this)(uid, time);
    if (IsLoading())
    {
        m_events.Add(uid, time, event, std::move(schedule));
    }
}

} // namespace ns3::dlearn
