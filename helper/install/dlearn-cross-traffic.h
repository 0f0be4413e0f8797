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
 * As text, the flows are separated by commas, each with a LINK `AtoB`, what the node of learner A
 * sends to that of learner B. `*` stands for all learners but the other one, `router4` for a router
 * of the network (Network::GetRouters()), and `node12` for another node, number 12 of ns-3:
 *
 *  - `constant:RATE:LINK`: UDP at a constant rate;
 *  - `onoff:RATE:LINK`: UDP at this rate while it is on; ns3::OnOffApplication, whose attributes
 *    OnTime, OffTime and PacketSize are obeyed;
 *  - `bulk:LINK`: TCP as fast as it goes; ns3::BulkSendApplication, likewise.
 *
 * So `onoff:2Mbps:*to0` lets all clients of server 0 send to it, `bulk:0to3` downloads from it, and
 * `bulk:router1torouter4` loads the links between two routers.
 *
 * RATE is that of the payload of UDP; OnOffApplication sends packets of PacketSize bytes each. It
 * begins with OffTime, so that `onoff` sends nothing in its first second unless told otherwise.
 */
class CrossTraffic
{
  public:
    /** What is sent in a flow. */
    enum class Kind
    {
        CONSTANT, //!< UDP at a constant rate
        ON_OFF,   //!< UDP at a constant rate, with pauses
        BULK      //!< TCP, as fast as it goes
    };

    /** What an end of a flow is. */
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
        EndKind kind{EndKind::ALL}; //!< what it is
        uint32_t number{0};         //!< of the learner, the router or the node; 0 for ALL
    };

    /** One or, with all learners at one end, several flows. */
    struct Flow
    {
        Kind kind{Kind::CONSTANT}; //!< what is sent
        DataRate rate;             //!< of the payload; not of BULK
        End from;                  //!< who sends
        End to;                    //!< who receives
    };

    /** What a sender and its receiver have done. */
    struct Counters
    {
        uint64_t sent{0};        //!< bytes that the application handed to its socket
        uint64_t received{0};    //!< bytes that reached the application of the receiver
        Time first{Time::Max()}; //!< when the first of them was handed over

        /** @param other likewise, of another rank or pair */
        void Add(const Counters& other);

        /** @return the values that StateArchive passes between ranks */
        auto Tie() { return std::tie(sent, received, first); }
    };

    /** UDP and TCP port of the receivers: that of the first flow, then one more for each flow. */
    static constexpr uint16_t PORT = 20000;

    /**
     * @param text as described above; empty for no flows
     * @return the traffic
     * @throw std::invalid_argument naming the flow that cannot be read
     */
    static CrossTraffic Parse(const std::string& text);

    /** @return the flows, in the order given */
    const std::vector<Flow>& GetFlows() const { return m_flows; }

    /**
     * Make the senders and receivers. Each sender starts at a random time in the first 100 ms after
     * the network is ready, so that flows of the same rate have different phases. On several ranks
     * (Ranks) each has those of its own nodes. To be called once, after Network::Build().
     *
     * @param network of the learners
     * @param stream first random stream
     * @return number of streams used
     * @throw std::invalid_argument naming a learner, router or node that there is not, two learners
     *        that the network does not join, or a node without an address or with a learner
     */
    int64_t Install(Network& network, int64_t stream);

    /** @return what each of GetPairs() has done so far, on this rank and on those of AddCounters()
     */
    std::vector<Counters> GetCounters() const;

    /** @param counters GetCounters() of another rank */
    void AddCounters(const std::vector<Counters>& counters);

    /** @return the names of senders and receivers, of all ranks, such as "from 1 to router 4" */
    const std::vector<std::string>& GetPairs() const { return m_pairs; }

  private:
    struct Place;

    static std::vector<Place> FindPlaces(const Network& network, const End& end);

    static Address FindAddress(Network& network, const Place& from, const Place& to);

    /** Add the sender of the last pair. */
    void AddSender(const Flow& flow,
                   const Ptr<Node>& node,
                   const Endpoint& endpoint,
                   Time start,
                   int64_t stream);

    /** Add the receiver of the last pair. */
    void AddReceiver(const Flow& flow, const Ptr<Node>& node, const Endpoint& endpoint);

    std::vector<Flow> m_flows;                      //!< in the order given
    std::vector<std::string> m_pairs;               //!< see GetPairs()
    std::map<size_t, Ptr<Application>> m_receivers; //!< of pairs, on this rank
    /** By pair, without what the receivers of this rank got. */
    std::shared_ptr<std::vector<Counters>> m_counters{std::make_shared<std::vector<Counters>>()};
};

} // namespace ns3::dlearn

#endif // DLEARN_CROSS_TRAFFIC_H
