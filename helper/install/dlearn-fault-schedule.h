/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FAULT_SCHEDULE_H
#define DLEARN_FAULT_SCHEDULE_H

#include "dlearn-fault-filter.h"

#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-network.h"
#include "ns3/nstime.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/** One line of a FaultSchedule, with its words; or one event of a ChurnSchedule. @ingroup dlearn */
struct FaultEvent
{
    /** Kind of event. */
    enum class Kind
    {
        CRASH,      //!< a learner crashes
        LEAVE,      //!< a learner leaves
        RESTART,    //!< a learner restarts
        DRIFT,      //!< the clock of a learner goes wrong
        CHECKPOINT, //!< a server writes a checkpoint only every few rounds
        DOWN,       //!< nothing crosses a link
        UP,         //!< ends DOWN
        LOSS,       //!< packets are lost independently
        BURST,      //!< packets are lost in bursts
        CORRUPT,    //!< a bit of a packet's data is flipped
        DUPLICATE,  //!< a packet arrives twice
        REORDER,    //!< a packet arrives later than those sent after it
        PARTITION,  //!< nothing crosses from one group of learners to another
        HEAL        //!< ends PARTITION
    };

    Kind kind{Kind::HEAL};
    Time time;
    std::optional<LearnerId> learner; //!< absent: an event of links
    std::vector<double> values{};     //!< probabilities, parts in a million, or rounds
    Time delay{};                     //!< of REORDER
    std::optional<std::pair<LearnerId, LearnerId>> link{}; //!< sender, receiver; absent: all links
    bool bothWays{true};                                   //!< also the other direction of the link
    std::vector<std::vector<LearnerId>> groups{};          //!< of PARTITION
    std::string name{};                                    //!< the word for the kind
    std::string details{};                                 //!< the words between name and time
    std::string place{};                                   //!< file and line, for messages

    /** @return whether it acts on the packets of links */
    bool IsOfLinks() const { return !learner.has_value(); }

    /** @return whether it only ends the effect of an earlier event */
    bool IsEnd() const;
};

/**
 * @ingroup dlearn
 * @param text one event, as in a FaultSchedule
 * @param place file and line, for messages
 * @return the event
 * @throw std::invalid_argument naming place, text and rule
 */
FaultEvent ParseFaultEvent(const std::string& text, const std::string& place);

/**
 * @ingroup dlearn
 * Faults of learners, links and packets at given times, of any network.
 *
 * As text, one event a line; `#` begins a comment, and empty lines are skipped:
 *
 *     crash:LEARNER@TIME      LearnerApplication::Crash(); a server can crash, too
 *     leave:LEARNER@TIME      LearnerApplication::Leave()
 *     restart:LEARNER@TIME    LearnerApplication::Restart()
 *     drift=PPM:LEARNER@TIME  LearnerApplication::SetClockDrift(), in parts in a million
 *     checkpoint=ROUNDS:SERVER@TIME   FederatedServer::SetCheckpointInterval(): when it restarts,
 *                             the server goes back to the last checkpoint
 *     down:LINK@TIME          nothing arrives any more
 *     up:LINK@TIME            ends `down`
 *     loss=P:LINK@TIME        a packet is lost with probability P
 *     burst=LOSS_GOOD,LOSS_BAD,P_GB,P_BG:LINK@TIME   packets are lost by BurstLoss
 *     corrupt=P:LINK@TIME     a bit of the data of a packet is flipped with probability P
 *     duplicate=P:LINK@TIME   a packet arrives twice with probability P
 *     reorder=P,DELAY:LINK@TIME   a packet is held back for DELAY with probability P
 *     partition:0-2|3,4@TIME  nothing crosses from one group of learners to another; learners that
 *                             are not named are one more group. Replaces an earlier partition.
 *     heal@TIME               ends the partition
 *
 * TIME and DELAY are ns-3 times. LINK is `A-B` for both directions between neighbours A and B,
 * `AtoB` for the direction from A to B, `*` for all neighbours. The last of several events at the
 * same time decides. Faults of links act on IP packets when they arrive (FaultFilter).
 *
 * TCP of ns-3 does not survive many packets out of order, so `reorder` needs another transport.
 * Events without effect, among those of the schedule, are refused: an end of a fault that does not
 * hold, a fault that holds already, an event of links at the same time as another that it undoes or
 * replaces, a link between learners that are not neighbours, a partition that separates no
 * neighbours, and checkpoints of a server that does not crash and restart afterwards.
 */
