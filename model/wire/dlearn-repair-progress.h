/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REPAIR_PROGRESS_H
#define DLEARN_REPAIR_PROGRESS_H

#include "dlearn-model-header.h"

#include "ns3/dlearn-message.h"
#include "ns3/dlearn-types.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The way to repair lost fragments of a broadcast.
 */
struct RepairMethod
{
    bool polls{false};  //!< whether receivers report missing fragments
    bool parity{false}; //!< whether there is parity
    double share{0};    //!< pieces of parity sent with each fragment

    /** @return none, nack, fec:RATE, both or both:RATE, with a RATE from 0.001 to 4; else nothing
     */
    static std::optional<RepairMethod> Parse(const std::string& text);
};

/**
 * @ingroup dlearn
 * A message between senders and receivers of repaired broadcasts, besides fragments.
 *
 * 24 bytes, big-endian, and then words of four bytes. No fragment has such a first byte, which is
 * its version (ModelHeader):
 *
 *     0        1      2         3       4       8                16         20
 *     version  kind   channel   zero    round   message length   words      checksum
 *
 * with the message length at 8, zero at 12 and the number of words at 16. The words of a poll are
 * the numbers of learners, those of a report begin and end of ranges of bytes. The checksum covers
 * all else (XXH3, low 32 bits). The network identifies the sender. Nothing that comes from the wire
 * is trusted.
 */
struct RepairDatagram
{
    static constexpr uint8_t VERSION = 0x81; //!< first byte
    static constexpr uint32_t SIZE = 24;     //!< bytes before the words

    /** The purpose of the datagram. */
    enum class Kind : uint8_t
    {
        POLL = 1,  //!< to all: the words name the learners that are to report
        REPORT = 2 //!< to the sender of the message: the missing ranges; none when it is whole
    };

    Kind kind{Kind::POLL};                     //!< purpose
    ModelChannel channel{ModelChannel::STATE}; //!< of the message
    uint32_t round{0};                         //!< of the message
    uint32_t messageLength{0};                 //!< bytes of the message, at least 1
    std::vector<uint32_t> words;               //!< see Kind

    /** @return the bytes on the wire */
    std::vector<uint8_t> Write() const;

    /** @return the datagram; nothing when the bytes are not one */
    static std::optional<RepairDatagram> Read(const uint8_t* bytes, uint32_t size);

    /**
     * @return the ranges of a report, without those that are empty, do not begin behind the one
     *         before them or reach beyond the message
     */
    std::vector<ByteRange> GetRanges() const;

    /** @param ranges become the words, as many as fit @param size most bytes of a datagram */
    void SetRanges(const std::vector<ByteRange>& ranges, uint32_t size);
};

/**
 * @ingroup dlearn
 * The state of a broadcast message: the fragments to be sent next, and the recipients that have not
 * yet reported that they have it all.
 *
 * With a code, fragments are cut into blocks, and there is parity (ErasureCode) besides: some of
 * each block from the beginning, or in place of missing fragments. As many pieces of parity of a
 * block repair all recipients as the one needs that misses most; where no more are left, the
 * missing fragments are sent again.
 *
 * A recipient is given up when it reports so itself, when it is silent for several polls in a row,
 * and when it has requested more bytes than it may: no recipient makes a sender repair without
 * bound, and none takes from the allowance of another. All are given up after a number of polls.
 */
class RepairProgress
{
  public:
    /** Bounds of the effort. */
    struct Limits
    {
        uint32_t polls{32};   //!< of a message, at least 1
        uint32_t silent{10};  //!< polls in a row that a recipient may leave unanswered, at least 1
        uint32_t requests{4}; //!< lengths of the message that a recipient can request again
    };

    /** Parity that is sent. */
    struct Code
    {
        uint32_t blockFragments{0}; //!< of each block but the last; 0: no parity
        double share{0};            //!< sent with each block from the beginning, of its fragments
        bool repairs{false};        //!< whether it repairs, too
    };

    /** The content of one datagram. */
    struct Part
    {
        bool parity;     //!< or a fragment
        uint32_t number; //!< of the fragment, or of the block
        uint32_t row;    //!< of parity
    };

