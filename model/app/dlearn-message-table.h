/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_TABLE_H
#define DLEARN_MESSAGE_TABLE_H

#include "dlearn-schedule.h"

#include "ns3/dlearn-message-receiver.h"
#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

class LearnerRule;
class Transport;

/**
 * @ingroup dlearn
 * One closed round of one node: its messages (whole vectors), bytes, times and privacy.
 *
 * Two laws hold for every record once the run is over:
 *
 *   expected = received + late + lost,
 *   received = used + rejected.
 */
struct RoundRecord
{
    Time closed;                                                     //!< when the round closed
    uint32_t round{0};                                               //!< t
    LearnerId node{0};                                               //!< the learner
    double epsilon{std::numeric_limits<double>::quiet_NaN()};        //!< realised; NaN: no account
    double epsilonNominal{std::numeric_limits<double>::quiet_NaN()}; //!< nominal
    uint64_t expected{0}; //!< messages that the algorithm expects
    uint64_t received{0}; //!< arrived before the round closed
    uint64_t used{0};     //!< handed to the update rule
    uint64_t rejected{0}; //!< received, but not finite, of wrong length, or replaced by a newer one
    uint64_t late{0};     //!< arrived after the round closed
    uint64_t lost{0};     //!< never arrived
    uint64_t txBytes{0};  //!< handed to sockets in this round, dlearn headers included
    uint64_t rxBytes{0};  //!< taken from sockets in this round, dlearn headers included
    Time compute;         //!< simulated time of the gradient
    Time duration;        //!< from the opening of the round to its closing
    /** Sender of the last message that arrived before the round closed; -1: none, or a client's. */
    int64_t last{-1};

    // Figures that a client reported with its update (FederatedClient); NaN: not reported.
    double samples{std::numeric_limits<double>::quiet_NaN()};
    double steps{std::numeric_limits<double>::quiet_NaN()};
    double loss{std::numeric_limits<double>::quiet_NaN()};
    double seconds{std::numeric_limits<double>::quiet_NaN()};

    /// Of the lost updates, those that were not sent on the air; NaN: none had to be.
    double truncated{std::numeric_limits<double>::quiet_NaN()};

    /// Largest norm of the round's updates, where a server's rule sets it; else NaN.
    double clip{std::numeric_limits<double>::quiet_NaN()};

    /** Set both epsilons to those of the rule's account, if any. */
    void SetPrivacy(const LearnerRule& rule);

    /** @throw std::logic_error when a law does not hold, naming it, the round and the numbers */
    void CheckConservation() const;

    /** @return the values that StateArchive passes between ranks */
    auto Tie()
    {
        return std::tie(closed,
                        round,
                        node,
                        epsilon,
                        epsilonNominal,
                        expected,
                        received,
                        used,
                        rejected,
                        late,
                        lost,
                        txBytes,
                        rxBytes,
                        compute,
                        duration,
                        last,
                        samples,
                        steps,
                        loss,
                        seconds,
                        truncated,
                        clip);
    }
};

/** @ingroup dlearn
 *  Privacy spent after the newest record of a learner, or in a round without a record. */
class UnrecordedExposure
{
  public:
    /** A round spends privacy now; a later record shows it. */
    void Note(uint32_t round);

    /** A new record shows all privacy spent so far. */
    void Forget() { m_last.reset(); }

    /**
     * Add a record of the exposure noted last, unless a record shows it, it has cost nothing in the
     * end, or there is no account. Apart from time, round and epsilon it is zero.
     *
     * @param learner of the records
     * @param rule has the account
     * @param records get one more
     */
    void Record(LearnerId learner, const LearnerRule& rule, std::vector<RoundRecord>& records);

  private:
    std::optional<std::pair<Time, uint32_t>> m_last; //!< time and round; nothing: in a record
};

/**
 * @param left one side of a conservation law
 * @param right the other side
 * @param law in words, for the message
 * @param where for the message
 * @throw std::logic_error when the sides differ
 */
