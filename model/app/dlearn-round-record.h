/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_RECORD_H
#define DLEARN_ROUND_RECORD_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
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
    Time closed;                                              //!< when the round closed
    uint32_t round{0};                                        //!< t
    LearnerId node{0};                                        //!< who
    double epsilon{std::numeric_limits<double>::quiet_NaN()}; //!< realised, after this round;
                                                              //!< NaN where no account is kept
    double epsilonNominal{std::numeric_limits<double>::quiet_NaN()}; //!< nominal, likewise
    uint64_t expected{0}; //!< messages that the algorithm awaits in a round
    uint64_t received{0}; //!< arrived before the round closed
    uint64_t used{0};     //!< handed to the update rule
    uint64_t rejected{0}; //!< arrived but not usable: not finite, of wrong length, or replaced by
                          //!< a newer one of the same client
    uint64_t late{0};     //!< arrived after the round closed
    uint64_t lost{0};     //!< never arrived
    uint64_t txBytes{0};  //!< handed to sockets in this round, dlearn headers included
    uint64_t rxBytes{0};  //!< taken from sockets in this round, dlearn headers included
    Time compute;         //!< simulated time of the gradient
    Time duration;        //!< from the opening of the round to its closing

    /** @param rule whose account, if it keeps one, says what was spent up to now */
    void SetPrivacy(const LearnerRule& rule);

    /** @throw std::logic_error when a law does not hold, naming it, the round and the numbers */
    void CheckConservation() const;

    /** @param archive passes the values between ranks */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(closed,
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
                duration);
    }
};

/**
 * @ingroup dlearn
 * Privacy that was spent after the newest record of a learner, or by a round without a record.
 */
class UnrecordedExposure
{
  public:
    /** Something costs privacy now, in a round. A record that is made later shows it. */
    void Note(uint32_t round);

    /** A record is made, which shows what was spent until now. */
    void Forget() { m_last.reset(); }

    /**
     * Add a record of the exposure noted last, unless there is one that shows it, it has cost
     * nothing in the end, or no account is kept. Apart from time, round and epsilon it is zero.
     *
     * @param learner whose records these are
     * @param rule has the account
     * @param records get one more
     */
    void Record(LearnerId learner, const LearnerRule& rule, std::vector<RoundRecord>& records);

  private:
    std::optional<std::pair<Time, uint32_t>> m_last; //!< time and round; nothing: a record shows it
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
 * Shares out the bytes of a learner's transport among its records, so that each byte is in one of
 * them: a record gets those that no other has yet. They were sent in its round, in rounds before it
 * that a crash ended, and by a transport that still had messages of rounds before.
 */
class ByteTally
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
     * @param last the newest record, which gets the rest; null for none
     * @param totals get the rest as `tx_bytes_without_row` and `rx_bytes_without_row` where there
     *        is no record
     */
    void Finish(const Transport& transport,
                RoundRecord* last,
                std::map<std::string, uint64_t>& totals);

  private:
    uint64_t m_sent{0};     //!< in records
    uint64_t m_received{0}; //!< in records
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_RECORD_H
