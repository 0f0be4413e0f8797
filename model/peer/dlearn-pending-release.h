/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PENDING_RELEASE_H
#define DLEARN_PENDING_RELEASE_H

#include "ns3/ptr.h"

#include <any>
#include <functional>
#include <utility>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a rule releases in a round, between the consent of its account and the end of the round,
 * when it is known whether the release left the node:
 *
 *  1. Request(): can the account afford it? If not, this and all later requests are refused. If
 *     it can, the release counts as sent until it is known better.
 *  2. Settle(): the account records it, once.
 *
 * A rule without an account may release whatever it wants.
 */
class PendingRelease
{
  public:
    /**
     * @tparam Account has CanAfford(release), Announce(release) and Release(release, transmitted)
     * @tparam Event what the account has to know of a release
     * @param account the account that is charged; null for none
     * @param event the release
     * @return whether it may be sent; then it has to be settled
     */
    template <typename Account, typename Event>
    bool Request(const Ptr<Account>& account, const Event& event)
    {
        m_exhausted = m_exhausted || (account && !account->CanAfford(event));
        if (m_exhausted)
        {
            return false;
        }
        if (account)
        {
            account->Announce(event);
        }
        Keep(account, event);
        return true;
    }

    /**
     * @param transmitted whether any of the release left the node
     * @return whether there was one
     */
    bool Settle(bool transmitted)
    {
        const auto settle = std::exchange(m_settle, nullptr);
        m_event.reset();
        if (settle)
        {
            settle(transmitted);
        }
        return settle != nullptr;
    }

    /** @return whether there is a release to be settled */
    bool IsPending() const { return m_settle != nullptr; }

    /** @return whether a request was ever refused */
    bool IsExhausted() const { return m_exhausted; }

  private:
    /** Remember a release that the account allows. */
    template <typename Account, typename Event>
    void Keep(const Ptr<Account>& account, const Event& event)
    {
        m_event = event;
        m_settle = [account, event](bool transmitted) {
            if (account)
            {
                account->Release(event, transmitted);
            }
        };
    }

    std::any m_event;                   //!< what is to be settled; empty for nothing
    std::function<void(bool)> m_settle; //!< of what was sent and is not recorded; empty for nothing
    bool m_exhausted{false};            //!< whether the budget has forbidden a release
};

} // namespace ns3::dlearn

#endif // DLEARN_PENDING_RELEASE_H
