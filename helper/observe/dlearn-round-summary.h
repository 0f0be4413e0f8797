/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_SUMMARY_H
#define DLEARN_ROUND_SUMMARY_H

#include "dlearn-run-results.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Summary of an evaluated round, complete when all learners have finished it.
 */
struct RoundSummary
{
    Time time;            //!< when the last learner closed it, see RoundEvaluations::SetOrigin()
    uint32_t round{0};    //!< t
    uint32_t learners{0}; //!< how many closed it
    Evaluation mean;      //!< mean over the learners that closed it
    double epsilon{Evaluation::NONE}; //!< largest realised epsilon, see RunResults::spent
    /** Share of the expected messages that arrived in time; NaN: none was expected. */
    double delivered{Evaluation::NONE};

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(time, round, learners, mean, epsilon, delivered);
    }
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_SUMMARY_H
