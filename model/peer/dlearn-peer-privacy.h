/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_PRIVACY_H
#define DLEARN_PEER_PRIVACY_H

#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-privacy-unit.h"
#include "ns3/dlearn-task.h"
#include "ns3/dlearn-types.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The ledger of a PeerRule and the unit of protection: what the ledger assumes of the task, and
 * which part of a round's gradient a unit is. Without a ledger nothing happens.
 */
class PeerPrivacy
{
  public:
    /** What the ledger has to know of a rule. */
    struct Facts
    {
        StateRecursion recursion{StateRecursion::OTHER}; //!< how the state depends on itself
        uint32_t historyWindow{1}; //!< newest batches that a gradient averages over; 0 for all
        double smoothness{0};      //!< Lipschitz constant L of a sample's gradient; 0 asks the task
        bool noisy{true};          //!< whether there is noise on what is released
    };

    /**
     * Call once, before anything else.
     *
     * @param name of the rule, for messages
     * @param ledger the account; null for none
     * @param unit of protection
     * @param facts of the rule
     * @param task what is learned
     * @param shard the learner's samples
     * @throw std::invalid_argument when the ledger cannot bound what such a rule costs
     */
    void Setup(const std::string& name,
               Ptr<PrivacyLedger> ledger,
               Ptr<PrivacyUnit> unit,
               const Facts& facts,
               Ptr<const Task> task,
               const SampleIndices& shard);

    /** @return the ledger; null for none */
    Ptr<PrivacyLedger> GetLedger() const { return m_ledger; }

    /** @param batch of a round that begins */
    void Take(const SampleIndices& batch);

    /**
     * @param scale of the noise on what is to be released
     * @throw std::invalid_argument for noise that begins during a run of which the ledger does not
     * know the constants
     */
    void CheckNoise(double scale) const;

    /**
     * Tell the ledger what part of the round's gradient a unit of protection is.
     *
     * @tparam Event ReleaseEvent or UpdateEvent
     * @param batch of the round
     * @param event gets batches and shares
     */
    template <typename Event>
    void TellShares(const SampleIndices& batch, Event& event) const
    {
        if (m_ledger)
        {
            event.batches = m_unit->GetParts(batch.size());
            event.shares = m_unit->GetShares();
        }
    }

  private:
    Ptr<PrivacyLedger> m_ledger; //!< the account; null for none
    Ptr<PrivacyUnit> m_unit;     //!< that it protects
    std::string m_name;          //!< of the rule
    bool m_unknown{false};       //!< whether constants are not known, as there is no noise
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_PRIVACY_H
