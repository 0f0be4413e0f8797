/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_AUDIT_H
#define DLEARN_FEDERATED_AUDIT_H

#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-threat-model.h"
#include "ns3/dlearn-transcript.h"
#include "ns3/random-variable-stream.h"

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** Between which events of a run a round of the server ended. @ingroup dlearn */
struct ServerMark
{
    size_t events{0};     //!< number of events before
    bool released{false}; //!< whether there is a new model; else the server crashed
    Time time;            //!< when
};

/** A run of a federation, as an audit sees it. @ingroup dlearn */
struct FederatedRun
{
    RunSpec options = CafCorPreset("dlearn-audit"); //!< of the run
    NoiseScales noise;                              //!< added by each client, or by the server
    std::vector<TranscriptEvent> events;            //!< what happened
    std::vector<ServerMark> marks;                  //!< the server's, between the events
    std::map<LearnerId, Ptr<const PrivacyAccount>> accounts; //!< of each client
    std::map<LearnerId, double> samples;                     //!< of each client
};

/** Ratios of the accounts of a run to the truth. @ingroup dlearn */
struct AccountRatios
{
    double smallest{std::numeric_limits<double>::infinity()}; //!< infinity: nothing was revealed
    double largest{0}; //!< of clients with revealed data; 0: none
};

/**
 * @ingroup dlearn
 * Compares the accounts of the clients of a server with what messages and models really revealed,
 * in random runs.
 *
 * CafCor: lossy networks, slow clients, churn, repairs, budgets, all threat models. Everything that
 * an adversary sees is linear in gradients and Gaussian noise, so the true loss follows from the
 * transcript by dense algebra (MessageAudit, ReleaseAudit).
 *
 * FedAvg: lossy networks, churn, budgets, partial participation, uneven clients; against a curious
 * server also asynchronous. Updates are independent of each other but for the models that were
 * seen, so the loss is the sum over the updates that left, or over the models that were released.
 * In some runs nobody but a trusted server knows who takes part.
 */
class FederatedAudit
{
  public:
    /** Returns the true epsilon of a client's account after a run; its last argument: a client.
     */
    using Account = std::function<double(const FederatedRun&, LearnerId)>;

    /**
     * @param algorithm cafcor or fedavg
     * @param faults whether runs have faults, as DrawFaults() draws them, and servers that go back
     *        to a checkpoint
     * @param account replaces the clients' accounts; empty to use them
     */
    explicit FederatedAudit(std::string algorithm, bool faults = false, Account account = {});

    /**
     * Simulate one run and look at every honest client.
     *
     * @param run number of ns-3's run, from which everything random follows
     * @return the ratios of account and truth
     */
    AccountRatios Run(uint64_t run) const;

    /**
     * @param run a run
     * @param client an honest one
     * @return the rate of all that was revealed about it
     */
    static double GetTrueRate(const FederatedRun& run, LearnerId client);

  private:
    std::string m_algorithm; //!< cafcor or fedavg
    bool m_faults;           //!< whether runs have faults
    Account m_account;       //!< returns the true epsilon
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_AUDIT_H
