/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_AUDIT_H
#define DLEARN_PEER_AUDIT_H

#include "dlearn-audited-loss.h"

#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-update-rule.h"
#include "ns3/type-id.h"

#include <functional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The parts under audit. An interface given as a type stands for the default of the rule, or for a
 * type that is drawn for each run.
 */
struct PeerAuditParts
{
    TypeId rule;                                          //!< the algorithm
    TypeId noise{NoiseMechanism::GetTypeId()};            //!< of all vectors
    TypeId ledger{PrivacyAccount::GetTypeId()};           //!< the account
    TypeId compressor{Compressor::GetTypeId()};           //!< of the message layer
    TypeId compensation{LossCompensation::GetTypeId()};   //!< of GradientTracking
    std::function<Ptr<UpdateRule>(Ptr<UpdateRule>)> wrap; //!< puts something around the rule
    bool faults{false}; //!< whether the run has faults, as DrawFaults() draws them
};

/**
 * @ingroup dlearn
 * Compares the accounts of peers with what their messages really revealed, in random runs: small,
 * but with all that a network does to an algorithm. Messages are lost, come late or in part, wait
 * for links that are too slow; learners crash and come back; vectors are compressed; budgets end.
 *
 * Each run is simulated with the real rules, applications and networks. A RecordedRule records all
 * calls of each rule, a RecordedNoise all releases. Then the calls are made once more to a second
 * rule of the same configuration on neighbouring data, which releases the same vectors wherever
 * they were learned; how far it is from them before the noise is the loss (AuditedLoss). Neighbours
 * differ in what the account protects. In a LinearTask they differ by as much as they may.
 *
 * A release is learned when a byte of its message left the node, or when it is needed to make the
 * bytes on the wire (ReplayWire()): what was withdrawn must not come back by way of error feedback
 * or sums.
 */
class PeerAudit
{
  public:
    explicit PeerAudit(PeerAuditParts parts)
        : m_parts(std::move(parts))
    {
    }

    /**
     * Simulate one run and check every learner, after each of its rounds and at the end of the run.
     *
     * @param run number of ns-3's run, from which everything random follows
     * @return the smallest ratio of account and truth; NaN when an account is; infinity when
     *         no message revealed anything
     */
    double Run(uint64_t run);

    /** @return whether the noise of all runs so far may be of the law and scale that it claims */
    bool IsNoisePlausible() const { return m_fit.IsPlausible(); }

    /**
     * @return releases, over all runs so far, that did not leave the node in their own round but
     *         were part of later messages; they count as revealed
     */
    uint64_t GetLeaked() const { return m_leaked; }

  private:
    PeerAuditParts m_parts;
    NoiseFit m_fit;
    uint64_t m_leaked{0};
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_AUDIT_H
