/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_PHASES_H
#define DLEARN_ROUND_PHASES_H

#include "dlearn-run-results.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ns3::dlearn
{

/** The activity of a node since time 0: at each time the first phase that applies. @ingroup dlearn
 */
class NodeActivity
{
  public:
    /** Phases, in this order. */
    enum Phase
    {
        COMPUTING,     //!< the learner computes
        SENDING,       //!< a device sends a frame for the first time
        SENDING_AGAIN, //!< a device retransmits a frame or a TCP segment
        QUEUEING,      //!< packets wait in a device, or for the medium
        WAITING        //!< no other phase
    };

    using Times = std::array<Time, 5>; //!< by phase

    /** @param count packets that begin to wait; negative: packets that stop waiting */
    void AddWaiting(int count);

    /** @param again whether the frame that a device begins to send is a retransmission */
    void BeginSending(bool again);

    /** @param again as of BeginSending() */
    void EndSending(bool again);

    /** A device sends for a time from now on. @param again as of BeginSending() */
    void Send(Time duration, bool again);

    /** @param duration for which the learner computes from now on; 0 ends computing */
    void Compute(Time duration);

    /** @return the times until now */
    const Times& GetTimes();

  private:
    Phase GetPhase() const;
    void Update();

    Times m_times;                           //!< until m_last
    Time m_last;                             //!< of the last change
    Time m_computing;                        //!< end
    std::array<Time, 2> m_radio;             //!< end of Send(); again or not
    std::array<uint32_t, 2> m_sending{0, 0}; //!< devices; again or not
    int64_t m_waiting{0};                    //!< packets
};

/** Measures the phases between the ends of two rounds, for the learners of a run. The watches of
 *  its devices (LinkStatistics) report the activity of a node; packets that it forwards for
 *  others count, too. @ingroup dlearn */
class RunPhases
{
  public:
    /** @param learners of the run, on their nodes; must outlive this object */
    explicit RunPhases(const std::vector<Ptr<LearnerApplication>>& learners);
    ~RunPhases();

    /** @return the activity of a node with one learner; null for any other node */
    NodeActivity* WatchDevice(const Node& node);

    /** @param rows get the phases of their rounds, where these are known on this rank */
    void Complete(std::vector<ResultRow>& rows) const;

  private:
    class Meter;

    std::vector<std::unique_ptr<Meter>> m_meters; //!< by learner
    std::map<uint32_t, Meter*> m_byNode;          //!< null: several learners share the node
};

/**
 * @ingroup dlearn
 * Find the row of each reading that a meter took when a round closed.
 *
 * @param meters by learner; their readings have the number of their round, and are in order
 * @param rows those of each learner in the order of its rounds
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
