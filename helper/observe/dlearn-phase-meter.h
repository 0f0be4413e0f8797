/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PHASE_METER_H
#define DLEARN_PHASE_METER_H

#include "dlearn-node-activity.h"
#include "dlearn-round-phases.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-trace-connections.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Measures where the time goes from the end of one round of a learner to that of the next. What the
 * devices of its node do comes from those who watch them (LinkStatistics); packets of others that
 * the node sends count, too.
 */
class PhaseMeter
{
  public:
    /** What the meter shows when the learner closes a round. */
    struct Reading
    {
        uint32_t round{0};  //!< that is closed
        RoundPhases phases; //!< since the one before; of the first, since the round opened

        /** @param archive saves or loads the values */
        template <typename Archive>
        void VisitState(Archive& archive)
        {
            archive(round, phases);
        }
    };

    /** @param learner the only one of its node */
    explicit PhaseMeter(const Ptr<LearnerApplication>& learner);

    PhaseMeter(const PhaseMeter&) = delete;
    PhaseMeter& operator=(const PhaseMeter&) = delete;

    /** @return what the node does; who asks for it tells what its devices do */
    NodeActivity& WatchDevice();

    /** @return one for each round that the learner has closed, in order; none without devices */
    const std::vector<Reading>& GetReadings() const { return m_readings; }

  private:
    void HandleRoundBegin(LearnerId learner, uint32_t round); //!< trace RoundBegin
    void HandleCompute(Time time, double operations);         //!< trace Compute
    /** Trace StateTransition. */
    void HandleState(LearnerApplication::State left, LearnerApplication::State entered);
    void HandleRoundEnd(const RoundRecord& record); //!< trace RoundEnd

    NodeActivity m_activity;         //!< of the node
    bool m_watched{false};           //!< whether its devices are watched
    NodeActivity::Times m_before;    //!< of the activity at the last reading
    std::vector<Reading> m_readings; //!< of closed rounds
    TraceConnections m_traces;       //!< of the learner
};

} // namespace ns3::dlearn

#endif // DLEARN_PHASE_METER_H
