/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fltrust-server.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(FlTrustServer);

TypeId
FlTrustServer::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<FlTrustServer, FedAvgServer>("ns3::dlearn::FlTrustServer")
            .AddAttribute("RootSamples",
                          "Number of samples that the server trusts; programs draw them from all "
                          "training data.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&FlTrustServer::m_samples),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
FlTrustServer::DoDispose()
{
    m_root = nullptr;
    m_data = nullptr;
    FedAvgServer::DoDispose();
}

void
FlTrustServer::SetRoot(Ptr<ClientRule> rule, Ptr<LocalData> data)
{
    rule->Setup(data);
    const uint32_t dimension = data->GetTask()->GetDimension();
    for (const ModelChannel channel : {ModelChannel::MODEL, ModelChannel::UPDATE})
    {
        const MessageFormat format = rule->GetFormat(channel);
        Require(format.length == dimension && format.figures.empty() &&
                    rule->GetUpdateKind() == UpdateKind::DIFFERENCE,
                "FlTrustServer: the rule that trains on root data must get a model and return a "
                "difference of models, and nothing else; got {}",
                rule->GetInstanceTypeId().GetName());
    }
    m_root = rule;
    m_data = data;
}

void
FlTrustServer::CheckAttributes() const
{
    FedAvgServer::CheckAttributes();
    Require(m_root != nullptr, "FlTrustServer: there must be root data (SetRoot()), got none");
    Require(!m_noise,
            "FlTrustServer: Noise must not be set, as the weights depend on the updates, so that "
            "no account holds");
}

double
FlTrustServer::GetFlops(size_t updates) const
{
    const double training =
        static_cast<double>(m_data->GetRoundSize()) * m_data->GetTask()->GetFlopsPerSample();
    return FedAvgServer::GetFlops(updates) + training + 5.0 * updates * m_model.size();
}

int64_t
FlTrustServer::AssignStreams(int64_t stream)
{
    const int64_t used = m_root->AssignStreams(stream);
    return used + m_data->AssignStreams(stream + used);
}

ModelVector
FlTrustServer::Move(const std::vector<ClientUpdate>& updates)
{
    m_root->BeginRound(m_round++, Message(m_model));
    m_root->Compute();
    const ModelVector trusted = m_root->Send().values;
    m_root->EndRound(true);
    std::vector<ClientUpdate> scaled = updates;
    double total = 0;
    m_scores.clear();
    for (ClientUpdate& update : scaled)
    {
        const ModelVector values = update.values.head(m_model.size());
        const double norms = values.norm() * trusted.norm();
        const double score = norms > 0 ? std::max(values.dot(trusted) / norms, 0.0) : 0;
        m_scores[update.client] = score;
        total += score;
        update.values = score > 0 ? ModelVector(trusted.norm() / values.norm() * values)
                                  : ModelVector::Zero(values.size());
    }
    if (total == 0)
    {
        ++m_tooFew;
        return m_model;
    }
    return FedAvgServer::Move(scaled);
}

} // namespace ns3::dlearn
