/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_PHASES_H
#define DLEARN_ROUND_PHASES_H

#include "dlearn-run-results.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The activity of a node since time 0: at each time one of the phases, the first that applies.
 */
class NodeActivity
{
  public:
    /** Phases, in this order. */
    enum Phase
    {
        COMPUTING,     //!< its learner computes
        SENDING,       //!< a device sends a frame for the first time
        SENDING_AGAIN, //!< a device sends a frame or a TCP segment again
        QUEUEING,      //!< packets wait in a device, or for the medium
        WAITING        //!< none of these
    };

    /** Times of the phases. */
    using Times = std::array<Time, 5>;

    /** @param count of packets that begin to wait; negative: that wait no longer */
    void AddWaiting(int count);

    /** @param again whether a device begins to send a frame again */
    void BeginSending(bool again);

    /** @param again whether the frame that a device has sent was sent again */
    void EndSending(bool again);

    /**
     * A device begins to send, and ends by itself.
     *
     * @param duration of sending
     * @param again whether it sends again
     */
    void Send(Time duration, bool again);

    /** @param duration that the learner computes from now on; 0 ends computing */
    void Compute(Time duration);

    /** @return the times until now */
    const Times& GetTimes();

  private:
    Phase GetPhase() const;
    void Update();

    Times m_times;                           //!< until m_last
    Time m_last;                             //!< of the last change
    Time m_computing;                        //!< end of computing
    std::array<Time, 2> m_radio;             //!< end of sending by Send(); again or not
    std::array<uint32_t, 2> m_sending{0, 0}; //!< devices that send; again or not
    int64_t m_waiting{0};                    //!< packets that wait
};

/**
 * @ingroup dlearn
 * Measures the phases between the ends of two rounds of a learner. The activity of the devices of
 * its node comes from their watches (LinkStatistics); packets of others that the node sends count,
 * too.
 */
class PhaseMeter
{
  public:
    /** The phases of a closed round. */
    struct Reading
    {
        uint32_t round{0};
        RoundPhases phases; //!< since the round before; of the first, since the round opened
    };

    /** @param learner the only one of its node */
    explicit PhaseMeter(const Ptr<LearnerApplication>& learner);

    PhaseMeter(const PhaseMeter&) = delete;
    PhaseMeter& operator=(const PhaseMeter&) = delete;

    /** @return the activity of the node, for the watch of one of its devices */
    NodeActivity& WatchDevice();

    /** @return one for each round that the learner has closed, in order; none without devices */
    const std::vector<Reading>& GetReadings() const { return m_readings; }

  private:
    void HandleCompute(Time time, double operations);
    void HandleState(LearnerApplication::State left, LearnerApplication::State entered);
    void HandleRoundBegin(LearnerId learner, uint32_t round);
    void HandleRoundEnd(const RoundRecord& record);

    NodeActivity m_activity;
    bool m_watched{false};        //!< whether devices are watched
    NodeActivity::Times m_before; //!< of the activity at the last reading
    std::vector<Reading> m_readings;
    TraceConnections m_traces;
};

/**
 * @ingroup dlearn
 * The phase meters of all learners of a run.
 */
class RunPhases
{
  public:
    /** @param learners of the run, on their nodes; must outlive this object */
    explicit RunPhases(const std::vector<Ptr<LearnerApplication>>& learners);

    /** @return the activity of a node with one learner; null for any other node */
    NodeActivity* WatchDevice(const Node& node);

    /** @param rows get the phases of their rounds, as far as these are known here */
    void Complete(std::vector<ResultRow>& rows) const;

  private:
    std::vector<std::unique_ptr<PhaseMeter>> m_meters; //!< by learner
    std::map<uint32_t, PhaseMeter*> m_byNode; //!< by node; null for one of several learners
};

/**
 * @ingroup dlearn
 * Find the row of each reading that a meter took when a round closed.
 *
 * @param meters by learner, with readings that have the number of their round, in order
 * @param rows of learners, of each in the order of its rounds
 * @param use called with a row and its reading
 */
template <typename Meters, typename Use>
void
MatchReadings(const Meters& meters, std::vector<ResultRow>& rows, const Use& use)
{
    std::vector<size_t> next(meters.size());
    for (ResultRow& row : rows)
    {
        if (row.record.node >= meters.size())
        {
            continue;
        }
        const auto& readings = meters[row.record.node]->GetReadings();
        size_t k = next[row.record.node];
        while (k < readings.size() && readings[k].round != row.record.round)
        {
            ++k;
        }
        if (k < readings.size())
        {
            use(row, readings[k]);
            next[row.record.node] = k + 1;
        }
    }
}

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_PHASES_H
