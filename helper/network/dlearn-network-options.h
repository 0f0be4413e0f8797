/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_OPTIONS_H
#define DLEARN_NETWORK_OPTIONS_H

#include "dlearn-learner-mobility.h"
#include "dlearn-link-queues.h"
#include "dlearn-link-schedule.h"
#include "dlearn-wifi-radio.h"

#include "ns3/data-rate.h"
#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Properties of the link of one learner; absent ones are those of all links.
 */
struct LinkOptions
{
    std::optional<DataRate> rate; //!< of the learner's access link, both ways, more than 0
    std::optional<Time> delay;    //!< propagation delay of it, at least 0
    std::optional<double> loss;   //!< as NetworkOptions::loss, in both directions, [0, 1)
};

/**
 * @ingroup dlearn
 * What the link of one learner is like, once everything is decided.
 */
struct LinkQuality
{
    DataRate rate; //!< both ways, more than 0
    Time delay;    //!< propagation delay, at least 0
    double loss;   //!< probability that a received packet is dropped, [0, 1)
};

/**
 * @ingroup dlearn
 * What a user may ask of a network; a network refuses what it cannot give.
 */
struct NetworkOptions
{
    /**
     * Probability that a received packet is dropped, [0, 1). Wired: of every IP packet, whether
     * it carries data or a TCP acknowledgement. Radio: of every frame, beacons and
     * acknowledgements included, before the retransmissions of IEEE 802.11; so unicast loses far
     * less than this and takes longer, while a broadcast frame, which is sent once, is lost at
     * exactly this rate.
     */
    double loss{0};
    Time delay{MilliSeconds(1)}; //!< propagation delay of a wired link, at least 0
    DataRate rate{"100Mbps"};    //!< rate of a wired link or bus, more than 0
    double side{60};             //!< radio: side in metres of the square of positions
    LearnerMobility mobility;    //!< radio: how learners move inside the square
    double speed{1.5};           //!< radio: metres a second, of models that are not told another
    /** Whether times of files of mobility count from GetReadyTime() on, else from the start. */
    bool timesFromReady{false};
    /** Radio: start of each learner, in metres, inside [0, side]^2; empty: drawn uniformly. */
    std::vector<std::pair<double, double>> positions;
    /**
     * Radio: random stream of the drawn positions. They are needed while the network is built,
     * before AssignStreams() can be called. Therefore they have a separate number, far from the
     * small ones that programs pass to AssignStreams().
     */
    int64_t positionStream{1 << 30};
    /**
     * The learner that exchanges messages with all others, if there is one: the graph is a star
     * with this learner in its centre, and a network with a special place for it (the access point,
     * the root of a tree, the remote host) puts it there.
     */
    std::optional<LearnerId> server;
    /**
     * Properties of each learner's link; empty when all are the same. Only one end of a link can
     * define them: in `ideal` and `p2p` this needs a server, which has no entry itself, because the
     * links are those of its clients. Shared media have only a loss, that of what the learner
     * receives; `ideal` has only a loss, too.
     */
    std::vector<LinkOptions> links;
    /** Losses of one direction, links that go down and up; of `ideal`, `p2p` and `trace` only. */
    LinkSchedule schedule;
    DataRate trunkRate{"1Gbps"}; //!< between the routers of a routed network, more than 0
    /**
     * Largest IP packet in bytes; absent: the default of the network. Ethernet's jumbo frames have
     * 9000. The fewer packets a model needs, the faster it is simulated.
     */
    std::optional<uint32_t> mtu;
    /** Whether learners use TCP that recovers from losses as hosts do, and not that of ns-3. */
    bool hostTcp{true};
    LinkQueues queues; //!< of devices and interfaces; not of ideal
    WifiRadio radio;   //!< of networks of Wi-Fi
    /** Radio: whether learners, though they do not move, may leave, stop or run out of power. */
    bool learnersLeave{false};
    /** Access points of wifi-infra, 1 to 64, on a grid in the square; several share a wired bus. */
    uint32_t accessPoints{1};
    uint32_t baseStations{1}; //!< of lte, 1 to 16, on a grid in the square
    ObjectFactory routing;    //!< wifi-adhoc: a RadioRouting; no type: learners do not forward
    bool randomStart{true};   //!< trace: each client begins at a random time of the trace
    /** Whether options that have no effect on a network are left out, not refused. */
    bool ignoreUseless{false};
    /** Rank that simulates each node of GetRankGraph(), see Ranks; empty: the only one. */
    std::vector<uint32_t> rankOf;

    /**
     * @return names of the options that Network::HasEffect() knows and that have another value than
     *         their default
     */
    std::vector<std::string> ListChanged() const;
};

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_OPTIONS_H