void RequireLaw(uint64_t left, uint64_t right, const char* law, const std::string& where);

/**
 * @ingroup dlearn
 * Divides the bytes of a learner's transport among its records: each byte is in one record. A
 * record also gets the bytes of earlier rounds that a crash ended, and of messages of earlier
 * rounds that the transport sends late.
 */
class TrafficCounter
{
  public:
    /** @param record gets the bytes sent */
    void CountSent(const Transport& transport, RoundRecord& record);

    /** @param record gets the bytes sent and received */
    void Count(const Transport& transport, RoundRecord& record);

    /**
     * The run is over.
     *
     * @param transport of the learner
     * @param last the newest record, which gets the rest; null: none
     * @param totals get the rest as `tx_bytes_without_row` and `rx_bytes_without_row` where there
     *        are no records
     */
    void Finish(const Transport& transport,
                RoundRecord* last,
                std::map<std::string, uint64_t>& totals);

  private:
    uint64_t m_sent{0};     //!< in records
    uint64_t m_received{0}; //!< in records
};

/**
 * @ingroup dlearn
 * The messages that a learner, peer or server, expects, and the outcome of each. A message has a
 * source (sender and channel) and a number: the round in which a peer made it, or the request that
 * a client answers. It is
 *
 *  - expected, until it is received or missed;
 *  - received, usable or not, and then used or rejected by the round that is open;
 *  - missed: the round has closed, or the request was given up. It counts as lost, or as late if
 *    it arrives.
 *
 * This gives the disposition of each message that arrives, the records of the rounds with their
 * conservation laws, whether a round closes, and the suspected senders: those for which the learner
 * has waited a total time, over any number of rounds, since their last usable message. So short
 * deadlines do no harm to senders that miss some, and a failed sender costs the same time whatever
 * the deadline.
 *
 * Derived classes differ in what they expect. A table knows neither the clock nor sockets.
 */
class MessageTable
{
  public:
    using Disposition = MessageDisposition;

    /** Numbers of messages, over the whole run. */
    struct Tally
    {
        uint64_t onTime{0};     //!< for the open round or request, usable or not
        uint64_t early{0};      //!< for a later round
        uint64_t late{0};       //!< after they were missed
        uint64_t duplicate{0};  //!< copies
        uint64_t tooEarly{0};   //!< too many rounds ahead
        uint64_t unexpected{0}; //!< not expected
        uint64_t superseded{0}; //!< on time and usable, but replaced by a newer one
    };

    virtual ~MessageTable() = default;

    /** @return the disposition of the message if it arrives now */
    virtual Disposition Classify(const MessageSource& source, uint32_t number) const = 0;

    /** A new usable message arrived: its sender is not suspected any more. */
    void RecordActivity(LearnerId sender);

    /**
     * @param sender the learner has waited for it without success
     * @param waited for this time
     * @param suspicionTimeout total time waited after which it is suspected, more than 0
     * @return whether it becomes suspected
     */
    bool RecordTimeout(LearnerId sender, Time waited, Time suspicionTimeout);

    /** @return whether the sender is not suspected */
    bool IsAlive(LearnerId sender) const { return m_suspected.count(sender) == 0; }

    const std::set<LearnerId>& GetSuspected() const { return m_suspected; }

    /** Forget all suspicions and all time waited. */
    void Trust();

    /** @return one record for each closed round; late messages count when they arrive */
    std::vector<RoundRecord>& GetRecords() { return m_records; }

    const std::vector<RoundRecord>& GetRecords() const { return m_records; }

    const Tally& GetTally() const { return m_tally; }

    /**
     * Check the laws of RoundRecord on every record, and that every message is in exactly one
     * record or one count of the tally.
     *
     * @throw std::logic_error naming the law, the round and the numbers
     */
    void CheckConservation() const;

  protected:
    /** Consecutive missed numbers. */
    struct Gap
    {
        uint64_t last; //!< of them
        size_t record; //!< index of the record that counts them as lost
    };

