/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RANK_PROGRESS_H
#define DLEARN_RANK_PROGRESS_H

#include "dlearn-run-results.h"

#include "ns3/dlearn-life-cycle.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a Monitor of one rank (Ranks) tells the others.
 */
struct RankProgress
{
    Time changed;        //!< when a learner last changed its state
    uint64_t closed{0};  //!< rounds that are evaluated or count for progress
    uint64_t rxBytes{0}; //!< received by learners
    SpentEpsilon spent;  //!< by the clients so far
    std::map<LearnerId, LearnerEvent::Kind> down; //!< why learners have ended
    bool closedAll{false}; //!< whether a learner has closed all of its rounds
    bool deserted{false};  //!< see RunWatch::IsDeserted()

    /** @param other what another rank has to tell */
    void Add(const RankProgress& other);

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(changed, closed, rxBytes, spent, down, closedAll, deserted);
    }
};

} // namespace ns3::dlearn

#endif // DLEARN_RANK_PROGRESS_H
