/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FRAGMENT_LOG_H
#define DLEARN_FRAGMENT_LOG_H

#include "dlearn-model-header.h"

#include "ns3/dlearn-message.h"

#include <cstdint>
#include <map>
#include <tuple>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Says when messages that the receiver does not keep are whole. It has none of their bytes, and of
 * each sender knows at most a given number of unfinished messages: when one more begins, the one of
 * the oldest round is forgotten. Headers must be valid and intact (ModelHeader).
 */
class FragmentLog
{
  public:
    /** @param limit unfinished messages known of a sender, at least 1 */
    explicit FragmentLog(uint32_t limit);

    /**
     * @param header of a fragment that came
     * @return whether its message is whole now. It is forgotten then, so that it can come again
     */
    bool Add(const ModelHeader& header);

    /** Forget everything. */
    void Clear() { m_messages.clear(); }

  private:
    /** Which message: sender, channel and round. */
    using Key = std::tuple<LearnerId, ModelChannel, uint32_t>;

    /** Bytes of a message that came: first byte and the one behind the last, in order, apart. */
    using Ranges = std::map<uint32_t, uint32_t>;

    /** Stretches of one message that are known; of one that comes in more the rest is not. */
    static constexpr size_t MOST_RANGES = 4096;

    /** Forget the oldest message of a sender that has as many as it may have. */
    void MakeRoom(LearnerId sender);

    uint32_t m_limit;                 //!< unfinished messages a sender
    std::map<Key, Ranges> m_messages; //!< ordered by sender first
};

} // namespace ns3::dlearn

#endif // DLEARN_FRAGMENT_LOG_H
