/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_TABLE_H
#define DLEARN_RUN_TABLE_H

#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-page.h"
#include "ns3/dlearn-peer-application.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What is known of a run before it begins: the size of its messages, how many of them will arrive
 * whole, and how long learners train. Where that cannot work, it warns.
 */
class RunForecast
{
  public:
    /** Below this probability that a message arrives whole, there is a warning. */
    static constexpr double LEAST_WHOLE = 0.5;

    /**
     * @param learners all applications of the run, set up, in the order of their numbers
     * @param network between them, built
     */
    RunForecast(const std::vector<Ptr<LearnerApplication>>& learners, const Network& network);

    /** @param title gets parameters, bytes and packets of a message, and the time of a training */
    void Describe(std::ostream& title) const;

    /**
     * @return what the network warns of, messages that will hardly ever arrive whole, and waiting
     * times that are shorter than what is waited for, each with the option to change
     */
    std::vector<std::string> FindWarnings() const;

  private:
    /** Messages of one kind. */
    struct Kind
    {
        std::string name;                  //!< what they are
        MessageExchange::MessageSize size; //!< of one, the largest
        double loss{0};                    //!< of a packet, the largest
        double whole{1};                   //!< smallest probability that one arrives whole
        bool partial{false};               //!< whether parts are used

        void AddWay(const Transport& transport, uint64_t packets, double packetLoss);
    };

    void AddPeer(PeerApplication& peer, const Network& network);

    void AddFederation(FederatedServer& server,
                       const std::vector<Ptr<LearnerApplication>>& learners,
                       const Network& network);

    void AddServerWarnings(std::vector<std::string>& warnings) const;

    void AddPeerWarnings(std::vector<std::string>& warnings) const;

    std::string m_tcpObstacle;            //!< see HostTcpSocketFactory::FindObstacle()
    std::vector<std::string> m_ofNetwork; //!< what the network warns of
    size_t m_parameters{0};               //!< of the model
    std::vector<Kind> m_kinds;            //!< of peers one, of a federation models and updates
    std::vector<Time> m_trainings;        //!< of the learners that train, as far as known; sorted
    Ptr<FederatedServer> m_server;        //!< null for peers
    std::vector<Ptr<PeerApplication>> m_peers; //!< empty for a federation
};

/**
 * @ingroup dlearn
 * @param table gets the line of titles above those of PrintRound()
 */
void PrintRoundTitles(std::ostream& table);

/**
 * @ingroup dlearn
 * @param table gets one line; a value that does not apply is a dash
 * @param summary of an evaluated round
 */
void PrintRound(std::ostream& table, const RoundSummary& summary);

/**
 * @ingroup dlearn
 * Print what the learners of a run have spent, and which battery has the least left.
 *
 * @param table gets an empty line and one line; nothing where energy was not measured
 * @param results of a run
 */
void PrintEnergy(std::ostream& table, const RunResults& results);

/**
 * @ingroup dlearn
 * Print how many events of each kind the run had; nothing without any.
 *
 * @param table gets a line
 * @param results of a run
 */
void PrintEvents(std::ostream& table, const RunResults& results);

/**
 * @ingroup dlearn
 * Print what several runs came to: the last evaluated round of each. The name of a run that is not
 * complete is followed by how it ended.
 *
 * @param table gets an empty line, a line of titles, and one line for each run
 * @param runs what is compared
 */
void PrintComparison(std::ostream& table, const std::vector<NamedRun>& runs);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_TABLE_H
