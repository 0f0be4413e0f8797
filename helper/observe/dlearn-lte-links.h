/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LTE_LINKS_H
#define DLEARN_LTE_LINKS_H

#include "dlearn-attachments.h"
#include "dlearn-link-record.h"

#include "ns3/node-container.h"
#include "ns3/nstime.h"

#include <memory>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Watches the radio links of LTE: those of each client with each base station that it has had a
 * bearer of, in both directions. It changes nothing in the simulation.
 *
 * What is known comes from the sublayers RLC and PDCP of ns-3: bytes of the PDUs of the RLC, with
 * their retransmissions, but without those of HARQ; packets that its buffer dropped; and how long
 * packets were under way, from the buffer to the other end. Losses are not known: the blocks that
 * ns-3's physical layer reports as wrong include those that a client never sent, as it did not hear
 * that it may.
 */
class LteLinks
{
  public:
    /**
     * @param learners nodes of the learners, in their order; those of others are watched, too
     * @param attachments is told which base station each client belongs to; must outlive this
     */
    LteLinks(const NodeContainer& learners, Attachments& attachments);
    ~LteLinks();

    LteLinks(const LteLinks&) = delete;
    LteLinks& operator=(const LteLinks&) = delete;

    /** Count from now on; see LinkStatistics::NoteBegin(). */
    void NoteBegin();

    /** Learners have finished; see LinkStatistics::NoteEnd(). */
    void NoteEnd();

    /**
     * @param end of learning; nothing for the present
     * @return records of the links, by client and cell; before Simulator::Destroy()
     */
    std::vector<LinkRecord> GetRecords(const std::optional<Time>& end) const;

  private:
    class Direction;
    class Client;

    LinkEnds m_ends;                                //!< names the ends of links
    Time m_begin;                                   //!< of counting
    std::vector<std::unique_ptr<Client>> m_clients; //!< tell of their bearers
};

} // namespace ns3::dlearn

#endif // DLEARN_LTE_LINKS_H
