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
 * Attributes of all learners are set with SetAttribute() or Config::SetDefault(), those of single
 * rules between Create() and Connect(), through GetRule():
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
    /** The graph of the learners that exchange vectors, for each channel of the rule. */
    using ChannelGraphs = std::map<ModelChannel, Graph>;

    PeerHelper();

    /** Set an attribute of all applications, which Create() makes. */
    void SetAttribute(const std::string& name, const AttributeValue& value)
    {
        m_factory.Set(name, value);
    }

    /** @return one application a learner, without neighbours yet, on the nodes of a built network
     */
    std::vector<Ptr<PeerApplication>> Create(const Network& network) const;

    /**
     * Give the applications their surroundings.
     *
     * @param learners from Create()
     * @param network built for all graphs; see UniteGraphs()
     * @param graphs of the channels, with one learner for each application
     * @param tasks one a learner, all of one dimension
     * @param streams one a learner
     * @param initialModels one a learner; empty: all zero
     */
    static void Connect(const std::vector<Ptr<PeerApplication>>& learners,
                        const Network& network,
                        const ChannelGraphs& graphs,
                        const std::vector<Ptr<const Task>>& tasks,
                        const std::vector<Ptr<SampleStream>>& streams,
                        const std::vector<ModelVector>& initialModels);

    /** As above, for one task and a graph of the states, with the weights w_ij. */
    static void Connect(const std::vector<Ptr<PeerApplication>>& learners,
                        const Network& network,
                        const Graph& graph,
                        Ptr<const Task> task,
                        const std::vector<Ptr<SampleStream>>& streams,
                        const std::vector<ModelVector>& initialModels = {});

    /** As above, for rules that send states over a graph with the weights R_ij, and trackers over
     *  another graph with the weights C_ij. */
    static void Connect(const std::vector<Ptr<PeerApplication>>& learners,
                        const Network& network,
                        const Graph& states,
                        const Graph& trackers,
                        Ptr<const Task> task,
                        const std::vector<Ptr<SampleStream>>& streams,
                        const std::vector<ModelVector>& initialModels = {});

    /** Create() and Connect(), for learners with the same configuration. */
    std::vector<Ptr<PeerApplication>> Install(const Network& network,
                                              const Graph& graph,
                                              Ptr<const Task> task,
                                              const std::vector<Ptr<SampleStream>>& streams) const;

    /**
     * @param shards the samples of each learner
     * @param batchSize samples a round
     * @param stream first random stream number; one is used for each learner
     * @return one stream of samples a learner
     */
    static std::vector<Ptr<SampleStream>> CreateStreams(const std::vector<SampleIndices>& shards,
                                                        uint32_t batchSize,
                                                        int64_t stream);

    /** Fix the random streams of the learners' rules and compute models, from a number on; @return
     *  the number of streams used */
    static int64_t AssignStreams(const std::vector<Ptr<PeerApplication>>& learners, int64_t stream);

  private:
    ObjectFactory m_factory;
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_HELPER_H
