/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINK_RECORD_H
#define DLEARN_LINK_RECORD_H

#include "ns3/dlearn-types.h"
#include "ns3/node-container.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What one device has sent over its link or shared medium, and what became of it; all packets
 * count, those of protocols and of other applications, too.
 */
struct LinkRecord
{
    std::string link;       //!< p2p, csma or wifi, and the number of the channel, or lte, and that
                            //!< of the cell: "p2p-3"
    std::string from;       //!< number of the learner that has the device, or "node K"
    std::string to;         //!< likewise the other end of the link; empty: a shared medium
    uint64_t txBytes{0};    //!< sent, with all headers and retransmissions
    uint64_t queueDrops{0}; //!< dropped by the queue of the device or its queue disc
    /**
     * Packets that the other end lost. On a bus, of the devices that a frame was for, each that
     * lost it counts; on Wi-Fi, frames that were tried as often as it is allowed. Not known of LTE.
     */
    std::optional<uint64_t> loss;
    /**
     * Segments that TCP of the node sends again; on Wi-Fi transmissions that failed, and are tried
     * again. Not known of LTE.
     */
    std::optional<uint64_t> again;
    double queueMean{0};  //!< mean time of a packet in both, in milliseconds; with LTE until the
                          //!< other end has it
    double queueWorst{0}; //!< 99th percentile of it, at most 1 % too large
    double busy{0};       //!< share of the time in which the device sent

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(link, from, to, txBytes, queueDrops, loss, again, queueMean, queueWorst, busy);
    }
};

/**
 * @ingroup dlearn
 * Add what another rank (Ranks) has seen of the same device. Each figure is known on one rank only,
 * and 0 on the others: losses where packets arrive, all others where they leave.
 *
 * @param record of the device
 * @param other of the other rank
 */
void AddRecord(LinkRecord& record, const LinkRecord& other);

/**
 * @ingroup dlearn
 * Names the ends of links.
 */
class LinkEnds
{
  public:
    /** @param learners nodes of the learners, in their order */
    explicit LinkEnds(const NodeContainer& learners);

    /**
     * @param node at an end of a link
     * @return the number of the learner, or "node K"
     */
    std::string Name(const Node& node) const;

  private:
    std::map<uint32_t, LearnerId> m_learners; //!< by the number of the node: the first there
};

} // namespace ns3::dlearn

#endif // DLEARN_LINK_RECORD_H
