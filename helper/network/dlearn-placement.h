/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PLACEMENT_H
#define DLEARN_PLACEMENT_H

#include "dlearn-position-trace.h"

#include "ns3/dlearn-component.h"
#include "ns3/dlearn-graph.h"
#include "ns3/node-container.h"
#include "ns3/propagation-loss-model.h"

#include <memory>

/**
 * @file
 * Positions and mobility of the learners of a radio network, and the graph of the pairs that
 * receive each other.
 */

namespace ns3::dlearn
{

/** Transmission power of the radios of this module's Wi-Fi networks, in dBm. */
constexpr double WIFI_POWER_DBM = 23;

/** Least received power at which these radios detect a preamble, in dBm. */
constexpr double WIFI_THRESHOLD_DBM = -82;

/**
 * @ingroup dlearn
 * @return ns-3's mobility models that can be confined to a square: random-waypoint, gauss-markov,
 *         random-walk, ...
 */
const ComponentFamily& GetMobilityFamily();

struct PlacementOptions;

/**
 * @ingroup dlearn
 * Mobility of the learners of a radio network: none, a mobility model of ns-3, a separate one for
 * each learner, or the movements in a file.
 *
 * The bounds of a mobility model are the square of the network. Its other attributes are those of
 * ns-3, some with defaults of dlearn: the speed is that of the network, random-waypoint pauses for
 * one second, and gauss-markov has an Alpha of 0.85 and stays on the ground.
 */
class LearnerMobility
{
  public:
    /**
     * @param text none; one of GetMobilityFamily(), with attributes: "gauss-markov,alpha=0.5";
     *        csv:FILE (ReadPositionTable()); ns2:FILE (ReadNs2Movements()); fcd:FILE
     *        (ReadFloatingCarData()). A file may be followed by ",offset=N"
     *        (PositionTrace::Shift()), and by "+" and another file (PositionTrace::Join()). true,
     *        the value of the option without a value, means random-waypoint; false means none.
     * @throw std::invalid_argument naming the option mobility and its possible values, or the error
     *        in a file
     * @throw std::runtime_error naming a file that cannot be read
     */
    static LearnerMobility Parse(const std::string& text);

    bool IsOn() const { return !m_model.empty() || m_trace; }

    /** @return whether learners move; a file may also contain fixed positions */
    bool IsMoving() const { return !m_model.empty() || (m_trace && m_trace->IsMoving()); }

    /** @return whether learners move by a mobility model of ns-3 */
    bool HasModel() const { return !m_model.empty(); }

    /** @return the positions from a file; null without a file */
    const PositionTrace* GetTrace() const { return m_trace.get(); }

    /**
     * @param id a learner, which must be in the trace if there is one
     * @param square the square, the height of learners, and the default speed of models
     * @param origin simulated time of time 0 of a trace
     * @return a new model; it has a position only with a trace
     */
    Ptr<MobilityModel> CreateModel(LearnerId id, const PlacementOptions& square, Time origin) const;

