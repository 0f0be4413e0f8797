/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-message-window.h"

#include "ns3/dlearn-check.h"

#include <stdexcept>

namespace ns3::dlearn
{

MessageWindow::MessageWindow(std::string name, const std::vector<Source>& sources)
    : m_sources(sources.begin(), sources.end()),
      m_name(std::move(name))
{
    Require(m_sources.size() == sources.size(), m_name, ": a source is listed twice");
}

MessageWindow::~MessageWindow() = default;

void
MessageWindow::Open(uint32_t round)
{
    Require(!m_open, m_name, ": round ", m_round, " is still open");
    Require(!m_started || round > m_round,
            m_name,
            ": rounds must increase, got ",
            round,
            " after ",
            m_round);
    m_open = true;
    m_started = true;
    m_round = round;
    DoOpen();
}

std::map<MessageWindow::Source, Arrival>
MessageWindow::Close()
{
    Require(m_open, m_name, ": no round is open");
    m_open = false;
    RoundRecord record;
    record.round = m_round;
    auto usable = DoClose(record);
    record.used = usable.size();
    record.rejected = record.received - record.used;
    m_records.push_back(record);
    return usable;
}

void
MessageWindow::Abandon()
{
    if (m_open)
    {
        m_open = false;
        GiveUp(DoAbandon());
    }
}

MessageWindow::Disposition
MessageWindow::Offer(const Source& source, uint32_t round, std::optional<Arrival> arrival)
{
    const Disposition disposition = Classify(source, round);
    switch (disposition)
    {
    case Disposition::ON_TIME:
        ++m_tally.onTime;
        TakeOnTime(source, round, std::move(arrival));
        break;
    case Disposition::EARLY:
        ++m_tally.early;
        TakeEarly(source, round, std::move(arrival));
        break;
    case Disposition::LATE:
        ++m_tally.late;
        TakeLate(source, round);
        break;
    case Disposition::DUPLICATE:
        ++m_tally.duplicate;
        break;
    case Disposition::TOO_EARLY:
        ++m_tally.tooEarly;
        break;
    case Disposition::UNEXPECTED:
        ++m_tally.unexpected;
        break;
    }
    return disposition;
}

void
MessageWindow::TakeEarly(const Source& /* source */,
                         uint32_t /* round */,
                         std::optional<Arrival> /* arrival */)
{
    throw std::logic_error(m_name + ": a message is early, but cannot wait");
}

void
MessageWindow::RecordLate(size_t record)
{
    ++m_records.at(record).late;
    --m_records[record].lost;
}

void
MessageWindow::Count(std::map<std::string, uint64_t>& totals) const
{
    totals["duplicate"] += m_tally.duplicate;
    totals["too_early"] += m_tally.tooEarly;
    totals["unexpected"] += m_tally.unexpected;
    totals["superseded"] += m_tally.superseded;
}

void
MessageWindow::CheckConservation() const
{
    uint64_t received = 0;
    uint64_t late = CountUnrecordedLate();
    for (const RoundRecord& record : m_records)
    {
        record.CheckConservation();
        received += record.received;
        late += record.late;
    }
    RequireLaw(m_tally.onTime + m_tally.early,
               received + CountWaiting() + m_abandoned,
               "messages taken = received + still waiting + given up",
               "over the run");
    RequireLaw(m_tally.late, late, "late messages = sum of late over rounds", "over the run");
}

} // namespace ns3::dlearn
