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
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-link-network.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-remote-station-manager.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** A client of a tier. */
struct Member
{
    Ptr<FederatedClient> client;
    Ptr<LocalData> data; //!< null for an edge server
    uint32_t samples{0};
    Time training;                  //!< of an edge server, expected
    std::vector<LearnerId> servers; //!< between which it moves
};

/** A server and its clients. */
struct Tier
{
    Ptr<FederatedServer> server;
    LearnerId self{0};
    std::map<LearnerId, Member> members;
};

/** Refuse a server that uses parts of compressed updates. */
void
CheckPartialUpdates(const Tier& tier)
{
    BooleanValue partial;
    tier.server->GetAttribute("UsePartial", partial);
    for (const auto& [id, member] : tier.members)
    {
        const auto compressor = member.client->GetExchange()->GetCompressor();
        Require(!compressor || !partial.Get(),
                "FederatedServer: UsePartial must be false where a client compresses its updates, "
                "which cannot be read in part; client {} has {}",
                id,
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
        Require(!model || !model->CountsOnSum() ||
                    (!compressor && bits.Get() >= 32 && !feedback.Get()),
                "threat model {} needs clients whose MessageExchange has no Compressor, no "
                "ErrorFeedback and FloatBits 32 or 64, as an update that is compressed can be "
                "longer than its clip",
                model ? model->GetInstanceTypeId().GetName() : "none");
    }
}

/** Refuse secret sampling where a network shows who takes part, or may lose updates. */
void
CheckSecrecy(const Federation& federation, const Network& network)
{
    for (LearnerId id = 1; id <= federation.clients.size(); ++id)
    {
        const auto release = federation.clients[id - 1]->GetRule()->GetRelease();
        Require(!release || release->GetTerms().secretShare == 0 ||
                    (dynamic_cast<const LinkNetwork*>(&network) && network.GetLoss(0, id) == 0 &&
                     network.GetLoss(id, 0) == 0),
                "secret sampling needs a network with a link for each client, without losses, so "
                "that nobody sees who takes part and no update depends on those of others; got ",
                network.GetName());
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
RequireSameFormats(const Tier& tier)
{
    for (const ModelChannel channel : FEDERATION_CHANNELS)
    {
        const std::string expected = Describe(tier.server->GetFormat(channel));
        for (const auto& [id, member] : tier.members)
        {
            const std::string format = Describe(member.client->GetFormat(channel));
            Require(format == expected,
                    "FederatedHelper: the rules of server and clients must agree on their "
                    "messages; those of channel {} have {} for the server, and {} for client {}",
                    ToString(channel),
                    expected,
                    format,
                    id);
        }
    }
}

/**
 * Give a server and its clients their surroundings.
 * @return the expected time of a round
 */
Time
ConnectTier(const Network& network,
            const std::vector<Ptr<LearnerApplication>>& learners,
            const Tier& tier,
            const ModelVector& initialModel)
{
    CheckPartialUpdates(tier);
    ServerContext context;
    context.id = tier.self;
    context.initialModel = initialModel;
    Transport::Peers addresses;
    std::vector<LearnerId> clients;
    Time training;
    Time slot; // of updates on the air
    uint32_t numbers = 0;
    const auto schedule = tier.server->GetSchedule();
    for (const auto& [id, member] : tier.members)
    {
        FederatedClient& client = *member.client;
        clients.push_back(id);
        context.samples[id] = member.samples;
        addresses[id] = GetLearnerAddress(network, learners, tier.self, id);
        const UpdateKind kind = client.GetRule()->GetUpdateKind();
        Require(context.updates.value_or(kind) == kind,
                "FederatedHelper: the rules of all clients must return the same, differences of "
                "models or gradients; client {} does not as those before it",
                id);
        context.updates = kind;
        if (member.servers.front() == tier.self) // not for each server again
        {
            AddSignal(client);
            client.SetSettings(schedule->GetSettings());
            for (const std::string& name : schedule->GetFigures())
            {
                client.NeedReport(name);
            }
            Transport::Peers servers;
            for (const LearnerId server : member.servers)
            {
                servers[server] = GetLearnerAddress(network, learners, id, server);
            }
            client.SetContext(id, servers, member.data, tier.members.size());
            client.GetRule()->SetInitialModel(initialModel);
        }
        context.figures = client.GetFormat(ModelChannel::UPDATE).figures;
        context.shared = client.GetFormat(ModelChannel::MODEL).length;
        numbers = std::max({numbers,
                            client.GetFormat(ModelChannel::MODEL).length,
                            client.GetFormat(ModelChannel::UPDATE).length});
        training = Max(training, Max(member.training, client.GetTrainingTime()));
        if (const auto air = client.GetExchange()->GetAir())
        {
            slot = air->GetSlot(client.GetFormat(ModelChannel::UPDATE).length);
        }
    }
    const Time transfer = EstimateRound(network, learners, tier.self, clients, numbers);
    // The server has no number yet.
    const Time recovery = EstimateRecovery(*tier.server, network, tier.self, clients);
    tier.server->SetForecast({transfer + training + slot, recovery});
    tier.server->SetContext(context, addresses);
    RequireSameFormats(tier);
    tier.server->GetExchange()->PreferNewest(); // clients learn from the newest model
    return Max(transfer + training + slot + recovery, schedule->GetDeadline());
}

/** @return the number of an edge server in the tier above, after or in place of the server */
LearnerId
NumberEdge(bool hasServer, size_t clients, size_t edge)
{
    return !hasServer && edge == 0 ? 0 : clients + (hasServer ? 1 : 0) + edge;
}

/** Give edge servers that are peers their surroundings. @param members the same, by number */
void
ConnectPeers(const Network& network,
             const std::vector<Ptr<LearnerApplication>>& learners,
             const std::map<LearnerId, Member>& members,
             const Graph& tiers,
             const Ptr<const Task>& task)
{
    std::vector<double> samples(learners.size(), 1);
    Time training;
    for (const auto& [id, member] : members)
    {
        samples[id] = member.samples;
        training = Max(training, member.training);
    }
    const Graph graph = MetropolisWeights(tiers, samples);
    TransferEstimate transfers(network, learners);
    for (const auto& [id, member] : members)
    {
        transfers.Add(id, graph.GetOutNeighbors(id), task->GetDimension());
    }
    for (const auto& [id, member] : members)
    {
        const Neighbors neighbors{graph.GetInNeighbors(id), graph.GetOutNeighbors(id)};
        Transport::Peers addresses;
        std::vector<LearnerId> others;
        for (const auto& [other, weight] : neighbors.in)
        {
            addresses[other] = GetLearnerAddress(network, learners, id, other);
            others.push_back(other);
        }
        const auto peer = DynamicCast<PeerApplication>(learners[id]);
        peer->SetContext({id, task, nullptr, {{ModelChannel::STATE, neighbors}}, {}}, addresses);
        peer->SetForecast(
            {transfers.GetTime(id) + training, EstimateRecovery(*peer, network, id, others)});
    }
}

} // namespace

std::vector<Ptr<LearnerApplication>>
Federation::GetLearners() const
{
    std::vector<Ptr<LearnerApplication>> learners{server};
    learners.insert(learners.end(), clients.begin(), clients.end());
    for (const EdgeServer& edge : edges)
    {
        (learners.front() ? learners.emplace_back() : learners.front()) = edge.upper;
    }
    for (const EdgeServer& edge : edges)
    {
        learners.emplace_back(edge.server);
    }
    return learners;
}

FederatedHelper::FederatedHelper()
{
    m_server.SetTypeId(FederatedServer::GetTypeId());
    m_client.SetTypeId(FederatedClient::GetTypeId());
    m_edge.SetTypeId(FederatedServer::GetTypeId());
    m_edgeClient.SetTypeId(FederatedClient::GetTypeId());
    m_edgeClient.Set("Rule", TypeIdValue(EdgeRule::GetTypeId()));
}

Graph
FederatedHelper::MakeTiers(const EdgeClients& edges, bool halves, const std::optional<Graph>& peers)
{
    std::set<LearnerId> clients;
    for (const auto& own : edges)
    {
        clients.insert(own.begin(), own.end());
    }
    const auto size = static_cast<uint32_t>(edges.size());
    const auto count = static_cast<uint32_t>(
        std::accumulate(edges.begin(), edges.end(), size_t{0}, [](size_t sum, const auto& own) {
            return sum + own.size();
        }));
    Require(clients.size() == count && !clients.empty() && *clients.begin() == 1 &&
                *clients.rbegin() == count,
            "FederatedHelper: each client 1, 2, ... must have one edge server");
    const auto number = [&](size_t edge) { return NumberEdge(!peers, count, edge); };
    const LearnerId nodes = number(size);
    Graph graph(nodes + (halves ? size : 0));
    for (LearnerId edge = 0; edge < size; ++edge)
    {
        if (!peers)
        {
            graph.AddEdge(0, number(edge));
        }
        for (const LearnerId client : edges[edge])
        {
            graph.AddEdge(client, halves ? nodes + edge : number(edge));
        }
    }
    if (peers)
    {
        RequireSize("FederatedHelper", "graph of edge servers", peers->GetSize(), size);
        for (const auto& [a, b] : peers->GetPairs())
        {
            graph.AddEdge(number(a), number(b));
        }
    }
    return graph;
}

void
FederatedHelper::SetResponseTimeout(Time responseTimeout)
{
    Require(responseTimeout.IsStrictlyPositive(),
            "timeout must be greater than 0, got {} s",
            responseTimeout.GetSeconds());
    for (ObjectFactory* server : {&m_server, &m_edge})
    {
        server->Set("ResponseTimeout", TimeValue(responseTimeout));
        server->Set("SuspicionTimeout", TimeValue(2 * responseTimeout));
    }
}

Federation
FederatedHelper::Create(const Network& network) const
{
    const uint32_t nodes = network.GetNodes().GetN();
    Require(
        nodes >= 2,
        "FederatedHelper: a federation needs a server and a client, the network has {} learners",
        nodes);
    return Make(network, nodes - 1, true);
}

Federation
FederatedHelper::Create(Network& network,
                        const EdgeClients& edges,
                        const std::optional<Graph>& peers) const
{
    const auto size = static_cast<uint32_t>(edges.size());
    const uint32_t clients = MakeTiers(edges).GetSize() - size - 1;
    Federation federation = Make(network, clients, !peers);
    federation.graph = MakeTiers(edges, true, peers);
    ObjectFactory upper = m_edgeClient;
    if (peers)
    {
        upper = ObjectFactory("ns3::dlearn::PeerApplication");
        upper.Set("Rule", TypeIdValue(EdgeGossip::GetTypeId()));
    }
    const Time ready = network.GetReadyTime();
    for (LearnerId edge = 0; edge < size; ++edge)
    {
        const auto node = network.GetNode(NumberEdge(!peers, clients, edge));
        federation.edges.push_back(
            {upper.Create<TrainingApplication>(), m_edge.Create<FederatedServer>(), edges[edge]});
        PlaceLearner(federation.edges.back().upper, node, ready);
        PlaceLearner(federation.edges.back().server, node, ready);
    }
    for (const EdgeServer& edge : federation.edges)
    {
        network.AddGuests(NodeContainer(edge.server->GetNode()));
    }
    return federation;
}

Federation
FederatedHelper::Make(const Network& network, uint32_t clients, bool server) const
{
    Federation federation;
    const Time ready = network.GetReadyTime();
    if (server)
    {
        federation.server = m_server.Create<FederatedServer>();
        PlaceLearner(federation.server, network.GetNode(0), ready);
    }
    for (uint32_t id = 1; id <= clients; ++id)
    {
        federation.clients.push_back(m_client.Create<FederatedClient>());
        PlaceLearner(federation.clients.back(), network.GetNode(id), ready);
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
    Require(federation.server || !federation.roams,
            "FederatedHelper: clients that move need a server above the edge servers");
    CheckWholeUpdates(federation); // attributes may have changed since they were protected
    CheckSecrecy(federation, network);
    SeparatePorts(learners);
    std::map<LearnerId, Member> clients;
    std::vector<LearnerId> all;
    for (LearnerId id = 1; id <= data.size(); ++id)
    {
        const auto& own = data[id - 1];
        Require(own != nullptr, "FederatedHelper: client {} has no data", id);
        Require(own->GetTask() != nullptr,
                "FederatedHelper: the data of client {} have no task",
                id);
        RequireSize("FederatedHelper",
                    "initial model",
                    initialModel.size(),
                    own->GetTask()->GetDimension());
        clients[id] = {federation.clients[id - 1], own, own->GetSampleCount(), Time(0), {}};
        if (federation.edges.empty())
        {
            clients[id].servers = {0};
        }
        all.push_back(id);
    }
    std::map<LearnerId, Member> edges;
    const auto size = static_cast<LearnerId>(federation.edges.size());
    const auto getNumber = [&](size_t edge) {
        return NumberEdge(federation.server != nullptr, data.size(), edge);
    };
    const auto getClients = [&](const EdgeServer& edge) {
        return federation.roams ? all : edge.clients;
    };
    for (LearnerId edge = 0; edge < size; ++edge)
    {
        for (const LearnerId client : getClients(federation.edges[edge]))
        {
            clients.at(client).servers.push_back(getNumber(size) + edge);
        }
    }
    for (LearnerId place = 0; place < size; ++place)
    {
        const EdgeServer& edge = federation.edges[place];
        const LearnerId number = getNumber(place);
        Require(federation.roams || !edge.clients.empty(),
                "FederatedHelper: edge server {} needs a client",
                number);
        Tier tier{edge.server, getNumber(size) + place, {}};
        Member member{DynamicCast<FederatedClient>(edge.upper), nullptr, 0, Time(0), {0}};
        for (const LearnerId client : getClients(edge))
        {
            tier.members.insert({client, clients.at(client)});
            member.samples += clients.at(client).samples;
        }
        if (federation.roams)
        {
            edge.server->StartWithout();
        }
        const Time round = ConnectTier(network, learners, tier, initialModel);
        JoinTiers(edge.upper, edge.server);
        // A peer waits four times as long as forecast, so as long as the least wait of another one
        // for its clients, which is longer before their first answer.
        const Time longest = member.client ? round : edge.server->GetResponseTimeout() / 4;
        const auto rule = edge.upper->GetLearnerRule();
        member.training = dynamic_cast<TierBelow&>(*rule).GetPeriod() * Max(round, longest);
        edges[number] = member;
    }
    if (!federation.server)
    {
        ConnectPeers(network, learners, edges, *federation.graph, data[0]->GetTask());
        return;
    }
    if (federation.roams)
    {
        federation.server->StartWithout();
    }
    ConnectTier(network,
                learners,
                {federation.server, 0, size > 0 ? edges : clients},
                initialModel);
}

void
FederatedHelper::HandOver(const Federation& federation,
                          LearnerId client,
                          std::optional<size_t> edge)
{
    if (edge)
    {
        const EdgeServer& to = federation.edges.at(*edge);
        to.server->Admit(client);
        federation.server->Admit(to.upper->GetLearnerId());
    }
    for (size_t k = 0; k < federation.edges.size(); ++k)
    {
        const EdgeServer& from = federation.edges[k];
        if (k != edge)
        {
            from.server->Dismiss(client);
        }
        if (!from.server->HasClients())
        {
            federation.server->Dismiss(from.upper->GetLearnerId());
        }
    }
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
    Ptr<ServerNoise> ofServer;  //!< or is in the sum on the air; null where clients add it
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
    if (model.CountsOnSum())
    {
        protection.ofServer = CreateObject<ServerNoise>();
        const double scale = model.TrustsServer() ? scales.independent : 1; // of exposures
        protection.ofServer->SetAttribute("Scale", DoubleValue(scale));
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
              double sampling,
              std::optional<Adjacency> poisson = {})
{
    const auto ledger = CreateObject<GaussianLedger>();
    ledger->SetAttribute("Delta", DoubleValue(protection.delta));
    ledger->SetAttribute("Budget", DoubleValue(protection.budget));
    ledger->SetAttribute("Momentum", BooleanValue(protection.momentum));
    ledger->SetSampling(sampling, poisson);
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
    Require(federation.edges.empty(),
            "threat model ns3::dlearn::CentralDp has no account with edge servers, each of which "
            "averages few clients before the server adds its noise");
    const auto rule = federation.server->GetRule();
    TypeId::AttributeInformation info;
    Require(rule->GetInstanceTypeId().LookupAttributeByName("Noise", &info),
            "threat model ns3::dlearn::CentralDp needs a server's rule that adds noise, got ",
            rule->GetInstanceTypeId().GetName());
    rule->SetAttribute("Noise", PointerValue(protection.ofServer));
    return protection.ofServer->AssignStreams(stream);
}

/** Let the channel on which updates add up hide them as the plan says, and tell the accounts. */
void
HideOnAir(const Federation& federation, const FedAvgPlan& plan, const Ptr<ServerNoise>& accounts)
{
    const auto air = federation.server->GetExchange()->GetAir();
    Require(air != nullptr,
            "threat model ns3::dlearn::AirDp needs updates on the air: the attribute Air of the "
            "MessageExchange of all learners");
    CheckWholeUpdates(federation);
    ClaimPart(accounts, *air);
    air->Protect(plan.noise,
                 DynamicCast<const AirDp>(plan.model)->HasReceiverNoise(),
                 [accounts](uint32_t round, const auto& exposures) {
                     ReleasedMessages messages;
                     for (const auto& [client, exposure] : exposures)
                     {
                         messages.insert({client, {round, exposure}});
                     }
                     return accounts->Release(std::move(messages), 1);
                 });
}

/** Let the server draw clients as the plan says, and divide by the expected sum of samples. */
void
SampleSecretly(const Federation& federation, const FedAvgPlan& plan)
{
    const auto rule = federation.server->GetRule();
    Require(rule->GetInstanceTypeId() == FedAvgServer::GetTypeId(),
            "secret sampling needs server rule ns3::dlearn::FedAvgServer, which can divide by a "
            "fixed number, got ",
            rule->GetInstanceTypeId().GetName());
    rule->SetAttribute("Divisor", DoubleValue(GetExpectedSamples(plan)));
    const auto schedule = DynamicCast<SynchronousSchedule>(federation.server->GetSchedule());
    const auto sampling =
        schedule ? DynamicCast<PoissonSampling>(schedule->GetSampling()) : nullptr;
    Require(
        sampling && DynamicCast<AllPolicy>(schedule->GetRoundPolicy()),
        "secret sampling needs a server whose schedule is ns3::dlearn::SynchronousSchedule with "
        "Sampling ns3::dlearn::PoissonSampling and RoundPolicy ns3::dlearn::AllPolicy");
    schedule->SetAttribute("MinUpdates", UintegerValue(1));
    sampling->SetAttribute("Count", UintegerValue(0));
    sampling->SetAttribute("Fraction", DoubleValue(plan.sampling));
    sampling->SetAttribute("OverSelection", DoubleValue(1));
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
    Require(federation.server || (!plan.model->CountsOnSum() && plan.sampling == 1),
            "threat model {} needs a server above all clients",
            plan.model->GetInstanceTypeId().GetName());
    const Protection protection =
        MakeProtection(*plan.model, {0, plan.noise}, 0, plan.delta, budget);
    DoubleValue quantile(0);
    if (federation.server)
    {
        federation.server->GetRule()->GetAttributeFailSafe("ClipQuantile", quantile);
    }
    const bool adaptive = quantile.Get() > 0;
    if (adaptive)
    {
        Require(plan.model->TrustsServer(),
                "ClipQuantile of the server's rule needs threat model ns3::dlearn::CentralDp, as "
                "clients tell the server without noise whether they clip, got {}",
                plan.model->GetInstanceTypeId().GetName());
        federation.server->GetRule()->SetAttribute("ClipNorm", DoubleValue(plan.clip));
    }
    for (size_t k = 0; k < plan.samples.size(); ++k)
    {
        const auto rule = GetClientRule<LocalTraining>(federation, k);
        rule->SetAttribute("ClipNorm", DoubleValue(plan.clip));
        rule->SetAttribute("AdaptiveClip", BooleanValue(adaptive));
        ProtectClient(protection,
                      *federation.clients[k],
                      k,
                      GetReleaseTerms(plan, k),
                      plan.sampling,
                      plan.adjacency);
    }
    if (plan.sampling < 1)
    {
        SampleSecretly(federation, plan);
    }
    if (protection.ofServer && !plan.model->TrustsServer())
    {
        HideOnAir(federation, plan, protection.ofServer);
        return 0;
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
