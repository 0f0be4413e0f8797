/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fedavg-server.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/pointer.h"

#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnFedAvgServer");
NS_OBJECT_ENSURE_REGISTERED(FedAvgServer);

TypeId
FedAvgServer::GetTypeId()
{
    static TypeId tid = AddSchedule(
        TypeId("ns3::dlearn::FedAvgServer")
            .SetParent<ServerRule>()
            .SetGroupName("Dlearn")
            .AddConstructor<FedAvgServer>()
            .AddAttribute("Momentum",
                          "Share of the last step that is taken again, from 0 to less than 1.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&FedAvgServer::m_momentum),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("Noise",
                          "What a trusted server adds to the averaged update, a "
                          "ns3::dlearn::ServerNoise; none by default.",
                          PointerValue(),
                          MakeGivenPartAccessor(&FedAvgServer::m_noise, &FedAvgServer::IsSetUp),
                          MakePartChecker<ServerNoise>()),
        &FedAvgServer::m_step,
        &FedAvgServer::IsSetUp,
        {"Step",
         "The server's step along the averaged update, model by model.",
         "LearningRate",
         "The server's step along the averaged update for the first model, greater than 0"},
        ConstantStep(1));
    return tid;
}

void
FedAvgServer::DoDispose()
{
    m_noise = nullptr;
    ServerRule::DoDispose();
}

void
FedAvgServer::CheckAttributes() const
{
    RequireDifferences();
    RequirePositive("FedAvgServer", "LearningRate", m_step->GetInitial());
    m_step->Check();
    Require(m_momentum >= 0 && m_momentum < 1,
            "FedAvgServer: Momentum must be in [0, 1), got ",
            m_momentum);
    ClaimPart(m_noise, *this);
}

double
FedAvgServer::GetFlops(size_t updates) const
{
    return 2.0 * (updates + 2) * m_model.size(); // a multiplication and an addition an entry
}

void
FedAvgServer::CheckPartialUpdates() const
{
    // With momentum, a share of the last mean is taken from that in this one. The difference is
    // not bounded by that of the largest shares, as each entry may have another share.
    Require(!m_noise || m_noise->GetMomentum() == 0,
            "FedAvgServer: with UsePartial of the server, Momentum of its Noise must be 0, got ",
            m_noise ? m_noise->GetMomentum() : 0);
}

bool
FedAvgServer::AddNoise(const std::vector<ClientUpdate>& updates,
                       const EntryTotals& totals,
                       ModelVector& mean) const
{
    if (!m_noise)
    {
        return true;
    }
    ReleasedMessages messages;
    for (const ClientUpdate& update : updates)
    {
        const double samples = m_context.samples.at(update.client);
        const double growth = totals.GetAll() / totals.GetLeast(update.present);
        messages.insert({update.client, {update.round, samples * update.weight * growth}});
    }
    return m_noise->Release(std::move(messages), totals.GetAll(), mean);
}

ModelVector
FedAvgServer::Move(const std::vector<ClientUpdate>& updates)
{
    EntryTotals totals;
    for (const ClientUpdate& update : updates)
    {
        totals.Add(m_context.samples.at(update.client), update.present);
    }
    const double total = totals.GetAll();
    ModelVector mean = ModelVector::Zero(m_model.size());
    for (const ClientUpdate& update : updates)
    {
        mean += m_context.samples.at(update.client) / total * update.weight * update.values;
    }
    totals.Renormalise(mean);
    NS_LOG_FUNCTION(this << updates.size() << total);
    if (!AddNoise(updates, totals, mean))
    {
        ++m_withheld;
        return m_model;
    }
    if (m_velocity.size() == 0)
    {
        m_velocity = ModelVector::Zero(m_model.size());
    }
    m_velocity = m_momentum * m_velocity + mean;
    return m_model + m_step->Get(m_moves++) * m_velocity;
}

std::function<void()>
FedAvgServer::RememberLearned()
{
    return [this, restore = ServerRule::RememberLearned(), velocity = m_velocity, moves = m_moves] {
        restore();
        m_velocity = velocity;
        m_moves = moves;
    };
}

} // namespace ns3::dlearn
