/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_POSITION_TRACE_H
#define DLEARN_POSITION_TRACE_H

#include "ns3/dlearn-types.h"
#include "ns3/mobility-model.h"
#include "ns3/waypoint.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Where nodes are at which times, as read from a file. In between they move in straight lines at
 * constant speed; before the first time and after the last one they stand still. Nodes are
 * learners by their numbers, unless Shift() says otherwise; those beyond the learners of a run are
 * left out.
 */
class PositionTrace
{
  public:
    /**
     * @param path file that it was read from, for messages
     * @param ways of each node, with increasing times; at least one node, none without a waypoint
     */
    PositionTrace(const std::string& path, std::map<uint32_t, std::vector<Waypoint>> ways);

    /** @param offset number of the learner that node 0 is; node 1 is the next learner, and so on */
    void Shift(uint32_t offset);

    /**
     * Refuse a trace in which a learner is missing or leaves the square.
     *
     * @param network name of the network, for the message
     * @param learners number of learners
     * @param side of the square in metres
     * @param fixed a learner that may be missing
     * @throw std::invalid_argument naming the file, the learner and the position
     */
    void CheckFits(const std::string& network,
                   uint32_t learners,
                   double side,
                   std::optional<LearnerId> fixed) const;

    /** @return whether a node has more than one place */
    bool IsMoving() const;

    /** @return whether a learner is in the trace */
    bool Has(LearnerId id) const { return m_ways.count(id) > 0; }

    /** @return x and y of a learner of the trace at its first time, in metres */
    std::pair<double, double> GetStart(LearnerId id) const;

    /**
     * @param id a learner of the trace
     * @param origin simulated time from which the times of the trace count
     * @return a new model that moves as the learner
     */
    Ptr<MobilityModel> CreateModel(LearnerId id, Time origin = Time(0)) const;

  private:
    std::string m_path;                               //!< the file
    std::map<uint32_t, std::vector<Waypoint>> m_ways; //!< by learner; times increase
};

} // namespace ns3::dlearn

#endif // DLEARN_POSITION_TRACE_H
