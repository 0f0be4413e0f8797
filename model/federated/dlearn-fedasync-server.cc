/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fedasync-server.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(FedAsyncServer);

TypeId
FedAsyncServer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::FedAsyncServer")
                            .SetParent<ServerRule>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<FedAsyncServer>()
                            .AddAttribute("Mixing",
                                          "Share a of a fresh client's model in the next model, "
                                          "greater than 0, at most 1.",
                                          DoubleValue(0.6),
                                          MakeDoubleAccessor(&FedAsyncServer::m_mixing),
                                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

void
FedAsyncServer::CheckAttributes() const
{
    RequireDifferences();
    Require(m_mixing > 0 && m_mixing <= 1,
            "FedAsyncServer: Mixing must be in (0, 1], got ",
            m_mixing);
}

double
FedAsyncServer::GetFlops(size_t updates) const
{
    return 4.0 * updates * m_model.size(); // (1 - a) w + a (base + Delta), an entry
}

ModelVector
FedAsyncServer::Move(const std::vector<ClientUpdate>& updates)
{
    ModelVector model = m_model;
    for (const ClientUpdate& update : updates)
    {
        Require(update.base != nullptr, "FedAsyncServer: an update needs the model it began with");
        const double share = m_mixing * update.weight;
        model = (1 - share) * model + share * (*update.base + update.values);
    }
    return model;
}

} // namespace ns3::dlearn
