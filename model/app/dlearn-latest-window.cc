/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-latest-window.h"

#include <algorithm>

namespace ns3::dlearn
{

LatestWindow::LatestWindow(const std::vector<Source>& sources)
    : MessageWindow("LatestWindow", sources)
{
    for (const Source& source : sources)
    {
        m_streams.try_emplace(source);
    }
}

bool
LatestWindow::IsMissing(const Stream& stream, uint32_t round)
{
    const auto gap = stream.gaps.upper_bound(round);
    return gap != stream.gaps.begin() && round <= std::prev(gap)->second.last;
}

uint64_t
LatestWindow::GetBelievedGap(const Stream& stream) const
{
    const uint64_t silent = std::min<uint64_t>(GetRecords().size() - stream.closed, 20);
    return std::min<uint64_t>(LARGEST_GAP, uint64_t{FIRST_GAP} << silent);
}

MessageWindow::Disposition
LatestWindow::Classify(const Source& source, uint32_t round) const
{
    const auto stream = m_streams.find(source);
    if (stream == m_streams.end())
    {
        return Disposition::UNEXPECTED;
    }
    if (round >= stream->second.next)
    {
        const bool near = round - stream->second.next <= GetBelievedGap(stream->second);
        return near ? Disposition::ON_TIME : Disposition::TOO_EARLY;
    }
    return IsMissing(stream->second, round) ? Disposition::LATE : Disposition::DUPLICATE;
}

void
LatestWindow::TakeOnTime(const Source& source, uint32_t round, std::optional<Arrival> arrival)
{
    Stream& stream = m_streams.at(source);
    if (round > stream.next)
    {
        stream.gaps[stream.next] = {uint64_t{round} - 1, GetRecords().size()};
        m_gaps += round - stream.next;
    }
    m_announced += round - stream.next + 1;
    stream.next = uint64_t{round} + 1;
    stream.closed = GetRecords().size();
    ++stream.came;
    if (arrival)
    {
        m_tally.superseded += stream.fresh ? 1 : 0;
        stream.fresh = std::move(arrival);
    }
}

void
LatestWindow::TakeLate(const Source& source, uint32_t round)
{
    Stream& stream = m_streams.at(source);
    const auto found = std::prev(stream.gaps.upper_bound(round));
    const uint64_t first = found->first;
    const Gap gap = found->second;
    stream.gaps.erase(found);
    if (first < round)
    {
        stream.gaps[first] = {uint64_t{round} - 1, gap.record};
    }
    if (round < gap.last)
    {
        stream.gaps[uint64_t{round} + 1] = gap;
    }
    if (gap.record < GetRecords().size())
    {
        RecordLate(gap.record);
        return;
    }
    --m_gaps;
    ++m_late;
}

std::vector<MessageWindow::Source>
LatestWindow::GetMissing() const
{
    return {};
}

std::vector<MessageWindow::Source>
LatestWindow::GetUnused() const
{
    return {};
}

bool
LatestWindow::HasPassed(const Source& /* source */) const
{
    return false;
}

uint32_t
LatestWindow::GetReceived() const
{
    uint32_t received = 0;
    for (const auto& [source, stream] : m_streams)
    {
        received += stream.came > 0 ? 1 : 0;
    }
    return received;
}

void
LatestWindow::DoOpen()
{
}

std::map<MessageWindow::Source, Arrival>
LatestWindow::DoClose(RoundRecord& record)
{
    record.expected = m_announced;
    record.late = m_late;
    record.lost = m_gaps;
    m_announced = 0;
    m_late = 0;
    m_gaps = 0;
    std::map<Source, Arrival> usable;
    for (auto& [source, stream] : m_streams)
    {
        record.received += stream.came;
        stream.came = 0;
        if (stream.fresh)
        {
            usable.emplace(source, std::move(*stream.fresh));
            stream.fresh.reset();
        }
    }
    return usable;
}

uint64_t
LatestWindow::DoAbandon()
{
    const uint64_t held = CountWaiting();
    for (auto& [source, stream] : m_streams)
    {
        stream.came = 0;
        stream.fresh.reset();
    }
    m_announced -= held; // what is missing or late is left to the next record
    return held;
}

uint64_t
LatestWindow::CountWaiting() const
{
    uint64_t waiting = 0;
    for (const auto& [source, stream] : m_streams)
    {
        waiting += stream.came;
    }
    return waiting;
}

} // namespace ns3::dlearn
