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
 * Where the learners of a radio network stand, how they move, and who receives whom.
 */

namespace ns3::dlearn
{

/** Power with which the radios of this module's wifi networks send, in dBm. */
constexpr double WIFI_POWER_DBM = 23;

/** Power from which on those radios detect a preamble, in dBm. */
constexpr double WIFI_THRESHOLD_DBM = -82;

/**
 * @ingroup dlearn
 * @return ns-3's mobility models that can be kept inside a square: random-waypoint, gauss-markov,
 *         random-walk, ...
 */
const ComponentFamily& GetMobilityFamily();

/**
 * @ingroup dlearn
 * How the learners of a radio network move: not at all, by a mobility model of ns-3, each with
 * its own random variables, or as a file says.
 *
 * A mobility model has the square of the network as its bounds. The rest are attributes of ns-3,
 * some with defaults of dlearn: the speed is that of the network, a pause of random-waypoint is one
 * second long, and gauss-markov has an Alpha of 0.85 and stays on the ground.
 */
class LearnerMobility
{
  public:
    /**
     * @param text none; one of GetMobilityFamily(), with attributes: "gauss-markov,alpha=0.5";
     *        csv:FILE (ReadPositionTable()); ns2:FILE (ReadNs2Movements()); these two also with
     *        ",offset=N" at the end (PositionTrace::Shift()). The option without a value is true,
     *        which means random-waypoint; false means none.
     * @throw std::invalid_argument naming the option mobility and what it takes, or what is wrong
     *        in a file
     * @throw std::runtime_error naming a file that cannot be read
     */
    static LearnerMobility Parse(const std::string& text);

    /** @return whether a model or a file was chosen */
    bool IsOn() const { return !m_model.empty() || m_trace; }

    /** @return whether learners move; a file may also say where they stand */
    bool IsMoving() const { return !m_model.empty() || (m_trace && m_trace->IsMoving()); }

    /** @return whether it is a mobility model of ns-3 */
    bool HasModel() const { return !m_model.empty(); }

    /** @return the file that says where learners are; null without one */
    const PositionTrace* GetTrace() const { return m_trace.get(); }

    /**
     * @param id a learner; of a trace, one that it has
     * @param side of the square in metres
     * @param speed metres a second, of models that are not told another
     * @param origin simulated time from which the times of a trace count
     * @return a new model, without a position unless there is a trace
     */
    Ptr<MobilityModel> CreateModel(LearnerId id, double side, double speed, Time origin) const;

  private:
    std::string m_model; //!< description of a model of ns-3, or empty
    std::shared_ptr<const PositionTrace> m_trace;
};

/**
 * @ingroup dlearn
 * Where the learners of a radio network are.
 */
struct PlacementOptions
{
    double side{60};          //!< side in metres of the square of positions
    LearnerMobility mobility; //!< how learners move inside the square
    double speed{1.5};        //!< metres a second, of models that are not told another
    /** Whether times of files of mobility count from Network::GetReadyTime() on, else from 0. */
    bool timesFromReady{false};
    /** Start of each learner, in metres, inside [0, side]^2; empty: drawn uniformly. */
    std::vector<std::pair<double, double>> positions;
    /**
     * Random stream of the drawn positions. They are needed while the network is built, before
     * AssignStreams() can be called. Therefore they have a separate number, far from the small ones
     * that programs pass to AssignStreams().
     */
    int64_t positionStream{1 << 30};
};

/**
 * Refuse positions that are not one for each learner and inside the square, and a mobility that
 * does not keep learners there.
 *
 * @param network name of the network, for the message
 * @param options with positions, or none
 * @param learners number of learners
 * @param fixed a learner that needs no place in a trace
 * @throw std::invalid_argument naming the learner and the position, or the side
 */
void CheckPositions(const std::string& network,
                    const PlacementOptions& options,
                    uint32_t learners,
                    std::optional<LearnerId> fixed);

/**
 * @param options that passed CheckPositions()
 * @param learners number of learners
 * @param fixed a learner that stands in the centre of the square when positions are drawn
 * @return start of each learner in metres
 */
std::vector<std::pair<double, double>> PlaceLearners(const PlacementOptions& options,
                                                     uint32_t learners,
                                                     std::optional<LearnerId> fixed);

/**
 * Give each learner's node a mobility model.
 *
 * @param network name of the network, for the message
 * @param nodes of the learners, without mobility model
 * @param positions start of each
 * @param options with the mobility
 * @param fixed a learner that does not move unless a trace says so
 * @param ready when learners start: from then on the times of a trace count, if the options say so
 * @throw std::invalid_argument for a model that would not move, would leave the range of ns-3's
 *        times, or would need an event at every instant, naming the attribute and its range
 */
void InstallMobility(const std::string& network,
                     const NodeContainer& nodes,
                     const std::vector<std::pair<double, double>>& positions,
                     const PlacementOptions& options,
                     std::optional<LearnerId> fixed,
                     Time ready);

/** Parts of equal size of a square. */
struct Grid
{
    uint32_t columns; //!< parts side by side
    uint32_t rows;    //!< parts above each other
};

/**
 * @param count of what is put on the grid, at least 1
 * @return as many columns as rows, or one more; parts of the last row may be empty
 */
Grid ChooseGrid(uint32_t count);

/**
 * Put base stations or access points that are no learners on a grid in a square, each in the middle
 * of its part of the square; a single one in the centre.
 */
void PlaceOnGrid(const NodeContainer& nodes, double side);

/**
 * @ingroup dlearn
 * Powers with which learners send, as a user of a program writes them.
 *
 * @param text a power in dBm for all, such as 23, or a range from which each learner's is drawn
 *        uniformly, such as 10:23
 * @param learners how many
 * @param stream random stream of the drawing (1 used)
 * @return one power per learner, in dBm
 * @throw std::invalid_argument naming the text and the rule
 */
std::vector<double> DrawPowers(const std::string& text, uint32_t learners, int64_t stream);

/**
 * @ingroup dlearn
 * Compute which learners can receive which others: an edge of weight 1 goes from j to i when what j
 * sends arrives at i with the threshold or more. Radios that send with different powers make it a
 * directed graph.
 *
 * This is the graph of one sender at a time, at the current positions. Interference, noise and the
 * acknowledgements of one-way links depend on the network. A random path loss is drawn once for
 * each ordered pair, receiver by receiver and sender by sender; the caller assigns its streams.
 *
 * @param places where each learner is, at least one
 * @param powers with which each learner sends, in dBm
 * @param pathLoss the model, with all that are chained to it; by default that of this module's
 *        radios with the defaults of ns-3, 46.6777 dB at one metre and exponent 3
 * @param threshold least power with which a message can be received, in dBm
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
 * As RadioGraph() above, for learners that stand still on the ground, at positions in metres.
 */
Graph RadioGraph(
    const std::vector<std::pair<double, double>>& positions,
    const std::vector<double>& powers,
    Ptr<PropagationLossModel> pathLoss = CreateObject<LogDistancePropagationLossModel>(),
    double threshold = WIFI_THRESHOLD_DBM);

} // namespace ns3::dlearn

#endif // DLEARN_PLACEMENT_H
