/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WAITING_PACKETS_H
#define DLEARN_WAITING_PACKETS_H

#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
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
    /** Since when packets with the same UID wait; most often there is one. */
    struct Times
    {
        Time first;               //!< who came first
        std::vector<Time> others; //!< the others, as they came
    };

    std::optional<std::pair<uint64_t, Time>> m_alone; //!< came when no other was here
    std::unordered_map<uint64_t, Times> m_times;      //!< others by UID; never walked through
};

} // namespace ns3::dlearn

#endif // DLEARN_WAITING_PACKETS_H
