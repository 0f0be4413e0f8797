/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_AUDIT_PLAN_H
#define DLEARN_PEER_AUDIT_PLAN_H

#include "ns3/dlearn-churn-schedule.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-update-rule.h"
#include "ns3/random-variable-stream.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A run of peers for an audit, drawn at random: small, but with all that a network does to an
 * algorithm. Messages are lost, come late or in part, wait for links that are too slow; learners
 * crash and come back; vectors are compressed; budgets end.
 */
struct PeerAuditPlan
{
    /** @param random draws the plan */
    explicit PeerAuditPlan(UniformRandomVariable& random);

    uint32_t learners;       //!< at least 2
    Graph graph;             //!< connected, with weights
    uint32_t dimension;      //!< of a model
    uint32_t rounds;         //!< of each learner
    uint32_t batch;          //!< samples of a round
    bool tight;              //!< LinearTask, else logistic regression
    double regularization;   //!< of LinearTask
    double clip;             //!< of logistic regression; 0 for none
    double step;             //!< on gradients
    double noise;            //!< factor on the scale of the noise
    double budget;           //!< 0 for none
    bool shortHistory;       //!< whether learners' histories are short windows
    TypeId ledger;           //!< the account; PrivacyAccount for the rule's own
    TypeId unit;             //!< what is protected; PrivacyUnit for the rule's own
    TypeId mechanism;        //!< the noise; NoiseMechanism for the rule's own
    bool robust;             //!< whether the median takes the place of the weighted sum
    bool runningSums;        //!< whether trackers are sent as running sums
    std::string network;     //!< see CreateNetwork()
    NetworkOptions links;    //!< of the network
    std::string transport;   //!< UdpTransport, UdpBroadcastTransport or TcpTransport
    std::string roundPolicy; //!< a type derived from RoundPolicy, without its namespace
    double fraction;         //!< of QuorumPolicy
    Time deadline;           //!< of DeadlinePolicy, and period of AsynchronousPolicy
    bool lastReceived;       //!< whether older vectors stand in for missing ones
    bool usePartial;         //!< whether vectors that came in part are used
    uint32_t floatBits;      //!< of numbers on the wire
    std::string compress;    //!< see Compress()
    ChurnSchedule churn;     //!< who comes and goes
    Time stop;               //!< end of the simulation

    /** @return whether learners keep no step with each other */
    bool IsAsynchronous() const { return roundPolicy == "AsynchronousPolicy"; }

    /** @param rule of all learners: what it has no use for is left out */
    void Suit(const UpdateRule& rule);

    /**
     * Draw account, unit and noise anew, and whether mixing is robust: not every combination is
     * one that a rule accepts.
     *
     * @param random draws
     */
    void DrawParts(UniformRandomVariable& random);

    /** Leave account, unit, noise and mixing to the rule. */
    void DropParts();
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_AUDIT_PLAN_H
