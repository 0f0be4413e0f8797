/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_RECORD_H
#define DLEARN_ROUND_RECORD_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

class LearnerRule;

/**
 * @ingroup dlearn
 * What one closed round of one node cost and brought, counted in messages (whole vectors).
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

    /** @param archive saves or loads the values */
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
    /**
     * Something costs privacy now. A record that is made later shows it.
     * @param round in which
     */
    void Note(uint32_t round);

    /** A record is made, which shows what was spent until now. */
    void Forget() { m_last.reset(); }

    /**
     * Add a record of what was noted last, unless there is one that shows it, it has cost nothing
     * in the end, or no account is kept. Apart from time, round and epsilon it is zero.
     *
     * @param learner whose records these are
     * @param rule knows what was spent
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

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_RECORD_H
