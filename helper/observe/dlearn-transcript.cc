/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-transcript.h"

#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** @return the event, at the present time */
TranscriptEvent
MakeEvent(TranscriptEvent::Kind kind, LearnerId node, uint32_t round)
{
    TranscriptEvent event;
    event.time = Simulator::Now();
    event.kind = kind;
    event.node = node;
    event.round = round;
    return event;
}

/** @return the last column of an event in transcript.csv */
std::string
MakeDetail(const TranscriptEvent& event)
{
    if (event.kind == TranscriptEvent::Kind::RECEIVE)
    {
        return ToString(event.reception);
    }
    std::string detail;
    for (const uint32_t number : event.numbers)
    {
        detail += (detail.empty() ? "" : " ") + std::to_string(number);
    }
    return detail;
}

std::string
MakeLine(const TranscriptEvent& event)
{
    return FormatSeconds(event.time) + "," + ToString(event.kind) + "," +
           std::to_string(event.node) + "," + (event.peer ? std::to_string(*event.peer) : "") +
           "," + std::to_string(event.round) + "," +
           (event.channel ? ToString(*event.channel) : "") + "," + MakeDetail(event) + "\n";
}

} // namespace

const char*
ToString(TranscriptEvent::Kind kind)
{
    using Kind = TranscriptEvent::Kind;
    switch (kind)
    {
    case Kind::DRAW:
        return "draw";
    case Kind::SEND:
        return "send";
    case Kind::WITHDRAW:
        return "withdraw";
    case Kind::RECEIVE:
        return "receive";
    case Kind::REQUEST:
        return "request";
    case Kind::ANSWER:
        return "answer";
    }
    return "unknown";
}

Transcript::Transcript(const std::vector<Ptr<LearnerApplication>>& learners,
                       Sink sink,
                       Origins origins)
    : m_sink(std::move(sink)),
      m_origins(std::move(origins))
{
    for (const auto& learner : learners)
    {
        const LearnerId node = learner->GetLearnerId();
        m_traces.Add(learner->GetLearnerRule(),
                     "Draw",
                     MakeCallback(&Transcript::HandleDraw, this, node));
        const auto exchange = learner->GetExchange();
        for (const auto& [trace, kind] :
             {std::pair("MessageTx", TranscriptEvent::Kind::SEND),
              std::pair("MessageWithdrawn", TranscriptEvent::Kind::WITHDRAW)})
        {
            m_traces.Add(exchange, trace, MakeCallback(&Transcript::HandleTx, this, node, kind));
        }
        m_traces.Add(learner, "MessageRx", MakeCallback(&Transcript::HandleRx, this, node));
        if (const auto server = DynamicCast<FederatedServer>(learner))
        {
            m_clients[node] = server->GetClients();
            m_traces.Add(learner, "Request", MakeCallback(&Transcript::HandleRequest, this, node));
        }
    }
}

void
Transcript::HandleDraw(LearnerId node, uint32_t round, const SampleIndices& samples) const
{
    TranscriptEvent event = MakeEvent(TranscriptEvent::Kind::DRAW, node, round);
    event.numbers = samples;
    const auto origins = m_origins.find(node);
    for (uint32_t& sample : event.numbers)
    {
        sample = origins == m_origins.end() ? sample : origins->second.at(sample);
    }
    m_sink(event);
}

void
Transcript::HandleTx(LearnerId node,
                     TranscriptEvent::Kind kind,
                     const EncodedMessage& message,
                     const Recipients& to) const
{
    TranscriptEvent event = MakeEvent(kind, node, message.GetRound());
    event.channel = message.GetChannel();
    event.numbers = to;
    m_sink(event);
    if (kind == TranscriptEvent::Kind::SEND && event.channel == ModelChannel::ANSWER)
    {
        event.kind = TranscriptEvent::Kind::ANSWER;
        m_sink(event);
    }
}

void
Transcript::HandleRx(LearnerId node,
                     const MessageSource& source,
                     uint32_t round,
                     Reception reception) const
{
    TranscriptEvent event = MakeEvent(TranscriptEvent::Kind::RECEIVE, node, round);
    event.peer = source.first;
    event.channel = source.second;
    event.reception = reception;
    m_sink(event);
}

void
Transcript::HandleRequest(LearnerId node, uint32_t round, const ModelVector& request) const
{
    TranscriptEvent event = MakeEvent(TranscriptEvent::Kind::REQUEST, node, round);
    event.channel = ModelChannel::REQUEST;
    const std::vector<LearnerId>& clients = m_clients.at(node);
    const bool namesClients = static_cast<size_t>(request.size()) == clients.size();
    for (const uint32_t place : ReadDropoutRequest(namesClients ? request : ModelVector()))
    {
        event.numbers.push_back(clients[place]);
    }
    m_sink(event);
}

Transcript::Sink
WriteTranscriptCsv(std::shared_ptr<OutputFile> file, Time origin)
{
    file->Write("time_s,event,node,peer,round,channel,detail\n");
    return [file, origin](TranscriptEvent event) {
        event.time -= origin;
        file->Write(MakeLine(event));
    };
}

void
ReplayTranscript(std::vector<TranscriptEvent> events, const Transcript::Sink& sink)
{
    std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
        return std::tie(a.time, a.node) < std::tie(b.time, b.node);
    });
    for (const TranscriptEvent& event : events)
    {
        sink(event);
    }
}

} // namespace ns3::dlearn
