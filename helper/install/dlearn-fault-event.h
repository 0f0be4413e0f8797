/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FAULT_EVENT_H
#define DLEARN_FAULT_EVENT_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One line of a FaultSchedule, see there for its words.
 */
struct FaultEvent
{
    /** What happens. */
    enum class Kind
    {
        CRASH,      //!< a learner crashes
        LEAVE,      //!< a learner leaves
        RESTART,    //!< a learner restarts
        DRIFT,      //!< the clock of a learner goes wrong
        CHECKPOINT, //!< a server writes a checkpoint only every so many rounds
        DOWN,       //!< nothing crosses a link
        UP,         //!< ends this
        LOSS,       //!< packets are lost independently
        BURST,      //!< packets are lost in bursts
        CORRUPT,    //!< a bit of a packet's data is flipped
        DUPLICATE,  //!< a packet arrives twice
        REORDER,    //!< a packet arrives later than those sent after it
        PARTITION,  //!< nothing crosses from one group of learners to another
        HEAL        //!< ends this
    };

    Kind kind{Kind::HEAL}; //!< what
    Time time;             //!< when
    std::vector<double>
        values; //!< probabilities, parts in a million, or rounds; in the order of the words
    Time delay; //!< of REORDER
    std::optional<LearnerId> learner; //!< to which learner
    /** On which link, who sends and who receives; nothing for all links. */
    std::optional<std::pair<LearnerId, LearnerId>> link;
    bool bothWays{true};                        //!< whether the other direction is meant, too
    std::vector<std::vector<LearnerId>> groups; //!< of PARTITION
    std::string name;                           //!< the word for what happens
    std::string details;                        //!< what stands between that word and the time
    std::string place;                          //!< where it stands, for messages

    /** @return whether it acts on the packets of links */
    bool IsOfLinks() const { return !learner.has_value(); }

    /** @return whether it ends what an earlier event has begun, and does nothing else */
    bool IsEnd() const;
};

/**
 * @ingroup dlearn
 * @param text one event, as in a FaultSchedule
 * @param place where it stands, for messages
 * @return the event
 * @throw std::invalid_argument naming place, text and rule
 */
FaultEvent ParseFaultEvent(const std::string& text, const std::string& place);

} // namespace ns3::dlearn

#endif // DLEARN_FAULT_EVENT_H