    /** The messages of a source. */
    struct Stream
    {
        uint64_t next{0};                                //!< number after the newest that is known
        size_t closed{0};                                //!< rounds that had closed when it arrived
        std::map<uint64_t, Gap> gaps;                    //!< by the first number
        std::map<uint32_t, std::optional<Arrival>> held; //!< of open rounds; nothing: unusable
    };

    /** @return the stream of a source; null: unexpected */
    const Stream* Find(const MessageSource& source) const;

    static bool IsMissed(const Stream& stream, uint32_t number);

    /** The next record misses the numbers from first to last. */
    void Miss(Stream& stream, uint64_t first, uint64_t last);

    /** The next record receives a message. */
    void Receive(LearnerId sender);

    /** Count a message, and record it if it is late. @return its disposition */
    Disposition Note(const MessageSource& source, uint32_t number);

    void WriteRecord(uint32_t round);

    std::map<MessageSource, Stream> m_streams;
    RoundRecord m_current; //!< the next record
    Tally m_tally;
    std::vector<RoundRecord> m_records;
    uint64_t m_waiting{0};   //!< early messages
    uint64_t m_abandoned{0}; //!< messages that no round will use

  private:
    std::map<LearnerId, Time> m_waited; //!< since the last usable message, if not 0
    std::set<LearnerId> m_suspected;
};

/**
 * @ingroup dlearn
 * The requests of a server to its clients, on one channel. Each expects one answer and ends once:
 * answered, or given up. Requests may outlive rounds, as in asynchronous operation: a record counts
 * those that ended in its round.
 */
class RequestTable : public MessageTable
{
  public:
    /** @param channel of the answers */
    explicit RequestTable(ModelChannel channel)
        : m_channel(channel)
    {
    }

    Disposition Classify(const MessageSource& source, uint32_t number) const override;

    /**
     * @param client has no open request
     * @param number of its request, larger than that of any earlier one
     */
    void Expect(LearnerId client, uint32_t number);

    /** An answer comes.
     *  @param usable whether it is handed to the rule; else it counts as rejected */
    Disposition Answer(LearnerId client, uint32_t number, bool usable);

    /** @param client its open request is not waited for any more */
    void GiveUp(LearnerId client);

    /** A sum on the air has come. @param truncated clients that kept silent, without a request now
     */
    void NoteTruncated(size_t truncated)
    {
        m_current.truncated = truncated + (m_current.truncated > 0 ? m_current.truncated : 0);
    }

    /** @return the clients with an open request, in order, and its number */
    const std::map<LearnerId, uint32_t>& GetOpen() const { return m_open; }

    bool IsOpen(LearnerId client) const { return m_open.count(client) > 0; }

    /** Answers to requests before this number are unexpected from now on. */
    void Forget(uint32_t number) { m_oldest = number; }

    /** A round ends: requests that end from now on belong to the next. */
    void Close(uint32_t round) { WriteRecord(round); }

    /** @return the requests that ended since the last round was closed */
    const RoundRecord& GetCurrent() const { return m_current; }

    /** Count used answers as rejected, as no model was made of them.
     *  @param closed whether they are of the round closed last; else of the open one */
    void TakeBack(uint64_t answers, bool closed);

  private:
    ModelChannel m_channel;
    std::map<LearnerId, uint32_t> m_open;
    uint32_t m_oldest{0}; //!< first number that is not forgotten
};

/**
 * @ingroup dlearn
 * The messages of a peer's neighbours in common rounds: a round expects one message of each source,
 * made in that round. Messages of later rounds wait. Rounds open in increasing order; a round that
 * is skipped after a restart expects nothing.
 */
class RoundTable : public MessageTable
{
  public:
    /**
     * @param sources every message that a round may use
     * @param ahead number of rounds that a message may be ahead of the open one, at least 1
     */
    RoundTable(const std::vector<MessageSource>& sources, uint32_t ahead);

