/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_HELPER_H
#define DLEARN_FEDERATED_HELPER_H

#include "ns3/dlearn-federated-client.h"
#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-network.h"
#include "ns3/object-factory.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A server and its clients.
 */
struct Federation
{
    Ptr<FederatedServer> server;               //!< learner 0
    std::vector<Ptr<FederatedClient>> clients; //!< learners 1, 2, ...

    /** @return all learners, in the order of their numbers */
    std::vector<Ptr<LearnerApplication>> GetLearners() const;
};

/**
 * @ingroup dlearn
 * The noise of a server hides no more of a client than the clip allows, so what the server reads
 * has to be what the client has clipped.
 *
 * @param federation of FederatedHelper::Create()
 * @throw std::invalid_argument when a client that counts on the noise of its server compresses
 */
void CheckWholeUpdates(const Federation& federation);

/**
 * @ingroup dlearn
 * Installs a FederatedServer on the first node of a Network and a FederatedClient on each other.
 *
 * Set what is the same for all clients with SetClientAttribute() or Config::SetDefault(); what
 * differs is set on their parts between Create() and Connect(), for which GetRule() and the
 * like are there:
 *
 * @code
 *   FederatedHelper helper;
 *   helper.SetServerAttribute("Rounds", UintegerValue(20));
 *   Federation federation = helper.Create(network);
 *   FederatedHelper::Connect(federation, network, data, initialModel);
 *   FederatedHelper::AssignStreams(federation, 1000);
 * @endcode
 */
class FederatedHelper
{
  public:
    FederatedHelper();

    /**
     * @param name an attribute of FederatedServer
     * @param value its value
     */
    void SetServerAttribute(const std::string& name, const AttributeValue& value)
    {
        m_server.Set(name, value);
    }

    /**
     * Set the server's ResponseTimeout, and its SuspicionTimeout to twice that: one answer may be
     * lost by chance, but a client that misses two in a row is suspected.
     *
     * @param responseTimeout longest wait for an answer, more than 0
     */
    void SetResponseTimeout(Time responseTimeout);

    /**
     * @param name an attribute of FederatedClient
     * @param value its value
     */
    void SetClientAttribute(const std::string& name, const AttributeValue& value)
    {
        m_client.Set(name, value);
    }

    /**
     * Create the applications and add them to the nodes. All listen before the server sends.
     *
     * @param network built for a star around learner 0, of at least two learners
     * @return the applications, without surroundings yet
     */
    Federation Create(const Network& network) const;

    /**
     * Give the applications their surroundings.
     *
     * @param federation of Create()
     * @param network of Create()
     * @param data of each client, in order
     * @param initialModel w_0
     */
    static void Connect(const Federation& federation,
                        const Network& network,
                        const std::vector<Ptr<LocalData>>& data,
                        const ModelVector& initialModel);

    /**
     * Fix the random streams of the applications, not those of the data.
     *
     * @param federation all applications
     * @param stream first stream number
     * @return number of streams used
     */
    static int64_t AssignStreams(const Federation& federation, int64_t stream);

  private:
    ObjectFactory m_server; //!< makes the server
    ObjectFactory m_client; //!< makes the clients
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_HELPER_H
