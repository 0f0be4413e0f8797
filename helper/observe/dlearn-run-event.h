/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_EVENT_H
#define DLEARN_RUN_EVENT_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One row of events.csv: something out of the ordinary, of a learner or of the whole run. The
 * names of the events of a learner are those of LearnerEvent::Kind; a RunWatch adds
 *
 *  - `isolated`: a learner has closed its first rounds without any message;
 *  - `all-down`: all learners are down;
 *  - `waiting`: nothing happens until a learner restarts;
 *  - `ended-early`: nothing can change any more, and the run ends before its last round.
 *
 * A Run adds `link-down` and `link-up`, and Attachments those of radio networks. Of the events
 * `timed-out` FoldTimeouts() leaves what they tell of learners that were down.
 */
struct RunEvent
{
    Time time;                     //!< when
    std::optional<LearnerId> node; //!< to which learner; nothing for the whole run
    std::optional<uint32_t> round; //!< newest round of the learner; nothing where there is none
    std::string event;             //!< what, one word
    std::string detail;            //!< more of it; may be empty

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(time, node, round, event, detail);
    }
};

/**
 * @ingroup dlearn
 * @param event of a timeline
 * @return whether it ends what its learner does, until that restarts
 */
bool IsEnd(const RunEvent& event);

/**
 * @ingroup dlearn
 * @param timeline events of a run, by time
 * @return the learners that were down in the end
 */
std::set<LearnerId> FindEnded(const std::vector<RunEvent>& timeline);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_EVENT_H