  private:
    std::string m_model; //!< description of a model of ns-3, or empty
    std::shared_ptr<const PositionTrace> m_trace;
};

/**
 * @ingroup dlearn
 * Positions and mobility of the learners of a radio network.
 */
struct PlacementOptions
{
    double side{60}; //!< side in metres of the square of positions
    LearnerMobility mobility;
    double speed{1.5}; //!< default speed of models, in metres per second
    /** Whether the times in mobility files count from Network::GetReadyTime(), otherwise from 0. */
    bool timesFromReady{false};
    /** Initial position of each learner, in metres, in [0, side]^2; empty: drawn uniformly. */
    std::vector<std::pair<double, double>> positions;
    /**
     * Random stream of the drawn positions, which are drawn in Build(), before AssignStreams() can
     * be called. The number is far from the small ones that programs pass to AssignStreams().
     */
    int64_t positionStream{1 << 30};
    /** Of learners above the ground, in metres; files of mobility with heights count from it. */
    double height{0};
};

/**
 * Require one position per learner, inside the square, and a mobility that keeps learners there.
 *
 * @param network name of the network, for messages
 * @param options options, with or without positions
 * @param learners number of learners
 * @param fixed a learner that may be missing in a trace
 * @throw std::invalid_argument naming the learner and the position, or the side
 */
void CheckPositions(const std::string& network,
                    const PlacementOptions& options,
                    uint32_t learners,
                    std::optional<LearnerId> fixed);

/**
 * @param options options that passed CheckPositions()
 * @param learners number of learners
 * @param fixed a learner that is in the centre of the square when positions are drawn
 * @return initial position of each learner in metres
 */
std::vector<std::pair<double, double>> PlaceLearners(const PlacementOptions& options,
                                                     uint32_t learners,
                                                     std::optional<LearnerId> fixed);

/**
 * Give each learner's node a mobility model.
 *
 * @param network name of the network, for the message
 * @param nodes nodes of the learners, without mobility models
 * @param positions initial positions
 * @param options mobility and square
 * @param fixed a learner that moves only if it is in a trace
 * @param ready when learners start, see PlacementOptions::timesFromReady
 * @throw std::invalid_argument for a model that would not move, would exceed the range of ns-3's
 *        times, or would schedule events without end at one time, naming the attribute and its
 *        range
 */
void InstallMobility(const std::string& network,
                     const NodeContainer& nodes,
                     const std::vector<std::pair<double, double>>& positions,
                     const PlacementOptions& options,
                     std::optional<LearnerId> fixed,
                     Time ready);

/** Division of a square into equal parts. */
struct Grid
{
    uint32_t columns; //!< parts in a row
    uint32_t rows;    //!< parts in a column
};

/**
 * @param count number of nodes on the grid, at least 1
 * @return a grid with as many columns as rows, or one more; parts of the last row may be empty
 */
Grid ChooseGrid(uint32_t count);

/** Place base stations or access points on a grid in a square, each in the centre of its part, at
 *  a height in metres. */
void PlaceOnGrid(const NodeContainer& nodes, double side, double height = 0);

/**
 * @ingroup dlearn
 * Parse the transmission powers of learners, and draw random ones.
 *
 * @param text a power in dBm for all, such as 23, or a range, such as 10:23, from which each
 *        learner's power is drawn uniformly
 * @param learners number of learners
 * @param stream random stream of the powers (one is used)
 * @return one power per learner, in dBm
 * @throw std::invalid_argument naming the text and the rule
 */
std::vector<double> DrawPowers(const std::string& text, uint32_t learners, int64_t stream);

/**
 * @ingroup dlearn
 * Compute which learners can receive which others: there is an edge of weight 1 from j to i if i
 * receives j's signal with at least the threshold. With different transmission powers the graph is
 * directed.
 *
 * The graph holds for one sender at a time, at the current positions. It does not consider
 * interference, noise, or acknowledgements on one-way links. A random path loss is drawn once for
 * each ordered pair, for each receiver all senders in turn; the caller assigns its streams.
 *
 * @param places position of each learner, at least one
 * @param powers transmission power of each learner, in dBm
 * @param pathLoss the model and those chained to it; by default that of this module's radios with
 *        the defaults of ns-3, 46.6777 dB at one metre and exponent 3
 * @param threshold least power at which a message can be received, in dBm
 * @return the graph, connected or not, with Graph::positions x and y in metres
 * @throw std::invalid_argument when the numbers of places and powers differ
 */
Graph RadioGraph(
    const std::vector<Ptr<MobilityModel>>& places,
    const std::vector<double>& powers,
    Ptr<PropagationLossModel> pathLoss = CreateObject<LogDistancePropagationLossModel>(),
    double threshold = WIFI_THRESHOLD_DBM);

/**
 * @ingroup dlearn
 * As RadioGraph() above, for learners on the ground, at fixed positions in metres.
 */
Graph RadioGraph(
    const std::vector<std::pair<double, double>>& positions,
    const std::vector<double>& powers,
    Ptr<PropagationLossModel> pathLoss = CreateObject<LogDistancePropagationLossModel>(),
    double threshold = WIFI_THRESHOLD_DBM);

} // namespace ns3::dlearn

#endif // DLEARN_PLACEMENT_H
