/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PENDING_RELEASE_H
#define DLEARN_PENDING_RELEASE_H

#include "ns3/ptr.h"

#include <optional>
#include <utility>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a rule releases in a round, between the consent of its ledger and the end of the round,
 * when it is known whether the release left the node:
 *
 *  1. Request(): can the ledger afford it? If not, this and all later requests are refused. If
 *     it can, the release counts as sent until it is known better.
 *  2. Settle(): the ledger books it, once.
 *
 * A rule without a ledger may release whatever it wants.
 *
 * @tparam Ledger has CanAfford(release), Announce(release) and Release(release, transmitted)
 * @tparam Event what the ledger is told of a release
 */
template <typename Ledger, typename Event>
class PendingRelease
{
  public:
    /**
     * @param ledger who pays; null for none
     * @param event the release
     * @return whether it may be sent; then it has to be settled
     */
    bool Request(const Ptr<Ledger>& ledger, const Event& event)
    {
        m_exhausted = m_exhausted || (ledger && !ledger->CanAfford(event));
        if (!m_exhausted)
        {
            m_event = event;
            if (ledger)
            {
                ledger->Announce(event);
            }
        }
        return !m_exhausted;
    }

    /**
     * @param ledger who pays; null for none
     * @param transmitted whether any of the release left the node
     * @return the release that was pending, if any
     */
    std::optional<Event> Settle(const Ptr<Ledger>& ledger, bool transmitted)
    {
        if (m_event && ledger)
        {
            ledger->Release(*m_event, transmitted);
        }
        return std::exchange(m_event, std::nullopt);
    }

    /** @return whether there is a release to be settled */
    bool IsPending() const
    {
        return m_event.has_value();
    }

    /** @return whether a request was ever refused */
    bool IsExhausted() const
    {
        return m_exhausted;
    }

  private:
    std::optional<Event> m_event; //!< sent but not yet booked
    bool m_exhausted{false};      //!< whether the budget has forbidden a release
};

} // namespace ns3::dlearn

#endif // DLEARN_PENDING_RELEASE_H
