/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_POSITION_RECORDER_H
#define DLEARN_POSITION_RECORDER_H

#include "dlearn-position-record.h"

#include "ns3/mobility-model.h"
#include "ns3/node-container.h"

#include <map>
#include <vector>

namespace ns3::dlearn
{

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
    /** A node, and where it was. */
    struct Place
    {
        Ptr<MobilityModel> model;            //!< says where it is; null for a node without a place
        LearnerId node{0};                   //!< the learner
        std::vector<PositionRecord> records; //!< so far

        /** Record where the node is, in place of what was recorded at the same time. */
        void Record();
    };

    /** Trace CourseChange. */
    void HandleCourse(Ptr<const MobilityModel> model);

    std::vector<Place> m_places;                     //!< by learner
    std::map<const MobilityModel*, LearnerId> m_ids; //!< whose it is
};

} // namespace ns3::dlearn

#endif // DLEARN_POSITION_RECORDER_H
