/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_RECORD_H
#define DLEARN_ROUND_RECORD_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"

#include <string>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * What one closed round of one node cost and brought, counted in messages (whole vectors).
 *
 * Two laws hold for every record once the run is over:
 *
 *   expected = received + late + lost,
 *   received = used + rejected.
 */
struct RoundRecord
{
    Time closed;              //!< when the round closed
    uint32_t round{0};        //!< t
    LearnerId node{0};        //!< who
    double epsilon{0};        //!< realised, after this round
    double epsilonNominal{0}; //!< nominal, after this round
    uint32_t expected{0};     //!< messages that the algorithm awaits in a round
    uint32_t received{0};     //!< arrived before the round closed
    uint32_t used{0};         //!< handed to the update rule
    uint32_t rejected{0};     //!< arrived but not usable: not finite or of wrong length
    uint32_t late{0};         //!< arrived after the round closed
    uint32_t lost{0};         //!< never arrived
    uint64_t txBytes{0};      //!< handed to sockets in this round, dlearn headers included
    uint64_t rxBytes{0};      //!< taken from sockets in this round, dlearn headers included
    Time compute;             //!< simulated time of the gradient
    Time duration;            //!< from the opening of the round to its closing
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_ROUND_RECORD_H
