/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_WINDOW_H
#define DLEARN_MESSAGE_WINDOW_H

#include "dlearn-round-record.h"

#include "ns3/dlearn-message-receiver.h"

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
 * Decides which of the messages that arrive at a learner its open round may use, and keeps the
 * records on which the conservation laws of RoundRecord are checked. RoundWindow is for learners
 * that go through the rounds together, LatestWindow for learners that do not.
 *
 * A window knows neither time nor sockets. Rounds open in increasing order.
 */
class MessageWindow
{
  public:
    using Source = MessageSource;           //!< a message that a round may use
    using Disposition = MessageDisposition; //!< what became of a message

    /** Numbers of messages, over the whole run. */
    struct Tally
    {
        uint64_t onTime{0};     //!< for the round that was open, usable or not
        uint64_t early{0};      //!< waited for their round
        uint64_t late{0};       //!< for a closed round
        uint64_t duplicate{0};  //!< came before
        uint64_t tooEarly{0};   //!< beyond the waiting room
        uint64_t unexpected{0}; //!< not awaited
        uint64_t superseded{0}; //!< of those on time, usable but not used: a newer one came first
    };

    virtual ~MessageWindow();

    /**
     * Open a round. Messages that arrived early for it are available at once.
     * @param round larger than that of any earlier call
     */
    void Open(uint32_t round);

    /**
     * Find out what Offer() would do with a message.
     *
     * @param source sender and channel
     * @param round the message's round
     * @return the disposition that Offer() would return
     */
    virtual Disposition Classify(const Source& source, uint32_t round) const = 0;

    /**
     * Offer a message to the round.
     *
     * @param source sender and channel
     * @param round the message's round
     * @param arrival the vector; nothing for a message that came but cannot be used
     * @return what became of it
     */
    Disposition Offer(const Source& source, uint32_t round, std::optional<Arrival> arrival);

    /** @return messages that the open round could wait for, in order */
    virtual std::vector<Source> GetMissing() const = 0;

    /** @return GetMissing() and those of which the open round has a message that is not usable */
    virtual std::vector<Source> GetUnused() const = 0;

    /**
     * @param source sender and channel
     * @return whether a usable message of a coming round waits from it: that of the open
     *         round is lost then, or was overtaken
     */
    virtual bool HasPassed(const Source& source) const = 0;

    /** @return number of sources of which the open round has something, usable or not */
    virtual uint32_t GetReceived() const = 0;

    /** @return number of sources */
    uint32_t GetExpected() const { return m_sources.size(); }

    /** @return whether a round is open */
    bool IsOpen() const { return m_open; }

    /** @return the open round, or the one opened last */
    uint32_t GetRound() const { return m_round; }

    /**
     * Close the open round.
     *
     * @return the usable messages, one a source; the counts are in the newest of GetRecords()
     */
    std::map<Source, Arrival> Close();

    /** Give up the open round without a record, as a crash does. */
    void Abandon();

    /** @return one record for each closed round; late messages are counted when they arrive */
    std::vector<RoundRecord>& GetRecords() { return m_records; }

    /** @return one record for each closed round; late messages are counted when they arrive */
    const std::vector<RoundRecord>& GetRecords() const { return m_records; }

    /** @param totals gets the numbers of messages that no record tells of, over the whole run */
    void Count(std::map<std::string, uint64_t>& totals) const;

    /** @return numbers of messages over the whole run */
    const Tally& GetTally() const { return m_tally; }

    /**
     * Check the laws of RoundRecord on every record, and that every message given is in
     * exactly one record or one count of the tally.
     *
     * @throw std::logic_error naming the law, the round and the numbers
     */
    void CheckConservation() const;

  protected:
    /**
     * @param name of the derived class, for messages
     * @param sources every message that a round may use
     */
    MessageWindow(std::string name, const std::vector<Source>& sources);

    /** The round has been opened. */
    virtual void DoOpen() = 0;

    /**
     * Keep a message that is ON_TIME. The tally already counts it.
     *
     * @param source sender and channel
     * @param round the message's round
     * @param arrival the vector; nothing for a message that cannot be used
     */
    virtual void TakeOnTime(const Source& source,
                            uint32_t round,
                            std::optional<Arrival> arrival) = 0;

    /**
     * Keep a message that is EARLY. The tally already counts it. For windows whose Classify() can
     * return EARLY.
     *
     * @param source sender and channel
     * @param round the message's round
     * @param arrival the vector; nothing for a message that cannot be used
     */
    virtual void TakeEarly(const Source& source, uint32_t round, std::optional<Arrival> arrival);

    /**
     * Record a message that is LATE, see RecordLate(). The tally already counts it.
     *
     * @param source sender and channel
     * @param round the message's round
     */
    virtual void TakeLate(const Source& source, uint32_t round) = 0;

    /**
     * Close the round, which is not open any more.
     *
     * @param record gets expected, received, late and lost
     * @return the usable messages
     */
    virtual std::map<Source, Arrival> DoClose(RoundRecord& record) = 0;

    /** @return messages that the open round holds, which is given up; they are forgotten */
    virtual uint64_t DoAbandon() = 0;

    /** @return messages taken that no record has yet */
    virtual uint64_t CountWaiting() const = 0;

    /** @return late messages that no record has yet */
    virtual uint64_t CountUnrecordedLate() const = 0;

    /** @param messages taken that no round will ever use */
    void GiveUp(uint64_t messages) { m_abandoned += messages; }

    /**
     * Record a late message.
     * @param record index of the record that counts it as lost
     */
    void RecordLate(size_t record);

    /** @return whether any round was opened */
    bool HasStarted() const { return m_started; }

    std::set<Source> m_sources; //!< what a round may use
    Tally m_tally;              //!< over the whole run

  private:
    std::string m_name;                 //!< for messages
    bool m_open{false};                 //!< whether a round is open
    bool m_started{false};              //!< whether any round was opened
    uint32_t m_round{0};                //!< open, or opened last
    std::vector<RoundRecord> m_records; //!< of closed rounds
    uint64_t m_abandoned{0};            //!< messages of rounds that were given up
};

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_WINDOW_H
