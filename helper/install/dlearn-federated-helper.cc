/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-helper.h"

#include "dlearn-placed-learner.h"
#include "dlearn-transfer-estimate.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-remote-station-manager.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace ns3::dlearn
{

namespace
{

/** Refuse a server that uses parts of compressed updates. */
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
                "which cannot be read in part; client {} has {}",
                k + 1,
                compressor ? compressor->GetInstanceTypeId().GetName() : "");
    }
}

/** Refuse clients whose updates need all entries and do not send them, and clients that rely on the
 *  noise of their server and compress: the noise hides no more of a client than the clip allows. */
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
        const auto compressor = exchange->GetCompressor();
        Require(client->GetRule()->MayLackEntries() || !DynamicCast<SparseCompressor>(compressor),
                "{} needs clients whose MessageExchange has a Compressor that sends every entry, "
                "got {}",
                client->GetRule()->GetInstanceTypeId().GetName(),
                compressor ? compressor->GetInstanceTypeId().GetName() : "none");
        Require(!model || !model->TrustsServer() ||
                    (!compressor && bits.Get() >= 32 && !feedback.Get()),
                "threat model ns3::dlearn::CentralDp needs clients whose MessageExchange has no "
                "Compressor, no ErrorFeedback and FloatBits 32 or 64, as an update that is "
                "compressed can be longer than its clip");
    }
}

/** Let a client that is a station of Wi-Fi report the power of the access point's last frame. */
void
AddSignal(FederatedClient& client)
{
    for (uint32_t k = 0; k < client.GetNode()->GetNDevices(); ++k)
    {
        const auto device = DynamicCast<WifiNetDevice>(client.GetNode()->GetDevice(k));
        if (device && DynamicCast<StaWifiMac>(device->GetMac()))
        {
            client.AddReport("rssi", [device = PeekPointer(device)] {
                const std::optional<double> power =
                    device->GetRemoteStationManager()->GetMostRecentRssi(
                        device->GetMac()->GetBssid(0));
                return power.value_or(std::numeric_limits<double>::quiet_NaN());
            });
        }
    }
}

std::string
Describe(const MessageFormat& format)
{
    const std::string names = JoinNames(format.figures);
    return FormatText("{} entries{}",
                      format.length,
                      names.empty() ? names : " and the figures " + names);
}

/** @throw std::invalid_argument when server and clients have other messages in mind */
void
RequireSameFormats(const Federation& federation)
{
    for (const ModelChannel channel : FEDERATION_CHANNELS)
    {
        const std::string expected = Describe(federation.server->GetFormat(channel));
        for (const auto& client : federation.clients)
        {
            const std::string format = Describe(client->GetFormat(channel));
            Require(format == expected,
                    "FederatedHelper: the rules of server and clients must agree on their "
                    "messages; those of channel {} have {} for the server, and {} for client {}",
                    ToString(channel),
                    expected,
                    format,
                    client->GetLearnerId());
        }
    }
}

} // namespace

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
            "timeout must be greater than 0, got {} s",
            responseTimeout.GetSeconds());
    SetServerAttribute("ResponseTimeout", TimeValue(responseTimeout));
    SetServerAttribute("SuspicionTimeout", TimeValue(2 * responseTimeout));
}

