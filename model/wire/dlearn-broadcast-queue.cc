/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-broadcast-queue.h"

#include "dlearn-interface-line.h"
#include "dlearn-parity-decoder.h"
#include "dlearn-repair-progress.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::dlearn
{

MediumTimes
MediumTimes::StretchFor(const NetDevice& device) const
{
    const Time frame = GetFrameTime(device, device.GetMtu());
    // In frames, about the defaults for Wi-Fi. Some learners may have begun at the same time, each
    // with a few full frames in its queue, for which reports wait.
    return {Max(turnSpread, frame * 24),
            Max(turnGap, frame * 4),
            Max(reportSlot, frame / 2),
            Max(reportMargin, frame * 32)};
}

MediumTurn::MediumTurn(std::function<void()> granted)
    : m_granted(std::move(granted)),
      m_random(CreateObject<UniformRandomVariable>())
{
}

int64_t
MediumTurn::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
MediumTurn::Request()
{
    if (m_waiting)
    {
        return;
    }
    m_waiting = true;
    m_left = m_spread * int64x64_t(m_random->GetValue(0, 1));
    m_counted = Simulator::Now();
    Watch();
}

void
MediumTurn::Cancel()
{
    m_waiting = false;
    m_event.Cancel();
}

void
MediumTurn::SetBusy(Time span)
{
    const Time now = Simulator::Now();
    const Time quietSince = Max(m_counted, m_busyUntil);
    const bool sooner = now + span < m_busyUntil;
    if (m_waiting && now > quietSince)
    {
        m_left = Max(m_left - (now - quietSince), Time(0));
    }
    m_counted = now;
    m_busyUntil = now + span;
    if (m_waiting && sooner)
    {
        Watch();
    }
}

void
MediumTurn::Watch()
{
    const Time end = Max(m_counted, m_busyUntil) + m_left;
    m_event.Cancel();
    m_event = Simulator::Schedule(end - Simulator::Now(), &MediumTurn::Check, this);
}

void
MediumTurn::Check()
{
    if (Max(m_counted, m_busyUntil) + m_left > Simulator::Now())
    {
        Watch();
        return;
    }
    m_waiting = false;
    m_granted();
}

NS_LOG_COMPONENT_DEFINE("DlearnBroadcastQueue");

BroadcastQueue::BroadcastQueue(Outlet outlet)
    : m_outlet(std::move(outlet)),
      m_turn([this] { BeginTurn(); })
{
}

void
BroadcastQueue::UseMedium(const Settings& settings, Ptr<NetDevice> device, IpAddress own)
{
    m_settings = settings;
    m_own = own;
    m_turn.SetSpread(settings.times.turnSpread);
    m_backlog = std::make_unique<InterfaceBacklog>(
        device,
        [this] { ContinueTurn(true); },
        settings.queued);
}

void
BroadcastQueue::Clear()
{
    m_turn.Cancel();
    m_silent.clear();
    while (!m_sendings.empty())
    {
        Erase(m_sendings.begin());
    }
    m_backlog.reset();
}

RepairProgress::Code
BroadcastQueue::GetCode(const RepairMethod& method, uint32_t fragments)
{
    RepairProgress::Code code;
    if (method.parity)
    {
        // The number of repairs is not known in advance.
        const double parity = std::max(method.share, method.polls ? 1.0 : 0.0);
        const auto most = static_cast<uint32_t>(ErasureCode::LARGEST_BLOCK / (1 + parity));
        const uint32_t blocks = (fragments - 1) / most + 1;
        code.blockFragments = (fragments - 1) / blocks + 1;
        code.share = method.share;
        code.repairs = method.polls;
    }
    return code;
}

void
BroadcastQueue::Add(const Message& message,
                    const std::vector<LearnerId>& recipients,
                    std::vector<Endpoint> destinations)
{
    const auto channel = message->GetChannel();
    if (channel)
    {
        ReleaseOlder(*channel, recipients);
    }
    // There are no polls and no parity for bytes that only claim to be a message.
    const bool polled = channel && m_settings.method.polls;
    RepairProgress progress(message->GetLength(),
                            message->GetFragmentSize(),
                            polled ? recipients : std::vector<LearnerId>{},
                            m_settings.limits,
                            channel ? GetCode(m_settings.method, message->GetFragments())
                                    : RepairProgress::Code{});
    for (const LearnerId silent : m_silent)
    {
        progress.Doubt(silent);
    }
    m_sendings.push_back(
        {message, std::move(destinations), std::move(progress), {}, {}, {}, 0, false});
    RequestTurn();
}

void
BroadcastQueue::ReleaseOlder(ModelChannel channel, const std::vector<LearnerId>& recipients)
{
    for (auto sending = m_sendings.begin(); sending != m_sendings.end();)
    {
        const auto next = std::next(sending);
        if (sending->message->GetChannel() == channel)
        {
            bool released = false;
            for (const LearnerId recipient : recipients)
            {
                if (++sending->newer[recipient] == m_settings.newer)
                {
                    sending->progress.Release(recipient);
                    released = true;
                }
            }
            if (released && !sending->progress.IsOpen())
            {
                Erase(sending);
            }
        }
        sending = next;
    }
}

BroadcastQueue::Sendings::iterator
BroadcastQueue::Erase(Sendings::iterator sending)
{
    sending->reports.Cancel();
    if (m_current == &*sending)
    {
        m_current = nullptr;
    }
    return m_sendings.erase(sending);
}

void
BroadcastQueue::Erase(const Sending* sending)
{
    Erase(std::find_if(m_sendings.begin(), m_sendings.end(), [sending](const Sending& s) {
        return &s == sending;
    }));
}

void
BroadcastQueue::Withdraw(uint32_t round)
{
    for (auto sending = m_sendings.begin(); sending != m_sendings.end();)
    {
        sending = sending->message->GetRound() == round ? Erase(sending) : std::next(sending);
    }
    RequestTurn();
}

bool
BroadcastQueue::IsWaitingForTurn(uint32_t round) const
{
    return std::any_of(m_sendings.begin(), m_sendings.end(), [round](const Sending& sending) {
        return !sending.begun && sending.message->GetRound() == round;
    });
}

BroadcastQueue::Sendings::iterator
BroadcastQueue::FindReady()
{
    std::map<std::optional<ModelChannel>, uint32_t> waiting; // rounds of those before, by channel
    return std::find_if(m_sendings.begin(), m_sendings.end(), [&waiting](const Sending& sending) {
        const uint32_t round = sending.message->GetRound();
        const auto before = waiting.try_emplace(sending.message->GetChannel(), round).first;
        return sending.reports.IsExpired() && before->second == round;
    });
}

void
BroadcastQueue::RequestTurn()
{
    if (!m_current && FindReady() != m_sendings.end())
    {
        m_turn.Request();
    }
}

void
BroadcastQueue::BeginTurn()
{
    NS_LOG_FUNCTION(this << m_sendings.size());
    const auto ready = FindReady();
    if (ready != m_sendings.end())
    {
        m_current = &*ready;
        ContinueTurn(false);
    }
}

void
BroadcastQueue::ContinueTurn(bool patient)
{
    if (!m_current)
    {
        return; // it was given up meanwhile
    }
    const Sending* const sending = m_current;
    const auto destinations = sending->destinations;
    const Message message = sending->message;
    uint32_t room = std::max(m_backlog->GetRoom(), patient ? 1U : 0U);
    for (; m_current->progress.HasPart(); --room)
    {
        if (room == 0)
        {
            m_backlog->Wait();
            return;
        }
        m_current->begun = true;
        const auto packet = CreatePart(*m_current, m_current->progress.TakePart());
        for (const Endpoint& destination : destinations)
        {
            m_outlet.sendPart(message, packet->Copy(), destination);
            if (m_current != sending)
            {
                return; // a listener of the trace closed the transport
            }
        }
    }
    EndTurn();
}

Ptr<Packet>
BroadcastQueue::CreatePart(Sending& sending, const RepairProgress::Part& part)
{
    const EncodedMessage& message = *sending.message;
    if (!part.parity)
    {
        return message.CreateFragment(part.number);
    }
    ParityDatagram parity;
    parity.encoding = message.GetEncoding();
    parity.channel = *message.GetChannel();
    parity.row = static_cast<uint8_t>(part.row);
    parity.round = message.GetRound();
    parity.vectorLength = message.GetVectorLength();
    parity.messageLength = message.GetLength();
    parity.figures = message.GetFigures();
    parity.fragmentSize = static_cast<uint16_t>(message.GetFragmentSize());
    parity.blockFragments = static_cast<uint8_t>(sending.progress.GetCode().blockFragments);
    parity.block = part.number;
    if (sending.pieces.empty() || sending.block != part.number)
    {
        sending.pieces.clear();
        sending.block = part.number;
        for (uint32_t k = parity.GetFirst(); k < parity.GetEnd(); ++k)
        {
            const auto fragment = message.CreateFragment(k);
            fragment->RemoveAtStart(ModelHeader::SIZE);
            sending.pieces.emplace_back(parity.fragmentSize); // the last one is filled by zeros
            fragment->CopyData(sending.pieces.back().data(), fragment->GetSize());
        }
    }
    parity.piece = ErasureCode::Encode(sending.pieces, part.row);
    const auto bytes = parity.Write();
    return Create<Packet>(bytes.data(), bytes.size());
}

void
BroadcastQueue::EndTurn()
{
    Sending& sending = *std::exchange(m_current, nullptr);
    const auto asked = sending.progress.BeginPoll();
    NS_LOG_FUNCTION(this << sending.message->GetRound() << asked.size());
    if (asked.empty())
    {
        Erase(&sending);
        RequestTurn();
        return;
    }
    RepairDatagram poll;
    poll.channel = *sending.message->GetChannel();
    poll.round = sending.message->GetRound();
    poll.messageLength = sending.message->GetLength();
    poll.words = asked;
    const Time span = m_settings.times.reportSlot * static_cast<int64_t>(asked.size());
    sending.reports = Simulator::Schedule(span + m_settings.times.reportMargin,
                                          &BroadcastQueue::EndReports,
                                          this,
                                          &sending);
    m_turn.SetBusy(span);
    const auto bytes = poll.Write();
    for (const Endpoint& destination : std::vector(sending.destinations))
    {
        m_outlet.sendControl(bytes, destination);
    }
    RequestTurn();
}

void
BroadcastQueue::EndReports(Sending* sending)
{
    sending->reports.Cancel();
    for (const LearnerId silent : sending->progress.EndPoll())
    {
        m_silent.insert(silent);
    }
    if (!sending->progress.IsOpen())
    {
        Erase(sending);
    }
    RequestTurn();
}

void
BroadcastQueue::YieldTo(IpAddress other)
{
    m_turn.SetBusy(m_settings.times.turnGap);
    if (m_current && other < m_own)
    {
        NS_LOG_INFO(m_own << " pauses for " << other);
        m_current = nullptr;
        RequestTurn();
    }
}

void
BroadcastQueue::HandleReport(LearnerId from, const RepairDatagram& report)
{
    const auto ranges = report.GetRanges();
    for (Sending& sending : m_sendings)
    {
        const EncodedMessage& message = *sending.message;
        if (message.GetChannel() == report.channel && message.GetRound() == report.round &&
            message.GetLength() == report.messageLength &&
            sending.progress.TakeReport(from, ranges))
        {
            if (sending.progress.HasHeardAll())
            {
                EndReports(&sending);
            }
            return;
        }
    }
}

} // namespace ns3::dlearn
