/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CROSS_TRAFFIC_H
#define DLEARN_CROSS_TRAFFIC_H

#include "ns3/application.h"
#include "ns3/data-rate.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-network.h"
#include "ns3/node.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Traffic of others, which shares links and queues with the models.
 *
 * As text, the flows are separated by commas, each with a LINK `AtoB` from the node of learner A to
 * that of learner B. `*` stands for all learners but the other one, `router4` for a router of the
 * network (Network::GetRouters()), and `node12` for another node, number 12 of ns-3:
 *
 *  - `constant:RATE:LINK`: UDP at a constant rate;
 *  - `onoff:RATE:LINK`: UDP at this rate while it is on, by ns3::OnOffApplication with its
 *    attributes OnTime, OffTime and PacketSize;
 *  - `bulk:LINK`: TCP at full speed, by ns3::BulkSendApplication with its attributes.
 *
 * So `onoff:2Mbps:*to0` lets all clients of server 0 send to it, `bulk:0to3` downloads from it, and
 * `bulk:router1torouter4` loads the links between two routers.
 *
 * RATE is the rate of the payload of UDP, in packets of PacketSize bytes. OnOffApplication begins
 * with OffTime, by default one second.
 */
class CrossTraffic
{
  public:
    /** Kind of traffic. */
    enum class Kind
    {
        CONSTANT, //!< UDP at a constant rate
        ON_OFF,   //!< UDP at a constant rate, with pauses
        BULK      //!< TCP at full speed
    };

    /** Kind of an end of a flow. */
    enum class EndKind
    {
        ALL,     //!< all learners but the one at the other end
        LEARNER, //!< the node of a learner
        ROUTER,  //!< one of Network::GetRouters()
        NODE     //!< a node without a learner
    };

    /** An end of a flow. */
    struct End
    {
        EndKind kind{EndKind::ALL};
        uint32_t number{0}; //!< of the learner, the router or the node; 0 for ALL
    };

    /** One flow or, with all learners at one end, several flows. */
    struct Flow
    {
        Kind kind{Kind::CONSTANT};
        DataRate rate; //!< of the payload; unused by BULK
        End from;      //!< sender
        End to;        //!< receiver
    };

    /** Traffic of a sender and its receiver. */
    struct Counters
    {
        uint64_t sent{0};        //!< bytes that the application handed to its socket
        uint64_t received{0};    //!< bytes that reached the application of the receiver
        Time first{Time::Max()}; //!< when the first byte was sent

        /** @param other of another rank or pair */
        void Add(const Counters& other);

        /** @return the values that StateArchive passes between ranks */
        auto Tie() { return std::tie(sent, received, first); }
    };

    /** UDP and TCP port of the first receiver; each further one has the next port. */
    static constexpr uint16_t PORT = 20000;

    /**
     * @param text as described above; empty: no flows
     * @throw std::invalid_argument naming the flow that cannot be read
     */
    static CrossTraffic Parse(const std::string& text);

    /** @return the flows, in the order given */
    const std::vector<Flow>& GetFlows() const { return m_flows; }

    /**
     * Make the senders and receivers of this rank (Ranks), once, after Network::Build(). Each
     * sender starts at a random time in the first 100 ms after the network is ready, so that flows
     * of the same rate have different phases.
     *
     * @param network of the learners
     * @param stream first random stream
     * @return number of streams used
     * @throw std::invalid_argument naming a learner, router or node that does not exist, two
     *        learners that the network does not join, or a node without an address or with a
     * learner
     */
    int64_t Install(Network& network, int64_t stream);

    /** @return traffic so far, by pair, of this rank and those of AddCounters() */
    std::vector<Counters> GetCounters() const;

    /** @param counters GetCounters() of another rank */
    void AddCounters(const std::vector<Counters>& counters);

    /** @return the names of senders and receivers, of all ranks, such as "from 1 to router 4" */
    const std::vector<std::string>& GetPairs() const { return m_pairs; }

  private:
    struct Place;

    static std::vector<Place> FindPlaces(const Network& network, const End& end);

    static Address FindAddress(Network& network, const Place& from, const Place& to);

    /** Add sender and receiver of the last pair. */
    void AddSender(const Flow& flow,
                   const Ptr<Node>& node,
                   const Endpoint& endpoint,
                   Time start,
                   int64_t stream);
    void AddReceiver(const Flow& flow, const Ptr<Node>& node, const Endpoint& endpoint);

    std::vector<Flow> m_flows;
    std::vector<std::string> m_pairs;
    std::map<size_t, Ptr<Application>> m_receivers; //!< of pairs, on this rank
    /** By pair, without the bytes of the receivers of this rank. */
    std::shared_ptr<std::vector<Counters>> m_counters{std::make_shared<std::vector<Counters>>()};
};

} // namespace ns3::dlearn

#endif // DLEARN_CROSS_TRAFFIC_H
