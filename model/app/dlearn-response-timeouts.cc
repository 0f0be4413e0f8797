/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-response-timeouts.h"

#include "ns3/dlearn-state-archive.h"

namespace ns3::dlearn
{

namespace
{

constexpr int64_t LEAST = 1;     //!< seconds, of a response timeout that nobody has chosen
constexpr int64_t PATIENCE = 30; //!< likewise, before the first answer
constexpr int64_t CAUTION = 4;   //!< times the slowest answer
constexpr int64_t INERTIA = 8;   //!< answers of each sender
constexpr double PACE = 1.05;    //!< of the usual answer towards the median

} // namespace

ResponseTimeouts::ResponseTimeouts(const Settings& settings)
    : m_settings(settings)
{
}

bool
ResponseTimeouts::Record(Time answer)
{
    if (!m_slowest)
    {
        m_slowest = answer;
        m_usual = answer;
        return true;
    }
    if (answer > *m_slowest)
    {
        m_slowest = answer;
    }
    else
    {
        *m_slowest += (answer - *m_slowest) / (INERTIA * static_cast<int64_t>(m_settings.senders));
    }
    // One step more, as 5 % of a few steps are none.
    m_usual = answer > m_usual ? m_usual * PACE + TimeStep(1) : m_usual / PACE;
    return false;
}

Time
ResponseTimeouts::GetResponse() const
{
    if (!m_settings.response.IsZero())
    {
        return m_settings.response;
    }
    const Time most = Max(Seconds(PATIENCE), CAUTION * Max(m_settings.forecast.answer, m_usual));
    const Time seen = m_slowest ? Min(most, CAUTION * *m_slowest) : most;
    return m_settings.learns ? Max(GetLeast(), seen) : GetLeast();
}

Time
ResponseTimeouts::GetLeast() const
{
    if (!m_settings.response.IsZero())
    {
        return m_settings.response;
    }
    const Time answer = m_settings.forecast.answer;
    const Time known =
        Max(m_settings.learns ? answer : CAUTION * answer, m_settings.forecast.recovery);
    return Max(Seconds(LEAST), Max(m_settings.deadline, known));
}

Time
ResponseTimeouts::GetSuspicion() const
{
    return m_settings.suspicion.IsZero() ? 2 * Max(GetResponse(), Seconds(LEAST))
                                         : m_settings.suspicion;
}

void
ResponseTimeouts::VisitState(StateArchive& archive)
{
    archive(m_slowest, m_usual);
}

TypeId
AddTimeouts(TypeId tid,
            Ptr<const AttributeAccessor> response,
            Ptr<const AttributeAccessor> suspicion,
            const TimeoutHelp& help)
{
    return tid
        .AddAttribute("ResponseTimeout",
                      help.response + "; 0: " +
                          (help.learns ? "as long as forecast, and four times the slowest answer "
                                         "so far, at most 30 s or four times the forecast or the "
                                         "usual answer, as before the first answer"
                                       : "four times the wait for the slowest message, by the "
                                         "forecast") +
                          ", but at least 1 s, and a deadline that is longer.",
                      TimeValue(Time(0)),
                      response,
                      MakeTimeChecker(Time(0)))
        .AddAttribute("SuspicionTimeout",
                      help.suspicion + "; 0: twice the response timeout, but at least 2 s.",
                      TimeValue(Time(0)),
                      suspicion,
                      MakeTimeChecker(Time(0)));
}

} // namespace ns3::dlearn
