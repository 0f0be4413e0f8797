/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_POSITION_TRACE_H
#define DLEARN_POSITION_TRACE_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/waypoint-mobility-model.h"
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
 * @param where name of the network, for the message
 * @param position position of a learner, in metres
 * @param id the learner
 * @param side side of the square in metres
 * @throw std::invalid_argument for a position outside the square
 */
void RequireInside(const std::string& where,
                   const std::pair<double, double>& position,
                   LearnerId id,
                   double side);

/** @ingroup dlearn
 *  When a vehicle is on the roads. */
struct Presence
{
    std::optional<Time> from{};  //!< it appears; unset: it is there at the beginning
    std::optional<Time> until{}; //!< it leaves; unset: it is there at the end
};

/** @ingroup dlearn
 *  Movement of a vehicle, whose Wi-Fi reaches nobody, nor anybody it, while it is not there. */
class VehicleMobility : public WaypointMobilityModel
{
  public:
    /** @param presence of the vehicle @param origin simulated time of its time 0 */
    void SetPresence(const Presence& presence, Time origin)
    {
        m_presence = presence;
        m_origin = origin;
    }

    /** @return whether the vehicle is there now */
    bool IsPresent() const
    {
        const Time now = Simulator::Now() - m_origin;
        return now >= m_presence.from.value_or(now) &&
               !(m_presence.until && now >= *m_presence.until);
    }

  private:
    Presence m_presence;
    Time m_origin;
};

/**
 * @ingroup dlearn
 * Positions of nodes at given times, as read from a file. In between, nodes move in straight lines
 * at constant speed; before the first time and after the last one they do not move. Node k is
 * learner k, unless Shift() is called; a run ignores nodes with larger numbers than its learners.
 */
class PositionTrace
{
  public:
    /**
     * @param path the file, for messages
     * @param ways waypoints of each node, with increasing times; at least one node, each with at
     *        least one waypoint
     * @param presences of nodes that are not there all the time
     */
    PositionTrace(const std::string& path,
                  std::map<uint32_t, std::vector<Waypoint>> ways,
                  std::map<uint32_t, Presence> presences = {})
        : m_path(path),
          m_ways(std::move(ways)),
          m_presences(std::move(presences))
    {
    }

    /** @param offset learner k + @p offset is node k */
    void Shift(uint32_t offset);

    /**
     * @param other more learners
     * @throw std::invalid_argument for a learner that is in both traces
     */
    void Join(const PositionTrace& other);

    /**
     * Refuse a trace in which a learner is missing or leaves the square.
     *
     * @param network name of the network, for the message
     * @param learners number of learners
     * @param side side of the square in metres
     * @param fixed a learner that may be missing
     * @throw std::invalid_argument naming the file, the learner and the position
     */
    void CheckFits(const std::string& network,
                   uint32_t learners,
                   double side,
                   std::optional<LearnerId> fixed) const;

    /** @return whether any node has more than one waypoint */
    bool IsMoving() const;

    bool Has(LearnerId id) const { return m_ways.count(id) > 0; }

    /** @return when a learner's vehicle is there, in times of the trace */
    Presence GetPresence(LearnerId id) const
    {
        const auto presence = m_presences.find(id);
        return presence == m_presences.end() ? Presence() : presence->second;
    }

    /** @return initial x and y of a learner of the trace, in metres */
    std::pair<double, double> GetStart(LearnerId id) const;

    /**
     * @param id a learner of the trace
     * @param origin simulated time of time 0 of the trace
     * @param height from which heights in the trace count, in metres
     * @return a new model with the movements of the learner
     */
    Ptr<MobilityModel> CreateModel(LearnerId id, Time origin = Time(0), double height = 0) const;

  private:
    std::string m_path;
    std::map<uint32_t, std::vector<Waypoint>> m_ways; //!< by learner; times increase
    std::map<uint32_t, Presence> m_presences;         //!< of those that come or go
};

/**
 * @ingroup dlearn
 * Read a table such as positions.csv of a run, so that a run can repeat the movements of another
 * one. The first line is `time_s,node,x_m,y_m` or `time_s,node,x_m,y_m,z_m`; without z_m learners
 * are on the ground. The times of a node increase.
 *
 * @param path the file, which may be compressed by gzip
 * @throw std::runtime_error naming a file that cannot be read
 * @throw std::invalid_argument naming file, line, value and rule
 */
PositionTrace ReadPositionTable(const std::string& path);

/**
 * @ingroup dlearn
 * Read movements in the format of ns-2, which SUMO and BonnMotion can also write:
 *
 * @code
 *   $node_(0) set X_ 10.0
 *   $node_(0) set Y_ 20.0
 *   $ns_ at 2.5 "$node_(0) setdest 30.0 20.0 1.5"
 *   $ns_ at 9.0 "$node_(0) set X_ 50.0"
 * @endcode
 *
 * Node 0 starts at (10, 20); from 2.5 s on it moves to (30, 20) at 1.5 m/s. A later setdest
 * replaces an earlier one, and a speed of 0 stops the node. At 9 s it jumps to (50, y), and stays
 * there until the next setdest. A coordinate that is only set later has that value from the start;
 * Z_ is 0 if it is never set. The lines of a node may be in any order, and may end in a semicolon.
 * Lines with ns-2's `$god_` and comments are skipped, all others are refused.
 *
 * @param path the file, which may be compressed by gzip
 * @throw std::runtime_error naming a file that cannot be read
 * @throw std::invalid_argument naming file, line, value and rule
 */
PositionTrace ReadNs2Movements(const std::string& path);

/**
 * @ingroup dlearn
 * Read the floating car data of SUMO (option --fcd-output; attributes id, x, y and, if there are
 * heights, z):
 *
 * @code
 *   <fcd-export>
 *     <timestep time="0.00">
 *       <vehicle id="north.0" x="10.0" y="20.0" speed="8.0"/>
 *     </timestep>
 *   </fcd-export>
 * @endcode
 *
 * Vehicles are nodes 0, 1, ... in the order in which they first appear in the file. Times count
 * from the first time step. A vehicle is there from its first time step to its last, at the
 * beginning if it is in the first time step of all, and until the end if it is in the last one.
 * Persons and containers are left out. The file is not kept in memory.
 *
 * @param path the file, which may be compressed by gzip
 * @throw std::runtime_error naming a file that cannot be read
 * @throw std::invalid_argument naming file, line, value and rule
 */
PositionTrace ReadFloatingCarData(const std::string& path);

} // namespace ns3::dlearn

#endif // DLEARN_POSITION_TRACE_H