class FaultSchedule
{
  public:
    /**
     * @param path a file as described above
     * @return the schedule
     * @throw std::runtime_error when the file cannot be read
     * @throw std::invalid_argument naming file, line and event that cannot be understood, or the
     *        file without an event
     */
    static FaultSchedule Read(const std::string& path);

    /**
     * @param event as described above
     * @param place file and line, for messages
     * @throw std::invalid_argument naming place and event
     */
    void Add(const std::string& event, const std::string& place = "FaultSchedule")
    {
        m_events.push_back(ParseFaultEvent(event, place));
    }

    /** @return the events by time, then in the order given */
    std::vector<FaultEvent> GetEvents() const;

    /**
     * Refuse events that cannot have an effect among these learners.
     *
     * @param graph which learners exchange messages
     * @throw std::invalid_argument naming place and event
     */
    void Check(const Graph& graph) const;

    /**
     * Check(), and schedule the events, once.
     *
     * @param graph which learners exchange messages
     * @param network of the learners, built
     * @param learners the applications, in the order of the graph
     * @param stream first random stream
     * @param origin simulated time from which the times of events count
     * @return number of streams used
     */
    int64_t Install(const Graph& graph,
                    const Network& network,
                    const std::vector<Ptr<LearnerApplication>>& learners,
                    int64_t stream,
                    Time origin = Time(0));

    /** @return numbers of packets so far that reached learners of this rank (Ranks) */
    FaultFilter::Counters GetCounters() const;

  private:
    void CheckApplications(const std::vector<Ptr<LearnerApplication>>& learners) const;
    void InstallFilters(const Graph& graph, const Network& network);
    void ScheduleLinks(const FaultEvent& event, Time time, const Graph& graph) const;

    std::vector<FaultEvent> m_events;
    std::vector<Ptr<FaultFilter>> m_filters; //!< one a learner, if links have faults
};

/**
 * @ingroup dlearn
 * Times at which learners come and go.
 *
 * As text, the events are separated by commas: `ACTION:LEARNER@TIME`, such as
 * `crash:3@2.5s,restart:3@4s`. ACTION is crash, leave or restart; TIME is an ns-3 time. Unlike in a
 * FaultSchedule, an event may be without effect.
 */
class ChurnSchedule
{
  public:
    using Action = FaultEvent::Kind; //!< CRASH, LEAVE or RESTART

    /**
     * @param text as described above; empty: no events
     * @throw std::invalid_argument naming the event that cannot be read
     */
    static ChurnSchedule Parse(const std::string& text);

    /**
     * @param trace movements of learners
     * @param learners number of learners
     * @return learners begin when their vehicles appear, and leave with them (Presence)
     */
    static ChurnSchedule Follow(const PositionTrace& trace, uint32_t learners);

    /** Add an event of a learner. */
    void Add(Time time, LearnerId learner, Action action)
    {
        m_events.push_back({action, time, learner});
    }

    /** @return the events, in the order given */
    const std::vector<FaultEvent>& GetEvents() const { return m_events; }

    /** @return time of the last event; 0 when there is none */
    Time GetEnd() const;

    /**
     * Schedule the events.
     *
     * @param learners the applications, in the order of the graph
     * @param origin simulated time from which the times of events count
     * @throw std::invalid_argument for an event of a learner that does not exist
     */
    void Install(const std::vector<Ptr<LearnerApplication>>& learners, Time origin = Time(0)) const;

  private:
    std::vector<FaultEvent> m_events;
};

} // namespace ns3::dlearn

#endif // DLEARN_FAULT_SCHEDULE_H