    Disposition Classify(const MessageSource& source, uint32_t round) const override;

    /** Open a round. Messages that arrived early for it are available at once.
     *  @param round larger than that of any earlier call */
    void Open(uint32_t round);

    /** A message comes. @param arrival the vector; nothing for a message that cannot be used */
    Disposition Offer(const MessageSource& source, uint32_t round, std::optional<Arrival> arrival);

    /** @return sources whose message of the open round has not arrived, in order */
    virtual std::vector<MessageSource> GetMissing() const;

    /** @return GetMissing() and the sources of unusable messages of the open round */
    virtual std::vector<MessageSource> GetUnused() const;

    /** @return state of the open round, without its time. A missing message may arrive if its
     *          sender is alive and no message of its later rounds has arrived */
    RoundStatus GetStatus() const;

    bool IsOpen() const { return m_open; }

    /** @return the open round, or the one opened last */
    uint32_t GetRound() const { return m_round; }

    /** Close the open round, with a record. @return the usable messages, one of a source */
    std::map<MessageSource, Arrival> Close();

    /** Give up the open round without a record, as a crash does. */
    void Abandon();

    /** @param totals gets the numbers of messages without a record */
    void Count(std::map<std::string, uint64_t>& totals) const;

  protected:
    /** Store a message that is on time or early. */
    virtual void Take(const MessageSource& source, uint32_t round, std::optional<Arrival> arrival);

    virtual void Begin();

    /** The round closes: miss the messages that it lacks. */
    virtual void MissRest();

    /** @return whether the open round uses a stored message */
    virtual bool IsCurrent(uint32_t round) const { return round <= m_round; }

  private:
    bool HasPassed(const MessageSource& source) const;

    uint32_t m_ahead; //!< number of rounds that a message may be early
    bool m_open{false};
    bool m_started{false}; //!< whether any round was opened
    uint32_t m_round{0};   //!< open, or opened last
};

/**
 * @ingroup dlearn
 * The messages of neighbours without common rounds: a round may use, of each source, the newest
 * message that arrived since the last round closed, whatever the sender's round. The learner does
 * not wait.
 *
 * A sender numbers its messages by its own rounds, so that a gap shows missing messages. The record
 * of a round has
 *
 *  - expected: rounds that the senders have made since the last round closed, as far as their
 *    messages show;
 *  - received: messages that arrived, none older than an earlier one of its source;
 *  - used: at most one a source;
 *  - rejected: unusable, or replaced by a newer one before the round closed;
 *  - late: arrived after a newer one of their source;
 *  - lost: the others.
 *
 * Rounds that a sender skips (a crash, a transport that is still busy) look lost.
 *
 * The largest gap is FIRST_GAP rounds, twice as many for each round that this learner has closed
 * since the last message of the source, and at most LARGEST_GAP. A message beyond it is TOO_EARLY.
 * So a sender that claims false rounds loses only its own messages, and the number of messages that
 * seem lost stays bounded.
 */
class LatestTable : public RoundTable
{
  public:
    /** Largest gap between two messages that arrive in the same round. */
    static constexpr uint32_t FIRST_GAP = 64;

    /** Largest gap between any two messages. */
    static constexpr uint32_t LARGEST_GAP = 1 << 20;

    /** @param sources every message that a round may use */
    explicit LatestTable(const std::vector<MessageSource>& sources)
        : RoundTable(sources, 1)
    {
    }

    Disposition Classify(const MessageSource& source, uint32_t round) const override;

    std::vector<MessageSource> GetMissing() const override { return {}; }

    std::vector<MessageSource> GetUnused() const override { return {}; }

  protected:
    void Take(const MessageSource& source, uint32_t round, std::optional<Arrival> arrival) override;

    void Begin() override {}

    void MissRest() override {}

    bool IsCurrent(uint32_t /* round */) const override { return true; }
};

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_TABLE_H
