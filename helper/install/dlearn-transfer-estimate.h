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
 * Estimates the time of messages when all learners send at once, so that learners wait long enough:
 * on every link of the present routes, with the round trips of connection setup and slow start.
 * Radios that forward packets for each other share the medium, and hidden radios collide. Headers,
 * other retransmissions and compression are left out.
 */
class TransferEstimate
{
  public:
    /** @param network built for the @p learners; must outlive this */
    TransferEstimate(const Network& network, std::vector<Ptr<LearnerApplication>> learners);

    /** Add a vector of some numbers that a learner sends to others. */
    void Add(LearnerId from, const Graph::Row& to, size_t numbers);

    /** @return when the last vector that a learner sends or receives has arrived */
    Time GetTime(LearnerId learner) const;

  private:
    /** A medium, or one direction of a link, which carries one vector at a time. Devices without a
     *  known medium and rate share one. */
    using Carrier = std::pair<const Object*, bool>;

    /** From one node to the next. */
    struct Hop
    {
        Carrier carrier;
        double seconds; //!< of one vector
    };

    /** The links between two learners. */
    struct Way
    {
        std::vector<Hop> hops; //!< in order
        double delay{0};       //!< seconds of propagation on all hops, in all round trips
    };

    static Carrier GetCarrier(const NetDevice& device, bool sends);

    Way FindWay(LearnerId from, LearnerId to, size_t numbers) const;

    const Network& m_network;
    std::vector<Ptr<LearnerApplication>> m_learners;
    std::map<Carrier, double> m_busy; //!< seconds, of each carrier
    std::vector<std::vector<std::shared_ptr<const Way>>> m_ways;
};

/**
 * @ingroup dlearn
 * @param network built for the learners
 * @param learners all of the network, in order
 * @param server one of them
 * @param clients of the server
 * @param numbers of the model
 * @return the estimate for a model to each client, and an update of each
 */
Time EstimateRound(const Network& network,
                   const std::vector<Ptr<LearnerApplication>>& learners,
                   LearnerId server,
                   const std::vector<LearnerId>& clients,
                   size_t numbers);

/**
 * @ingroup dlearn
 * The time for which repeated losses of a packet delay a message: TCP retransmits after about one
 * second at first, and doubles the time. With k losses in a row, there and back, it is (2^k - 1) s,
 * at most 30 s; more than k losses have a probability of at most 1 %.
 *
 * @param learner that sends
 * @param network built for the learners
 * @param number of the learner
 * @param others its senders and receivers
 * @return the longest of these times; 0 without known losses or retransmissions
 */
Time EstimateRecovery(const LearnerApplication& learner,
                      const Network& network,
                      LearnerId number,
                      const std::vector<LearnerId>& others);

} // namespace ns3::dlearn

#endif // DLEARN_TRANSFER_ESTIMATE_H
