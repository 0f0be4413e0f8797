/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CAFCOR_AUDIT_H
#define DLEARN_CAFCOR_AUDIT_H

#include "ns3/dlearn-presets.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-threat-model.h"
#include "ns3/dlearn-transcript.h"
#include "ns3/random-variable-stream.h"

#include <functional>
#include <map>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Between which events of a run a round of the server ended.
 */
struct ServerMark
{
    size_t events{0};     //!< number of events before
    bool released{false}; //!< whether there is a new model; else the server crashed
};

/**
 * @ingroup dlearn
 * A run of CafCor, as an audit sees it.
 */
struct CafCorRun
{
    RunSpec options = CafCorPreset("dlearn-audit"); //!< what was run
    NoiseScales noise;                              //!< what each worker, or the server, added
    std::vector<TranscriptEvent> events;            //!< what happened
    std::vector<ServerMark> marks;                  //!< the server's, between the events
    std::map<LearnerId, Ptr<const PrivacyAccount>> accounts; //!< of each worker
};

/**
 * @ingroup dlearn
 * Compares the accounts of CafCor's workers with what messages and corrections really revealed, in
 * random runs: lossy networks, slow workers, churn, repairs, budgets, all threat models. Everything
 * that an adversary sees is linear in gradients and Gaussian noise, so the true loss follows from
 * the transcript by dense algebra (MessageAudit, ReleaseAudit).
 */
class CafCorAudit
{
  public:
    /** Says what epsilon a worker's account should show after a run; its last arguments: a worker.
     */
    using Account = std::function<double(const CafCorRun&, LearnerId)>;

    /**
     * @param account replaces the workers' accounts; empty to use them
     * @param faults whether runs have faults, as DrawFaults() draws them, and servers that go back
     *        to a checkpoint
     */
    explicit CafCorAudit(Account account = {}, bool faults = false);

    /**
     * Simulate one run and look at every honest worker.
     *
     * @param run number of ns-3's run, from which everything random follows
     * @return the smallest ratio of account and truth; infinity when no message revealed anything
     */
    double Run(uint64_t run) const;

    /**
     * @param run a run
     * @param worker an honest one
     * @return the rate of all that was revealed about it
     */
    static double GetTrueRate(const CafCorRun& run, LearnerId worker);

  private:
    Account m_account; //!< says what an account should show
    bool m_faults;     //!< whether runs have faults
};

} // namespace ns3::dlearn

#endif // DLEARN_CAFCOR_AUDIT_H
