/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRANSCRIPT_H
#define DLEARN_TRANSCRIPT_H

#include "ns3/dlearn-files.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-trace-connections.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{

/** One event of the data or the messages of a learner. @ingroup dlearn */
struct TranscriptEvent
{
    /** Kinds of events. */
    enum class Kind
    {
        DRAW,     //!< the data of the round entered the state of the node
        SEND,     //!< the first byte of a message left the node
        WITHDRAW, //!< no byte of a message has left the node, and none will
        RECEIVE,  //!< a message arrived, or a part of a message is used
        REQUEST,  //!< the server named missing clients, to have updates corrected
        ANSWER    //!< the first byte of a correction left the node
    };

    Time time;                           //!< simulated
    Kind kind{Kind::DRAW};               //!< of the event
    LearnerId node{0};                   //!< the learner of the event
    std::optional<LearnerId> peer;       //!< RECEIVE: the sender
    uint32_t round{0};                   //!< of the message or the data
    std::optional<ModelChannel> channel; //!< of the message; absent: data or mere bytes
    std::vector<uint32_t>
        numbers; //!< recipients; REQUEST: missing clients; DRAW: positions of data
    LearnerApplication::Reception reception{LearnerApplication::Reception::ON_TIME}; //!< RECEIVE

    /** @return the values that StateArchive passes between ranks */
    auto Tie() { return std::tie(time, kind, node, peer, round, channel, numbers, reception); }
};

/** @return the kind of an event in lower case @ingroup dlearn */
const char* ToString(TranscriptEvent::Kind kind);

/** Reports all events on which a privacy account depends, by the traces of learners, their rules
 *  and their message layers: which data entered which state, which messages left which node, and
 *  which learners received them. @ingroup dlearn */
class Transcript
{
  public:
    /** Gets the events, in the order of time. */
    using Sink = std::function<void(const TranscriptEvent&)>;

    /** For each learner with its own samples, their positions in the common training set. */
    using Origins = std::map<LearnerId, SampleIndices>;

    /**
     * @param learners all, with their surroundings
     * @param sink gets the events
     * @param origins replace the positions of DRAW of these learners
     */
    Transcript(const std::vector<Ptr<LearnerApplication>>& learners,
               Sink sink,
               Origins origins = {});

  private:
    using Reception = LearnerApplication::Reception;
    using Recipients = std::vector<LearnerId>;

    void HandleDraw(LearnerId node, uint32_t round, const SampleIndices& samples) const;
    void HandleTx(LearnerId node,
                  TranscriptEvent::Kind kind,
                  const EncodedMessage& message,
                  const Recipients& to) const;
    void HandleRx(LearnerId node,
                  const MessageSource& source,
                  uint32_t round,
                  Reception reception) const;
    void HandleRequest(LearnerId node, uint32_t round, const ModelVector& request) const;

    std::map<LearnerId, std::vector<LearnerId>> m_clients; //!< of each server
    Sink m_sink;
    Origins m_origins;
    TraceConnections m_traces;
};

/**
 * @ingroup dlearn
 * @param file gets transcript.csv, one line an event; the caller commits it at the end
 * @param origin simulated time from which its times count
 * @return a sink that writes the file, and throws std::runtime_error when it cannot be written
 */
Transcript::Sink WriteTranscriptCsv(std::shared_ptr<OutputFile> file, Time origin);

/**
 * @ingroup dlearn
 * @param events of the learners of all ranks (Ranks)
 * @param sink gets them by time, then learner
 */
void ReplayTranscript(std::vector<TranscriptEvent> events, const Transcript::Sink& sink);

} // namespace ns3::dlearn

#endif // DLEARN_TRANSCRIPT_H