Federation
FederatedHelper::Create(const Network& network) const
{
    const NodeContainer& nodes = network.GetNodes();
    Require(
        nodes.GetN() >= 2,
        "FederatedHelper: a federation needs a server and a client, the network has {} learners",
        nodes.GetN());
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
    const auto schedule = federation.server->GetSchedule();
    for (LearnerId id = 1; id <= data.size(); ++id)
    {
        const auto& own = data[id - 1];
        FederatedClient& client = *federation.clients[id - 1];
        Require(own != nullptr, "FederatedHelper: client {} has no data", id);
        Require(own->GetTask() != nullptr,
                "FederatedHelper: the data of client {} have no task",
                id);
        RequireSize("FederatedHelper",
                    "initial model",
                    initialModel.size(),
                    own->GetTask()->GetDimension());
        context.samples[id] = own->GetSampleCount();
        addresses[id] = GetLearnerAddress(network, learners, 0, id);
        const UpdateKind kind = client.GetRule()->GetUpdateKind();
        Require(context.updates.value_or(kind) == kind,
                "FederatedHelper: the rules of all clients must return the same, differences of "
                "models or gradients; client {} does not as those before it",
                id);
        context.updates = kind;
        AddSignal(client);
        client.SetSettings(schedule->GetSettings());
        for (const std::string& name : schedule->GetFigures())
        {
            client.NeedReport(name);
        }
        client.SetContext(id, 0, GetLearnerAddress(network, learners, id, 0), own, data.size());
        client.GetRule()->SetInitialModel(initialModel);
        context.figures = client.GetFormat(ModelChannel::UPDATE).figures;
        context.shared = client.GetFormat(ModelChannel::MODEL).length;
    }
    const auto& first = *federation.clients.front();
    const uint32_t numbers = std::max(first.GetFormat(ModelChannel::MODEL).length,
                                      first.GetFormat(ModelChannel::UPDATE).length);
    std::vector<LearnerId> clients;
    Time training;
    for (const auto& client : federation.clients)
    {
        clients.push_back(client->GetLearnerId());
        training = Max(training, client->GetTrainingTime());
    }
    const auto air = first.GetExchange()->GetAir();
    const Time slot = air ? air->GetSlot(first.GetFormat(ModelChannel::UPDATE).length) : Time(0);
    federation.server->SetForecast({EstimateRound(network, learners, numbers) + training + slot,
                                    EstimateRecovery(*federation.server, network, clients)});
    federation.server->SetContext(context, addresses);
    RequireSameFormats(federation);
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

namespace
{

/** The noise of a plan, and the terms of all accounts. */
struct Protection
{
    Ptr<WorkerNoise> ofClients; //!< null where the server adds the noise
    Ptr<ServerNoise> ofServer;  //!< null where clients do
    double delta{0};            //!< of the accounts
    double budget{0};           //!< of each client
    bool momentum{false};       //!< a message holds shares of all earlier rounds
};

/** @return the rule of a client, which must be of a type */
template <typename Rule>
Ptr<Rule>
GetClientRule(const Federation& federation, size_t client)
{
    const auto rule = DynamicCast<Rule>(federation.clients[client]->GetRule());
    Require(rule != nullptr,
            "the plan needs clients with the rule {}, got {}",
            Rule::GetTypeId().GetName(),
            federation.clients[client]->GetRule()->GetInstanceTypeId().GetName());
    return rule;
}

Protection
MakeProtection(const ThreatModel& model,
               const NoiseScales& scales,
               double momentum,
               double delta,
               double budget)
{
    Protection protection;
    protection.delta = delta;
    protection.budget = budget;
    protection.momentum = momentum > 0;
    if (model.TrustsServer())
    {
        protection.ofServer = CreateObject<ServerNoise>();
        protection.ofServer->SetAttribute("Scale", DoubleValue(scales.independent));
        protection.ofServer->SetAttribute("Momentum", DoubleValue(momentum));
    }
    else
    {
        protection.ofClients = CreateObject<WorkerNoise>();
        protection.ofClients->SetAttribute("Independent", DoubleValue(scales.independent));
    }
    return protection;
}

void
ProtectClient(const Protection& protection,
              FederatedClient& client,
              uint32_t place,
              const ReleaseTerms& terms,
              double sampling)
{
    const auto ledger = CreateObject<GaussianLedger>();
    ledger->SetAttribute("Delta", DoubleValue(protection.delta));
    ledger->SetAttribute("Budget", DoubleValue(protection.budget));
    ledger->SetAttribute("Momentum", BooleanValue(protection.momentum));
    ledger->SetSampling(sampling);
    ClientRelease& release = *client.GetRule()->GetRelease();
    release.SetNoise(protection.ofClients, place);
    release.SetServerNoise(protection.ofServer, place + 1); // as FederatedHelper numbers learners
    release.SetLedger(ledger, terms);
}

/** Fix the random streams of the noise, and let the server add it where it is the server's. */
int64_t
Finish(const Federation& federation, const Protection& protection, int64_t stream)
{
    if (!protection.ofServer)
    {
        return protection.ofClients->AssignStreams(stream);
    }
    CheckWholeUpdates(federation);
    const auto rule = federation.server->GetRule();
    TypeId::AttributeInformation info;
    Require(rule->GetInstanceTypeId().LookupAttributeByName("Noise", &info),
            "threat model ns3::dlearn::CentralDp needs a server's rule that adds noise, got ",
            rule->GetInstanceTypeId().GetName());
    rule->SetAttribute("Noise", PointerValue(protection.ofServer));
    return protection.ofServer->AssignStreams(stream);
}

} // namespace

int64_t
ProtectFederation(const Federation& federation,
                  const FedAvgPlan& plan,
                  double budget,
                  int64_t stream)
{
    RequireSize("FedAvgPlan", "samples", plan.samples.size(), federation.clients.size());
    GetReleaseTerms(plan, 0); // refuses an invalid plan
    const Protection protection =
        MakeProtection(*plan.model, {0, plan.noise}, 0, plan.delta, budget);
    for (size_t k = 0; k < plan.samples.size(); ++k)
    {
        const auto rule = GetClientRule<LocalTraining>(federation, k);
        rule->SetAttribute("ClipNorm", DoubleValue(plan.clip));
        ProtectClient(protection, *federation.clients[k], k, GetReleaseTerms(plan, k), 1);
    }
    return Finish(federation, protection, stream);
}

int64_t
ProtectFederation(const Federation& federation,
                  const std::vector<CafCorPlan>& plans,
                  const CafCorNoiseOptions& options,
                  double budget,
                  int64_t stream)
{
    RequireSize("ProtectFederation", "plans", plans.size(), federation.clients.size());
    const CafCorPlan& first = plans.front();
    CafCorSensitivity(first); // refuses an invalid plan
    const double momentum = GetClientRule<CafCorWorker>(federation, 0)->GetMomentum();
    const Protection protection =
        MakeProtection(*first.model, first.noise, momentum, first.delta, budget);
    if (protection.ofClients)
    {
        protection.ofClients->SetAttribute("NoiseRecovery", BooleanValue(options.recovery));
        if (options.correlated && first.noise.correlated > 0)
        {
            options.correlated->SetAttribute("Scale", DoubleValue(first.noise.correlated));
            options.correlated->SetWorkers(plans.size());
            protection.ofClients->SetCorrelated(options.correlated);
        }
    }
    for (size_t k = 0; k < plans.size(); ++k)
    {
        const auto rule = GetClientRule<CafCorWorker>(federation, k);
        Require(rule->GetMomentum() == momentum, "all clients must have the same Momentum");
        rule->SetAttribute("ClipNorm", DoubleValue(plans[k].batch > 0 ? 0 : plans[k].clip));
        ProtectClient(protection,
                      *federation.clients[k],
                      k,
                      GetReleaseTerms(plans[k]),
                      CafCorSampling(plans[k]));
        rule->SetLedger(rule->GetRelease()->GetLedger(), plans[k]); // for warnings
    }
    return Finish(federation, protection, stream);
}

} // namespace ns3::dlearn
