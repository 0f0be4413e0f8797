/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_POSITION_RECORDER_H
#define DLEARN_POSITION_RECORDER_H

#include "ns3/dlearn-types.h"
#include "ns3/mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/vector.h"

#include <map>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Where a learner's node was.
 */
struct PositionRecord
{
    Time time;         //!< simulated
    LearnerId node{0}; //!< the learner
    Vector position;   //!< in metres
};

/**
 * @ingroup dlearn
 * Records where nodes are: at the beginning, whenever their mobility model changes course, and at
 * the end if they have moved. The models of ns-3 whose velocity is constant between two changes of
 * course, as random waypoint and random walk, are thus recorded exactly.
 */
class PositionRecorder
{
  public:
    /** @param learners their nodes, by number; those without a mobility model are left out */
    explicit PositionRecorder(const NodeContainer& learners);
    ~PositionRecorder();

    PositionRecorder(const PositionRecorder&) = delete;
    PositionRecorder& operator=(const PositionRecorder&) = delete;

    /** @return the records so far and the present, by learner and time */
    std::vector<PositionRecord> GetRecords() const;

  private:
    /** A node that has a place. */
    struct Place
    {
        Ptr<MobilityModel> model;            //!< says where it is
        std::vector<PositionRecord> records; //!< so far
    };

    /** Trace CourseChange. */
    void HandleCourse(Ptr<const MobilityModel> model);

    /** Record where a node is, in place of what was recorded at the same time. */
    static void Record(const Place& place, std::vector<PositionRecord>& records, LearnerId node);

    std::vector<Place> m_places;                     //!< by learner
    std::map<const MobilityModel*, LearnerId> m_ids; //!< whose it is
};

} // namespace ns3::dlearn

#endif // DLEARN_POSITION_RECORDER_H
