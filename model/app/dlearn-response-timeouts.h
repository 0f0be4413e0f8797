/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RESPONSE_TIMEOUTS_H
#define DLEARN_RESPONSE_TIMEOUTS_H

#include "ns3/attribute.h"
#include "ns3/nstime.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How long a learner waits for others. What a user has not chosen follows from what is known ahead
 * and from the answers so far:
 *
 *     response = max(1 s, D, F, R, min(M, 4 m)),    M = max(30 s, 4 F, 4 u),
 *     suspicion = 2 max(response, 1 s)
 *
 * D is the deadline of a round, F the forecast of the slowest answer, R the time that sending again
 * takes where packets are lost, and M bounds what somebody can cost who answers later each time. m
 * is the slowest answer: a slower one takes its place, another one moves it by 1 / (8 n) of the
 * difference, with n senders, as TCP smooths its times by 1 / 8 (RFC 6298). u is near the median of
 * the answers, which few senders cannot move: each answer above it makes it 5 % longer, each one
 * below it as much shorter. Before the first answer m is infinite. A learner that does not learn
 * from answers waits for max(1 s, D, 4 F, R).
 *
 * Four times, because who waits too long for one that has failed loses time, but who does not wait
 * long enough for one that is slow loses its messages, always those of the same.
 */
class ResponseTimeouts
{
  public:
    /** How long answers will take. */
    struct Forecast
    {
        Time answer{};   //!< F, of the slowest; 0 when it is not known
        Time recovery{}; //!< R; 0 where nothing is lost, or nothing is sent again
    };

    /** What is known ahead. */
    struct Settings
    {
        Time response{};     //!< what a user has chosen; 0 for nothing
        Time suspicion{};    //!< likewise
        Time deadline{};     //!< D; 0 for none
        Forecast forecast{}; //!< F and R
        bool learns{false};  //!< whether answers tell how long others may take
        uint64_t senders{1}; //!< n, at least 1
    };

    /** Nothing is known. */
    ResponseTimeouts() = default;

    /** @param settings what is known ahead */
    explicit ResponseTimeouts(const Settings& settings);

    /**
     * Learn from an answer, also from one that comes too late.
     *
     * @param answer time from the question to the answer
     * @return whether it is the first one
     */
    bool Record(Time answer);

    /** @return longest wait for a message: the response timeout */
    Time GetResponse() const;

    /** @return the response timeout however fast answers are: chosen, or without m */
    Time GetLeast() const;

    /** @return total time waited for a learner, after which it is suspected to have failed */
    Time GetSuspicion() const;

  private:
    Settings m_settings;           //!< what is known ahead
    std::optional<Time> m_slowest; //!< m; nothing before the first answer
    Time m_usual;                  //!< u
};

/**
 * @ingroup dlearn
 * What the help of the attributes of AddTimeouts() says.
 */
struct TimeoutHelp
{
    std::string response;  //!< what ResponseTimeout is
    std::string suspicion; //!< what SuspicionTimeout is
    bool learns{false};    //!< whether answers tell how long others may take
};

/**
 * @ingroup dlearn
 * Add the attributes ResponseTimeout and SuspicionTimeout, which ResponseTimeouts completes.
 *
 * @param tid of the application
 * @param response sets and gets what a user has chosen
 * @param suspicion likewise
 * @param help of the attributes
 * @return the TypeId with the attributes
 */
TypeId AddTimeouts(TypeId tid,
                   Ptr<const AttributeAccessor> response,
                   Ptr<const AttributeAccessor> suspicion,
                   const TimeoutHelp& help);

} // namespace ns3::dlearn

#endif // DLEARN_RESPONSE_TIMEOUTS_H
