/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-state-archive.h"

#include "dlearn-check.h"
#include "dlearn-stream-position.h"

#include "ns3/simulator.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstring>
#include <typeindex>

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

StateArchive::StateArchive()
    : m_loading(false)
{
}

StateArchive::StateArchive(std::string bytes)
    : m_loading(true),
      m_bytes(std::move(bytes))
{
}

bool
StateArchive::IsLoading() const
{
    return m_loading;
}

const std::string&
StateArchive::GetBytes() const
{
    return m_bytes;
}

void
StateArchive::Begin(const std::string& name)
{
    std::string found = name;
    (*this)(found);
    Require(found == name,
            "the saved state does not fit the run: expected that of ",
            name,
            " after ",
            m_name.empty() ? "the beginning" : m_name);
    m_name = name;
}

void
StateArchive::CheckEnd() const
{
    Require(m_next == m_bytes.size(),
            "the saved state does not fit the run: ",
            m_bytes.size() - m_next,
            " bytes are left after ",
            m_name);
}

void
StateArchive::VisitBytes(void* bytes, size_t size)
{
    if (!m_loading)
    {
        m_bytes.append(static_cast<const char*>(bytes), size);
        return;
    }
    Require(size <= m_bytes.size() - m_next, "the saved state ends within that of ", m_name);
    if (size > 0)
    {
        std::memcpy(bytes, m_bytes.data() + m_next, size);
    }
    m_next += size;
}

uint64_t
StateArchive::VisitSize(uint64_t size)
{
    VisitNumber(size);
    // Memory for what is not there must not be asked for: every item has a byte at least.
    Require(!m_loading || size <= m_bytes.size() - m_next,
            "the saved state ends within that of ",
            m_name);
    return size;
}

void
StateArchive::CheckMatrix(uint64_t rows, uint64_t cols, uint64_t entry, uint64_t wanted) const
{
    constexpr uint64_t MOST = uint64_t{1} << 31; // so that no product overflows
    Require(cols == wanted && rows <= MOST && cols <= MOST &&
                rows * cols <= (m_bytes.size() - m_next) / entry,
            "the saved state ends within that of ",
            m_name);
}

void
StateArchive::Visit(std::string& value)
{
    const uint64_t size = VisitSize(value.size());
    if (m_loading)
    {
        value.resize(size);
    }
    VisitBytes(value.data(), size);
}

void
StateArchive::Visit(std::vector<bool>& value)
{
    const uint64_t size = VisitSize(value.size());
    if (m_loading)
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
    VisitNumber(steps);
    value = TimeStep(steps);
}

void
StateArchive::VisitStream(RandomVariableStream& stream)
{
    std::string position = m_loading ? "" : GetStreamPosition(stream);
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
                " can not be saved: it has no VisitState() registered with "
                "DLEARN_STATE_ENSURE_REGISTERED");
        visitor->second(*object, *this);
    }
}

void
StateArchive::VisitEvent(EventId& event, std::function<EventId(Time delay)> schedule)
{
    bool pending = !event.IsExpired();
    (*this)(pending);
    if (!pending)
    {
        return;
    }
    Pending entry;
    entry.uid = event.GetUid();
    entry.time = TimeStep(event.GetTs());
    (*this)(entry.uid, entry.time);
    if (m_loading)
    {
        entry.event = &event;
        entry.schedule = std::move(schedule);
        m_pending.push_back(std::move(entry));
    }
}

void
StateArchive::ScheduleEvents()
{
    std::sort(m_pending.begin(), m_pending.end(), [](const Pending& a, const Pending& b) {
        return a.uid < b.uid;
    });
    for (const Pending& entry : m_pending)
    {
        Require(entry.time >= Simulator::Now(), "the saved state has an event in the past");
        *entry.event = entry.schedule(entry.time - Simulator::Now());
    }
    m_pending.clear();
}

} // namespace ns3::dlearn
