/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAIR_RECORD_H
#define DLEARN_PAIR_RECORD_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <limits>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What became of the messages from one learner to another, in whole vectors. Always
 * expected = received + late + lost.
 */
struct PairRecord
{
    LearnerId from{0};    //!< who sent them
    LearnerId to{0};      //!< receiver
    uint64_t expected{0}; //!< of which at least a byte left the sender
    uint64_t received{0}; //!< arrived whole before the receiver closed the round
    uint64_t late{0};     //!< arrived whole after that
    uint64_t lost{0};     //!< neither, by the end of the run
    Time latency;         //!< sum over those that arrived, from the first byte to the last
    bool partly{false};   //!< whether a part of a message was used

    /** @return mean latency in milliseconds; NaN when no message has arrived */
    double GetMeanLatency() const
    {
        const uint64_t arrived = received + late;
        return arrived > 0 ? latency.GetSeconds() * 1e3 / static_cast<double>(arrived)
                           : std::numeric_limits<double>::quiet_NaN();
    }
};

} // namespace ns3::dlearn

#endif // DLEARN_PAIR_RECORD_H
