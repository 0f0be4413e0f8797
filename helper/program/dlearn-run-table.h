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
 * A forecast of a run before its simulation: the size of messages, the probability that they arrive
 * complete, and training times; with warnings if the run cannot work well.
 */
class RunForecast
{
  public:
    /** Probability of a complete arrival of a message below which there is a warning. */
    static constexpr double LEAST_WHOLE = 0.5;

    /**
     * @param learners all configured applications of the run, in the order of the learners
     * @param network built network of the learners
     */
    RunForecast(const std::vector<Ptr<LearnerApplication>>& learners, const Network& network);

    /**
     * @param title gets the number of parameters, bytes and packets of a message, and the training
     *        time
     */
    void Describe(std::ostream& title) const;

    /**
     * @return warnings of the network, and warnings of messages that hardly ever arrive complete
     *         and of timeouts that are too short, each with the option to change
     */
    std::vector<std::string> FindWarnings() const;

  private:
    /** Messages of one kind. */
    struct Kind
    {
        std::string name;
        MessageExchange::MessageSize size; //!< of the largest message
        double loss{0};                    //!< largest loss of a packet
        double whole{1};                   //!< least probability that a message arrives complete
        bool partial{false};               //!< whether incomplete messages are used

        void AddWay(const Transport& transport, uint64_t packets, double packetLoss);
    };

    void AddPeer(PeerApplication& peer, const Network& network);

    void AddFederation(FederatedServer& server,
                       const std::vector<Ptr<LearnerApplication>>& learners,
                       const Network& network);

    void AddServerWarnings(std::vector<std::string>& warnings) const;

    void AddPeerWarnings(std::vector<std::string>& warnings) const;

    std::string m_tcpObstacle;            //!< see HostTcpSocketFactory::FindObstacle()
    std::vector<std::string> m_ofNetwork; //!< warnings of the network
    size_t m_parameters{0};
    std::vector<Kind> m_kinds;                 //!< one of peers; models and updates of a federation
    std::vector<Time> m_trainings;             //!< known training times, sorted
    Ptr<FederatedServer> m_server;             //!< null for peers
    std::vector<Ptr<PeerApplication>> m_peers; //!< empty for a federation
};

/**
 * @ingroup dlearn
 * @param table gets the line of titles for PrintRound()
 */
void PrintRoundTitles(std::ostream& table);

/**
 * @ingroup dlearn
 * @param table gets a line; values that do not apply are dashes
 * @param summary an evaluated round
 */
void PrintRound(std::ostream& table, const RoundSummary& summary);

/**
 * @ingroup dlearn
 * Print the energy that the learners of a run have spent, and the lowest battery.
 *
 * @param table gets an empty line and a line; nothing unless energy was measured
 * @param results results of a run
 */
void PrintEnergy(std::ostream& table, const RunResults& results);

/**
 * @ingroup dlearn
 * Print the number of events of each kind in a run, if there are any.
 *
 * @param table gets a line
 * @param results results of a run
 */
void PrintEvents(std::ostream& table, const RunResults& results);

/**
 * @ingroup dlearn
 * Print a comparison of several runs: the last evaluated round of each. The name of an incomplete
 * run is followed by its end.
 *
 * @param table gets an empty line, a line of titles, and a line for each run
 * @param runs the runs
 */
void PrintComparison(std::ostream& table, const std::vector<NamedRun>& runs);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_TABLE_H
