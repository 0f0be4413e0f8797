/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_PHASES_H
#define DLEARN_ROUND_PHASES_H

#include <cmath>
#include <limits>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Where the time went in which a learner did not compute, in seconds, since it closed the round
 * before, or opened its first one. NaN where the devices of its node are not known.
 */
struct RoundPhases
{
    static constexpr double UNKNOWN{std::numeric_limits<double>::quiet_NaN()}; //!< not measured

    double queue{UNKNOWN}; //!< packets waited in the node, or for the medium
    double air{UNKNOWN};   //!< its devices sent
    double again{UNKNOWN}; //!< its devices sent a frame or a TCP segment again
    double wait{UNKNOWN};  //!< the rest: it waited, was down, or computed for nothing

    /** @return whether they are known */
    bool IsKnown() const { return !std::isnan(wait); }

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(queue, air, again, wait);
    }
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_PHASES_H
