/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRANSFER_ESTIMATE_H
#define DLEARN_TRANSFER_ESTIMATE_H

#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-network.h"
#include "ns3/nstime.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Estimates how long messages take when all learners send at once, so that learners wait long
 * enough for them: on every link of the routes that exist when it is made, with the round trips in
 * which connections are made and find out how much they can send at once. Where radios forward
 * packets for each other, all of them share the air, and those that do not hear each other collide.
 * It leaves out headers, other retransmissions and compression.
 */
class TransferEstimate
{
  public:
    /**
     * @param network built for the learners; must outlive this
     * @param learners of the network
     */
    TransferEstimate(const Network& network, std::vector<Ptr<LearnerApplication>> learners);

    /**
     * Add a vector that a learner sends to others.
     *
     * @param from the learner
     * @param to those that it sends to
     * @param numbers of the vector
     */
    void Add(LearnerId from, const Graph::Row& to, size_t numbers);

    /**
     * @param learner number of a learner
     * @return when the last of the vectors that it sends or receives has arrived
     */
    Time GetTime(LearnerId learner) const;

  private:
    /**
     * What carries one vector at a time: a medium, or one direction of a link; devices of which
     * neither medium nor rate is known are taken for one.
     */
    using Carrier = std::pair<const Object*, bool>;

    /** What carries a vector from one node to the next. */
    struct Hop
    {
        Carrier carrier; //!< one vector at a time
        double seconds;  //!< of one vector
    };

    /** The links between two learners. */
    struct Way
    {
        std::vector<Hop> hops; //!< in order
        double delay{
            0}; //!< of propagation on all of them, in seconds, as often as it is waited for
    };

    static Carrier GetCarrier(const NetDevice& device, bool sends);

    Way FindWay(LearnerId from, LearnerId to, size_t numbers) const;

    const Network& m_network; //!< between the learners
    std::vector<Ptr<LearnerApplication>> m_learners;
    std::map<Carrier, double> m_busy; //!< seconds, of each carrier
    std::vector<std::vector<std::shared_ptr<const Way>>> m_ways;
};

/**
 * @ingroup dlearn
 * @param network built for the learners
 * @param learners a server, learner 0, and its clients
 * @param numbers of the model
 * @return the estimate for a model to each client, and an update of each
 */
Time EstimateRound(const Network& network,
                   const std::vector<Ptr<LearnerApplication>>& learners,
                   size_t numbers);

/**
 * @ingroup dlearn
 * How long a packet that is lost again and again holds up a message of a transport that sends it
 * again: TCP does after about one second at first, and doubles the time. There and back, so many
 * losses in a row are counted that more of them have a probability of at most 1 %: with k of them
 * (2^k - 1) s, at most 30 s.
 *
 * @param learner that sends
 * @param network built for the learners
 * @param others those that it sends to and receives from
 * @return the longest of these times; 0 where nothing is lost, as far as is known, or nothing is
 *         sent again
 */
Time EstimateRecovery(const LearnerApplication& learner,
                      const Network& network,
                      const std::vector<LearnerId>& others);

} // namespace ns3::dlearn

#endif // DLEARN_TRANSFER_ESTIMATE_H
