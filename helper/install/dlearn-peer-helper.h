/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_HELPER_H
#define DLEARN_PEER_HELPER_H

#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-sample-stream.h"
#include "ns3/dlearn-task.h"
#include "ns3/object-factory.h"

#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Installs one PeerApplication a learner on a Network.
 *
 * Set what is the same for all learners with SetAttribute() or Config::SetDefault(); what
 * differs is set on the rules between Create() and Connect(), for which GetRule() is there:
 *
 * @code
 *   PeerHelper helper;
 *   helper.SetAttribute("Rounds", UintegerValue(200));
 *   auto learners = helper.Install(network, graph, task, streams);
 *   helper.AssignStreams(learners, 1000);
 * @endcode
 */
class PeerHelper
{
  public:
    /** Which learners exchange the vectors of a channel: a graph for each channel of the rule. */
    using ChannelGraphs = std::map<ModelChannel, Graph>;

    PeerHelper();

    /**
     * @param name an attribute of PeerApplication
     * @param value its value
     */
    void SetAttribute(const std::string& name, const AttributeValue& value)
    {
        m_factory.Set(name, value);
    }

    /**
     * Create the applications and add them to the nodes, without neighbours yet.
     *
     * @param network built for the graph
     * @return one application a learner
     */
    std::vector<Ptr<PeerApplication>> Create(const Network& network) const;

    /**
     * Give the applications their surroundings.
     *
     * @param learners from Create()
     * @param network built for the graph
     * @param graph which learners exchange vectors
     * @param task what is learned
     * @param streams one a learner
     * @param initialModels one a learner; empty: all zero
     */
    static void Connect(const std::vector<Ptr<PeerApplication>>& learners,
                        const Network& network,
                        const Graph& graph,
                        Ptr<const Task> task,
                        const std::vector<Ptr<SampleStream>>& streams,
                        const std::vector<ModelVector>& initialModels = {});

    /**
     * Give the applications their surroundings, for rules that send states over one graph and
     * trackers over another.
     *
     * @param learners from Create()
     * @param network built for both graphs; see UniteGraphs()
     * @param states which learner sends its state to which, with the weights R_ij
     * @param trackers which learner sends its tracker to which, with the weights C_ij
     * @param task what is learned
     * @param streams one a learner
     * @param initialModels one a learner; empty: all zero
     */
    static void Connect(const std::vector<Ptr<PeerApplication>>& learners,
                        const Network& network,
                        const Graph& states,
                        const Graph& trackers,
                        Ptr<const Task> task,
                        const std::vector<Ptr<SampleStream>>& streams,
                        const std::vector<ModelVector>& initialModels = {});

    /**
     * As above, for rules of any channels and learners whose data are not those of one task.
     *
     * @param learners from Create()
     * @param network built for all graphs; see UniteGraphs()
     * @param graphs of the channels, all of one learner for each application
     * @param tasks what each learns, all of one dimension
     * @param streams one a learner
     * @param initialModels one a learner; empty: all zero
     */
    static void Connect(const std::vector<Ptr<PeerApplication>>& learners,
                        const Network& network,
                        const ChannelGraphs& graphs,
                        const std::vector<Ptr<const Task>>& tasks,
                        const std::vector<Ptr<SampleStream>>& streams,
                        const std::vector<ModelVector>& initialModels);

    /**
     * As above, with a graph of the states and one of the trackers.
     *
     * @param learners from Create()
     * @param network built for both graphs; see UniteGraphs()
     * @param states which learner sends its state to which, with the weights R_ij
     * @param trackers which learner sends its tracker to which, with the weights C_ij
     * @param tasks what each learns, all of one dimension
     * @param streams one a learner
     * @param initialModels one a learner; empty: all zero
     */
    static void Connect(const std::vector<Ptr<PeerApplication>>& learners,
                        const Network& network,
                        const Graph& states,
                        const Graph& trackers,
                        const std::vector<Ptr<const Task>>& tasks,
                        const std::vector<Ptr<SampleStream>>& streams,
                        const std::vector<ModelVector>& initialModels);

    /**
     * Create() and Connect(), for learners that are all configured in the same way.
     *
     * @param network built for the graph
     * @param graph which learners exchange vectors
     * @param task what is learned
     * @param streams one a learner
     * @return one application a learner
     */
    std::vector<Ptr<PeerApplication>> Install(const Network& network,
                                              const Graph& graph,
                                              Ptr<const Task> task,
                                              const std::vector<Ptr<SampleStream>>& streams) const;

    /**
     * One stream of samples a learner.
     *
     * @param shards what belongs to each learner
     * @param batchSize samples a round
     * @param stream first random stream number; one is used for each learner
     * @return the streams
     */
    static std::vector<Ptr<SampleStream>> CreateStreams(const std::vector<SampleIndices>& shards,
                                                        uint32_t batchSize,
                                                        int64_t stream);

    /**
     * Fix the random streams of the learners' rules and compute models.
     *
     * @param learners from Create()
     * @param stream first stream number
     * @return number of streams used
     */
    static int64_t AssignStreams(const std::vector<Ptr<PeerApplication>>& learners, int64_t stream);

  private:
    ObjectFactory m_factory; //!< makes the applications
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_HELPER_H
