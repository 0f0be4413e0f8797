/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_MOBILITY_H
#define DLEARN_LEARNER_MOBILITY_H

#include "dlearn-position-trace.h"

#include "ns3/dlearn-component.h"

#include <memory>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @return ns-3's mobility models that can be kept inside a square: random-waypoint, gauss-markov,
 *         random-walk, ...
 */
const ComponentFamily& GetMobilityFamily();

/**
 * @ingroup dlearn
 * How the learners of a radio network move: not at all, by a mobility model of ns-3, each with
 * random variables of its own, or as a file says.
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
     *        ",offset=N" at the end (PositionTrace::Shift()). In results files of earlier
     *        versions, true means random-waypoint and false means none.
     * @return the mobility
     * @throw std::invalid_argument naming the option mobility and what it takes, or what is wrong
     *        in a file
     * @throw std::runtime_error naming a file that cannot be read
     */
    static LearnerMobility Parse(const std::string& text);

    /** @return whether a model or a file was chosen */
    bool IsOn() const { return !m_model.empty() || m_trace; }

    /** @return whether learners move; a file may also say where they stand */
    bool IsMoving() const { return !m_model.empty() || (m_trace && m_trace->IsMoving()); }

    /** @return the file that says where learners are; null without one */
    const PositionTrace* GetTrace() const { return m_trace.get(); }

    /**
     * Refuse a square that is too large for a model: nobody would arrive within the range of
     * ns-3's times. CheckMobilityModel() looks at the model itself, once it exists.
     *
     * @param network name of the network, for the message
     * @param side of the square, in metres; that of a trace has
     *        no limit
     * @throw std::invalid_argument naming the value and its range
     */
    void CheckFits(const std::string& network, double side) const;

    /**
     * @param id a learner; of a trace, one that it has
     * @param side of the square in metres
     * @param speed metres a second, of models that are not told another
     * @param origin simulated time from which the times of a trace count
     * @return a new model, without a position unless there is a trace
     */
    Ptr<MobilityModel> CreateModel(LearnerId id, double side, double speed, Time origin) const;

  private:
    std::string m_model;                          //!< description of a model of ns-3, or empty
    std::shared_ptr<const PositionTrace> m_trace; //!< of a file, or null
};

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_MOBILITY_H
