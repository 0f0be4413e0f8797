/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fedavg-server.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(FedAvgServer);

TypeId
FedAvgServer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::FedAvgServer")
            .SetParent<ServerRule>()
            .SetGroupName("Dlearn")
            .AddConstructor<FedAvgServer>()
            .AddAttribute("LearningRate",
                          "The server's step along the averaged update, greater than 0.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&FedAvgServer::m_learningRate),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Momentum",
                          "Share of the last step that is taken again, from 0 to less than 1.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&FedAvgServer::m_momentum),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

void
FedAvgServer::CheckAttributes() const
{
    RequirePositive("FedAvgServer", "LearningRate", m_learningRate);
    Require(m_momentum >= 0 && m_momentum < 1,
            "FedAvgServer: Momentum must be in [0, 1), got ",
            m_momentum);
}

double
FedAvgServer::GetFlops(size_t updates) const
{
    return 2.0 * (updates + 2) * m_model.size(); // a multiplication and an addition an entry
}

ModelVector
FedAvgServer::Move(const std::vector<ClientUpdate>& updates)
{
    double total = 0;
    for (const ClientUpdate& update : updates)
    {
        total += m_context.samples.at(update.client);
    }
    ModelVector mean = ModelVector::Zero(m_model.size());
    for (const ClientUpdate& update : updates)
    {
        mean += m_context.samples.at(update.client) / total * update.weight * update.values;
    }
    if (m_velocity.size() == 0)
    {
        m_velocity = ModelVector::Zero(m_model.size());
    }
    m_velocity = m_momentum * m_velocity + mean;
    return m_model + m_learningRate * m_velocity;
}

} // namespace ns3::dlearn
