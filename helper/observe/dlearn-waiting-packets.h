/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WAITING_PACKETS_H
#define DLEARN_WAITING_PACKETS_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Since when packets wait at one place. They are known by the UID of ns-3, which the segments of
 * one vector in TCP have in common, and so have fragments of IP; of those, who came first leaves
 * first.
 */
class WaitingPackets
{
  public:
    /**
     * @param uid of a packet that comes
     * @param since when it has waited, here or at another place
     */
    void Enter(uint64_t uid, Time since);

    /**
     * @param uid of a packet that leaves
     * @return since when it has waited; nothing when it was not here
     */
    std::optional<Time> Leave(uint64_t uid);

  private:
    /** A packet that waits. */
    struct Packet
    {
        uint64_t uid; //!< of ns-3
        Time since;   //!< when it came
    };

    std::vector<Packet> m_packets; //!< as they came; those before m_first have left
    size_t m_first{0};             //!< who has been here for longest
};

} // namespace ns3::dlearn

#endif // DLEARN_WAITING_PACKETS_H
