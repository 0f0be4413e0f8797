/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-warnings.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

namespace ns3::dlearn
{

std::string
NameLearners(const std::set<LearnerId>& learners)
{
    constexpr size_t MOST = 10; // ranges in a line
    std::string text;
    size_t ranges = 0;
    for (auto first = learners.begin(); first != learners.end();)
    {
        auto last = first;
        while (std::next(last) != learners.end() && *std::next(last) == *last + 1)
        {
            ++last;
        }
        if (++ranges > MOST)
        {
            text += ", ...";
            break;
        }
        text += (text.empty() ? "" : ", ") + std::to_string(*first);
        text += first == last ? "" : "-" + std::to_string(*last);
        first = std::next(last);
    }
    return (learners.size() == 1 ? "learner " : "learners ") + text;
}

std::string
NameTime(Time time)
{
    const double seconds = time.GetSeconds();
    std::ostringstream text;
    text.precision(4);
    if (seconds >= 1 || seconds == 0)
    {
        text << seconds << " s";
    }
    else if (seconds >= 0.001)
    {
        text << seconds * 1e3 << " ms";
    }
    else
    {
        text << seconds * 1e6 << " us";
    }
    return text.str();
}

std::string
RunWarnings::Write(const Entry& entry)
{
    const std::string who = entry.learners.empty() ? "" : NameLearners(entry.learners);
    return entry.before + who + entry.after;
}

void
RunWarnings::Tell(size_t index)
{
    Entry& entry = m_entries[index];
    entry.told = Write(entry);
    if (m_listener)
    {
        m_listener(entry.told);
    }
}

void
RunWarnings::TellAll(Entry& entry)
{
    entry.told = Write(entry);
    if (m_listener)
    {
        m_listener("by the end, " + entry.before + NameLearners(entry.learners));
    }
}

RunWarnings::~RunWarnings()
{
    for (EventId& call : m_calls)
    {
        call.Cancel();
    }
}

void
RunWarnings::Add(const std::string& warning)
{
    m_entries.push_back({"", warning, "", {}, ""});
    Tell(m_entries.size() - 1);
}

void
RunWarnings::Add(const std::string& kind,
                 LearnerId learner,
                 const std::string& before,
                 const std::string& after)
{
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& entry) {
        return entry.kind == kind;
    });
    if (found != m_entries.end())
    {
        found->learners.insert(learner); // named with all others at the end
        return;
    }
    m_entries.push_back({kind, before, after, {learner}, ""});
    m_calls.push_back(Simulator::ScheduleNow(&RunWarnings::Tell, this, m_entries.size() - 1));
}

std::vector<std::string>
RunWarnings::Finish()
{
    std::vector<std::string> warnings;
    for (size_t k = 0; k < m_entries.size(); ++k)
    {
        Entry& entry = m_entries[k];
        if (entry.told.empty())
        {
            Tell(k);
        }
        else if (Write(entry) != entry.told)
        {
            TellAll(entry);
        }
        warnings.push_back(m_entries[k].told);
    }
    return warnings;
}

void
AddWarningsOfRules(const std::vector<Ptr<LearnerApplication>>& learners, RunWarnings& warnings)
{
    std::map<std::string, std::set<LearnerId>> whose;
    std::vector<std::string> order;
    for (const auto& learner : learners)
    {
        for (const std::string& warning : learner->GetLearnerRule()->GetWarnings())
        {
            std::set<LearnerId>& who = whose[warning];
            if (who.empty())
            {
                order.push_back(warning);
            }
            who.insert(learner->GetLearnerId());
        }
    }
    for (const std::string& warning : order)
    {
        warnings.Add(NameLearners(whose[warning]) + ": " + warning);
    }
}

} // namespace ns3::dlearn
