/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_AUDIT_DATA_H
#define DLEARN_PEER_AUDIT_DATA_H

#include "dlearn-peer-audit-plan.h"

#include "ns3/dlearn-sample-stream.h"
#include "ns3/dlearn-task.h"
#include "ns3/random-variable-stream.h"

#include <Eigen/Core>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What the learners of an audited run learn from, and neighbours of it.
 */
class PeerAuditData
{
  public:
    /**
     * @param plan of the run; must outlive this
     * @param random draws the labels
     */
    PeerAuditData(const PeerAuditPlan& plan, UniformRandomVariable& random);

    /** @return what is learned, with the data of all learners */
    Ptr<Task> GetTask() const { return m_task; }

    /** @return the samples of a learner */
    const SampleIndices& GetShard(LearnerId id) const { return m_shards[id]; }

    /** @return what draws the samples of a learner, from their beginning */
    Ptr<SampleStream> MakeStream(LearnerId id) const;

    /**
     * @param samples that are others, by as much as they may be
     * @return the task with neighbouring data
     */
    Ptr<Task> MakeNeighbour(const SampleIndices& samples) const;

  private:
    /**
     * @param features of all samples, one a column
     * @param labels of all samples
     * @return the task of the plan
     */
    Ptr<Task> MakeTask(const Eigen::MatrixXd& features, const Eigen::VectorXd& labels) const;

    const PeerAuditPlan& m_plan;         //!< of the run
    Ptr<Task> m_task;                    //!< with the data of all learners
    std::vector<SampleIndices> m_shards; //!< of each learner
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_AUDIT_DATA_H
