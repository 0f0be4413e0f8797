/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_WARNINGS_H
#define DLEARN_RUN_WARNINGS_H

#include "ns3/dlearn-types.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** @return numbers of learners in words: `learner 3`, `learners 0-4, 7` @ingroup dlearn */
std::string NameLearners(const std::set<LearnerId>& learners);

/** @return a time with four significant digits: `1.25 s`, `30 ms`, `417.6 us` @ingroup dlearn */
std::string NameTime(Time time);

/**
 * @ingroup dlearn
 * The warnings of a run, given during the run. The same problem of many learners is one warning. It
 * is given when the first learner is affected, and names all learners that are affected at the same
 * simulated time. If more follow, a shorter warning at the end names all; the list of Finish() has
 * the whole text with all names.
 */
class RunWarnings
{
  public:
    /** Gets each warning at once, one line without its end. */
    using Listener = std::function<void(const std::string&)>;

    RunWarnings() = default;
    ~RunWarnings();

    RunWarnings(const RunWarnings&) = delete;
    RunWarnings& operator=(const RunWarnings&) = delete;

    /** @param listener gets the warnings from now on */
    void SetListener(Listener listener) { m_listener = std::move(listener); }

    /** @param warning given at once */
    void Add(const std::string& warning);

    /**
     * @param kind name of the problem, not empty: one warning for all its learners
     * @param learner the affected learner
     * @param before text before the names of the learners; that of the first learner counts
     * @param after text after the names; that of the first learner counts
     */
    void Add(const std::string& kind,
             LearnerId learner,
             const std::string& before,
             const std::string& after);

    /** @param origin simulated time that warnings call 0 s */
    void SetOrigin(Time origin) { m_origin = origin; }

    /** @return a simulated time as warnings name it */
    std::string NameMoment(Time time) const { return NameTime(time - m_origin); }

    /** @return all warnings, in the order of their first learners; reports all learners of warnings
     *          with more learners */
    std::vector<std::string> Finish();

  private:
    struct Entry
    {
        std::string kind; //!< empty: without learners
        std::string before;
        std::string after;
        std::set<LearnerId> learners;
        std::string told; //!< text that the listener got
    };

    static std::string Write(const Entry& entry);
    void Tell(size_t index);

    Listener m_listener; //!< may be empty
    Time m_origin;       //!< see SetOrigin()
    std::vector<Entry> m_entries;
    std::vector<EventId> m_calls; //!< of Tell(), to come or past
};

/**
 * @ingroup dlearn
 * Detects during a run that a radio of Wi-Fi stalls: frames of best effort, which learners use,
 * wait, and none was acknowledged for five seconds. It warns once, with the cause and the remedy.
 * It also warns when frames are dropped because they are older than a MaxDelay of less than a
 * second.
 */
class WifiWatch
{
  public:
    /** @param warnings of the run, which outlive this; watches all existing radios */
    explicit WifiWatch(RunWarnings& warnings);
    ~WifiWatch();

    WifiWatch(const WifiWatch&) = delete;
    WifiWatch& operator=(const WifiWatch&) = delete;

  private:
    class Radio;

    RunWarnings& m_warnings;
    bool m_stalled{false}; //!< it has warned of a stall
    bool m_expired{false}; //!< it has warned of old frames
    std::vector<std::unique_ptr<Radio>> m_radios;
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_WARNINGS_H
