/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-answer-log.h"

#include "ns3/dlearn-check.h"

#include <utility>

namespace ns3::dlearn
{

void
AnswerLog::Open(uint32_t requestId, const std::vector<LearnerId>& asked)
{
    Require(!m_open, "AnswerLog: request ", m_requestId, " is still open");
    Require(!asked.empty(), "AnswerLog: no client is asked");
    m_requestId = requestId;
    m_open = true;
    m_asked = {asked.begin(), asked.end()};
    m_pending = m_asked;
    m_expected += m_asked.size();
}

AnswerLog::Disposition
AnswerLog::Classify(LearnerId client, uint32_t requestId) const
{
    if (requestId != m_requestId || m_asked.count(client) == 0)
    {
        return Disposition::UNEXPECTED; // an old one, or it was not asked
    }
    if (m_pending.count(client) == 0)
    {
        return Disposition::DUPLICATE;
    }
    return m_open ? Disposition::ON_TIME : Disposition::LATE;
}

AnswerLog::Disposition
AnswerLog::Answer(LearnerId client, uint32_t requestId, const ModelVector* answer)
{
    const Disposition disposition = Classify(client, requestId);
    if (disposition == Disposition::UNEXPECTED || disposition == Disposition::DUPLICATE)
    {
        return disposition;
    }
    m_pending.erase(client);
    if (disposition == Disposition::LATE)
    {
        ++m_late;
    }
    else if (answer)
    {
        ++m_used;
        m_answers[client] = *answer;
    }
    else
    {
        ++m_unusable;
    }
    return disposition;
}

std::map<LearnerId, ModelVector>
AnswerLog::Close()
{
    auto answers = std::exchange(m_answers, {});
    Drop();
    return answers;
}

void
AnswerLog::Drop()
{
    m_open = false;
    m_used -= m_answers.size();
    m_unusable += m_answers.size();
    m_answers.clear();
}

void
AnswerLog::Count(std::map<std::string, uint64_t>& totals) const
{
    if (m_expected == 0)
    {
        return; // not a run with second phases
    }
    totals["corrections_asked"] += m_expected;
    totals["corrections_used"] += m_used;
    totals["corrections_unusable"] += m_unusable;
    totals["corrections_late"] += m_late;
    totals["corrections_lost"] += m_expected - m_used - m_unusable - m_late;
}

} // namespace ns3::dlearn
