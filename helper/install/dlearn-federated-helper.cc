/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-helper.h"

#include "dlearn-learner-ports.h"
#include "dlearn-placed-learner.h"
#include "dlearn-transfer-estimate.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/** @throw std::invalid_argument where the server is to use parts of what cannot be read in part */
void
CheckPartialUpdates(const Federation& federation)
{
    BooleanValue partial;
    federation.server->GetAttribute("UsePartial", partial);
    for (size_t k = 0; partial.Get() && k < federation.clients.size(); ++k)
    {
        const auto compressor = federation.clients[k]->GetExchange()->GetCompressor();
        Require(!compressor,
                "FederatedServer: UsePartial must be false where a client compresses its updates, "
                "which cannot be read in part; client ",
                k + 1,
                " has ",
                compressor ? compressor->GetInstanceTypeId().GetName() : "");
    }
}

} // namespace

void
CheckWholeUpdates(const Federation& federation)
{
    for (const auto& client : federation.clients)
    {
        const auto release = client->GetRule()->GetRelease();
        const auto model = release ? release->GetTerms().model : nullptr;
        const auto exchange = client->GetExchange();
        UintegerValue bits;
        BooleanValue feedback;
        exchange->GetAttribute("FloatBits", bits);
        exchange->GetAttribute("ErrorFeedback", feedback);
        Require(!model || !model->TrustsServer() ||
                    (!exchange->GetCompressor() && bits.Get() >= 32 && !feedback.Get()),
                "threat model ns3::dlearn::CentralDp needs clients whose MessageExchange has no "
                "Compressor, no ErrorFeedback and FloatBits 32 or 64, as an update that is "
                "compressed can be longer than its clip");
    }
}

std::vector<Ptr<LearnerApplication>>
Federation::GetLearners() const
{
    std::vector<Ptr<LearnerApplication>> learners{server};
    learners.insert(learners.end(), clients.begin(), clients.end());
    return learners;
}

FederatedHelper::FederatedHelper()
{
    m_server.SetTypeId(FederatedServer::GetTypeId());
    m_client.SetTypeId(FederatedClient::GetTypeId());
}

void
FederatedHelper::SetResponseTimeout(Time responseTimeout)
{
    Require(responseTimeout.IsStrictlyPositive(),
            "timeout must be greater than 0, got ",
            responseTimeout.GetSeconds(),
            " s");
    SetServerAttribute("ResponseTimeout", TimeValue(responseTimeout));
    SetServerAttribute("SuspicionTimeout", TimeValue(2 * responseTimeout));
}

Federation
FederatedHelper::Create(const Network& network) const
{
    const NodeContainer& nodes = network.GetNodes();
    Require(nodes.GetN() >= 2,
            "FederatedHelper: a federation needs a server and a client, the network has ",
            nodes.GetN(),
            " learners");
    Federation federation;
    const Time ready = network.GetReadyTime();
    federation.server = m_server.Create<FederatedServer>();
    PlaceLearner(federation.server, nodes.Get(0), ready);
    for (uint32_t id = 1; id < nodes.GetN(); ++id)
    {
        const auto client = m_client.Create<FederatedClient>();
        PlaceLearner(client, nodes.Get(id), ready);
        federation.clients.push_back(client);
    }
    return federation;
}

void
FederatedHelper::Connect(const Federation& federation,
                         const Network& network,
                         const std::vector<Ptr<LocalData>>& data,
                         const ModelVector& initialModel)
{
    RequireSize("FederatedHelper", "data", data.size(), federation.clients.size());
    const auto learners = federation.GetLearners();
    RequireLearners("FederatedHelper", learners);
    RequireOwn("FederatedHelper", "data object", data, 1);
    CheckPartialUpdates(federation);
    CheckWholeUpdates(federation); // attributes may have changed since they were protected
    ServerContext context;
    context.initialModel = initialModel;
    Transport::Peers addresses;
    SeparatePorts(learners);
    for (LearnerId id = 1; id <= data.size(); ++id)
    {
        const auto& own = data[id - 1];
        Require(own != nullptr, "FederatedHelper: client ", id, " has no data");
        Require(own->GetTask() != nullptr,
                "FederatedHelper: the data of client ",
                id,
                " have no task");
        RequireSize("FederatedHelper",
                    "initial model",
                    initialModel.size(),
                    own->GetTask()->GetDimension());
        context.samples[id] = own->GetSampleCount();
        addresses[id] = GetLearnerAddress(network, learners, 0, id);
        const UpdateKind kind = federation.clients[id - 1]->GetRule()->GetUpdateKind();
        Require(context.updates.value_or(kind) == kind,
                "FederatedHelper: the rules of all clients must return the same, differences of "
                "models or gradients; client ",
                id,
                " does not as those before it");
        context.updates = kind;
        federation.clients[id - 1]->SetContext(id,
                                               0,
                                               GetLearnerAddress(network, learners, id, 0),
                                               own,
                                               data.size());
    }
    std::vector<LearnerId> clients;
    Time training;
    for (const auto& client : federation.clients)
    {
        clients.push_back(client->GetLearnerId());
        training = Max(training, client->GetTrainingTime());
    }
    federation.server->SetForecast(
        {EstimateRound(network, learners, initialModel.size()) + training,
         EstimateRecovery(*federation.server, network, clients)});
    federation.server->SetContext(context, addresses);
    federation.server->GetExchange()->PreferNewest(); // clients learn from the newest model
}

int64_t
FederatedHelper::AssignStreams(const Federation& federation, int64_t stream)
{
    int64_t used = 0;
    for (const auto& learner : federation.GetLearners())
    {
        used += learner->AssignStreams(stream + used);
    }
    return used;
}

} // namespace ns3::dlearn