    /**
     * @param messageLength bytes of the message, at least 1
     * @param fragmentSize bytes of its fragments, but of the last one
     * @param recipients learners that need it
     * @param limits bounds
     * @param code parity
     */
    RepairProgress(uint32_t messageLength,
                   uint32_t fragmentSize,
                   const std::vector<LearnerId>& recipients,
                   const Limits& limits,
                   const Code& code);

    /** @return whether there is something to be sent */
    bool HasPart() const { return !m_wanted.empty() || !m_parity.empty(); }

    /** @return the part to be sent next; it is not sent again unless requested */
    Part TakePart();

    /** @return the learners that are to report now; none after the last poll */
    std::vector<LearnerId> BeginPoll();

    /**
     * @param from a learner that reports
     * @param missing ranges that it still needs, in order and within the message; none when it has
     *        all or needs it no longer
     * @return whether the report was requested and is the first one
     */
    bool TakeReport(LearnerId from, const std::vector<ByteRange>& missing);

    /** @return whether all reports of the poll are here */
    bool HasHeardAll() const { return m_asked.empty(); }

    /** Wait for reports no longer. @return recipients that are given up because they were silent */
    std::vector<LearnerId> EndPoll();

    /** @param recipient that was silent before: one more silent poll is its last */
    void Doubt(LearnerId recipient);

    /** @param recipient that needs the message no longer */
    void Release(LearnerId recipient);

    /** @return parity */
    const Code& GetCode() const { return m_code; }

    /** @return whether a recipient is left that may need something */
    bool IsOpen() const { return !m_open.empty(); }

  private:
    /** A recipient that may need something. */
    struct Recipient
    {
        uint64_t requested{0}; //!< bytes so far
        uint32_t silent{0};    //!< polls in a row without a report
    };

    void Want(const std::set<uint32_t>& fragments);

    uint32_t m_messageLength;              //!< bytes
    uint32_t m_fragmentSize;               //!< bytes
    Limits m_limits;                       //!< bounds
    std::map<LearnerId, Recipient> m_open; //!< not known to have all
    std::set<LearnerId> m_asked;           //!< whose reports are awaited
    Code m_code;                           //!< parity
    std::map<uint32_t, uint32_t> m_parity; //!< pieces to be sent, by block, none zero
    std::map<uint32_t, uint32_t> m_rows;   //!< pieces sent, by block
    std::set<uint32_t> m_wanted;           //!< fragments to be sent
    uint32_t m_polls{0};                   //!< so far
};

/**
 * @ingroup dlearn
 * The answers of a learner to the polls of others: the receiver's part of a repaired broadcast. The
 * learners that a poll names report one after the other, in its order.
 */
class RepairReports
{
  public:
    /** Sends a report to a learner, after adding the missing ranges. */
    using Outlet = std::function<void(LearnerId to, RepairDatagram report)>;

    /** @param outlet for reports, when their time has come */
    explicit RepairReports(Outlet outlet)
        : m_outlet(std::move(outlet))
    {
    }

    ~RepairReports() { Clear(); }

    RepairReports(const RepairReports&) = delete;
    RepairReports& operator=(const RepairReports&) = delete;

    /** @return duration of the reports of a poll; bounded, however many learners it names */
    static Time GetSpan(const RepairDatagram& poll, Time slot);

    /**
     * Report when it is the learner's turn, if a poll names it; once for the newest poll of a
     * channel.
     *
     * @param self the local learner
     * @param from the sender of the poll
     * @param poll of its message
     * @param slot time between two reports
     */
    void Schedule(LearnerId self, LearnerId from, const RepairDatagram& poll, Time slot);

    /** Cancel all reports. */
    void Clear();

  private:
    Outlet m_outlet;                                                //!< see constructor
    std::map<std::pair<LearnerId, ModelChannel>, EventId> m_events; //!< reports, by sender of poll
};

} // namespace ns3::dlearn

#endif // DLEARN_REPAIR_PROGRESS_H
