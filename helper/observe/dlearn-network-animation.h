/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_ANIMATION_H
#define DLEARN_NETWORK_ANIMATION_H

#include "dlearn-run-results.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/ptr.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/** Records positions of nodes: at the beginning, at each change of course, and at the end if they
 *  have moved. This is exact for models of constant velocity between two changes of course, such
 *  as random waypoint and random walk. @ingroup dlearn */
class PositionRecorder
{
  public:
    /** @param learners their nodes, by number; those without a mobility model are left out */
    explicit PositionRecorder(const NodeContainer& learners);

    /** @return the records so far and the present, by learner and time */
    std::vector<PositionRecord> GetRecords() const;

  private:
    void HandleCourse(LearnerId node, Ptr<const MobilityModel> model);

    std::vector<Ptr<MobilityModel>> m_models;           //!< by learner; null: without a place
    std::vector<std::vector<PositionRecord>> m_records; //!< by learner
    TraceConnections m_traces;
};

/**
 * @ingroup dlearn
 * A file for NetAnim, ns-3's viewer of nodes and packets, in which the nodes of learners have
 * their number, role and newest round as text, and a colour for their state:
 *
 *  - green: it computes or waits for others;
 *  - blue: it has finished;
 *  - orange: as green, for a Byzantine learner;
 *  - red: it is down, temporarily or for good.
 *
 * Nodes without a position are in a circle. The file appears when it is complete.
 */
class NetworkAnimation
{
  public:
    /**
     * Begin before the simulation does.
     *
     * @param path of the file
     * @param learners all, with their surroundings; alive until Commit()
     * @param places x and y of the learners' nodes; empty: those of their mobility models or,
     * without one, in a circle
     * @throw std::runtime_error for a file that cannot be written
     * @throw std::invalid_argument where ns-3 was built without its module netanim
     */
    NetworkAnimation(const std::string& path,
                     const std::vector<Ptr<LearnerApplication>>& learners,
                     const std::vector<std::pair<double, double>>& places);

    ~NetworkAnimation();

    NetworkAnimation(const NetworkAnimation&) = delete;
    NetworkAnimation& operator=(const NetworkAnimation&) = delete;

    /**
     * The simulation is over and its objects are still there: complete the file.
     * @throw std::runtime_error for a file that cannot be written
     */
    void Commit();

  private:
    class Writer;
    std::unique_ptr<Writer> m_writer; //!< until Commit()
};

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_ANIMATION_H
