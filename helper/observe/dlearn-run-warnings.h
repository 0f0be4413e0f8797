/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_WARNINGS_H
#define DLEARN_RUN_WARNINGS_H

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-types.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param learners numbers of learners
 * @return them in words: `learner 3`, `learners 0-4, 7`
 */
std::string NameLearners(const std::set<LearnerId>& learners);

/**
 * @ingroup dlearn
 * @param time a time
 * @return it in words, with four significant digits: `1.25 s`, `30 ms`, `417.6 us`
 */
std::string NameTime(Time time);

/**
 * @ingroup dlearn
 * The warnings of a run, given while it proceeds. When the same thing happens to many learners,
 * that is one warning. It is given when the first learner is affected, and names all learners that
 * are affected at the same simulated time. If more follow, a shorter one at the end has all names;
 * what Finish() returns has the whole text with all names.
 */
class RunWarnings
{
  public:
    /** Gets each warning when it is known, one line without its end. */
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
     * @param kind what happened: one warning for all learners; not empty
     * @param learner the learner to which it happened
     * @param before text before the names of the learners, used for the first of them
     * @param after text after them, likewise
     */
    void Add(const std::string& kind,
             LearnerId learner,
             const std::string& before,
             const std::string& after);

    /** @param origin simulated time that warnings call 0 s */
    void SetOrigin(Time origin) { m_origin = origin; }

    /** @return a simulated time as warnings name it */
    std::string NameMoment(Time time) const { return NameTime(time - m_origin); }

    /** @return all warnings, in the order of their first learners; tells all learners of those that
     * have grown */
    std::vector<std::string> Finish();

  private:
    /** A warning. */
    struct Entry
    {
        std::string kind;             //!< what happened; empty for no learner's
        std::string before;           //!< text before the learners
        std::string after;            //!< text after them
        std::set<LearnerId> learners; //!< affected learners; empty for none
        std::string told;             //!< what the listener knows

        /** @param archive saves or loads the values */
        template <typename Archive>
        void VisitState(Archive& archive)
        {
            archive(kind, before, after, learners, told);
        }
    };

    /** @return the text of a warning, with its learners */
    static std::string Write(const Entry& entry);

    /** @param index of a warning that is new, or has changed */
    void Tell(size_t index);

    /** @param entry of which the listener knows, but not all learners */
    void TellAll(Entry& entry);

    Listener m_listener;          //!< gets them; may be empty
    Time m_origin;                //!< see SetOrigin()
    std::vector<Entry> m_entries; //!< in order
    std::vector<EventId> m_calls; //!< of Tell(), to come or past
};

/**
 * @ingroup dlearn
 * Add what rules of learners warn of. Similar learners have the same warnings: each is added once,
 * with their numbers.
 *
 * @param learners with rules
 * @param warnings get them
 */
void AddWarningsOfRules(const std::vector<Ptr<LearnerApplication>>& learners,
                        RunWarnings& warnings);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_WARNINGS_H
