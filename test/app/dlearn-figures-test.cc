/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federation-fixture.h"
#include "dlearn-scripted-peers.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-gaussian-ledger.h"
#include "ns3/dlearn-threat-model.h"
#include "ns3/string.h"

namespace ns3::dlearn
{
namespace test
{
namespace
{

/**
 * Sends each client the model, an entry more (7) and the client's number as the figure "you". It
 * expects an update with two entries more.
 */
class TellingServer : public FedAvgServer
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::TellingServer")
                                .SetParent<FedAvgServer>()
                                .AddConstructor<TellingServer>();
        return tid;
    }

    MessageFormat GetFormat(ModelChannel channel) const override
    {
        const auto dimension = static_cast<uint32_t>(m_model.size());
        return channel == ModelChannel::MODEL ? MessageFormat{dimension + 1, {"you"}}
                                              : MessageFormat{dimension + longer, {}};
    }

    Outbox GetModels(const std::vector<LearnerId>& clients) const override
    {
        Outbox messages;
        for (const LearnerId client : clients)
        {
            ModelVector values(m_model.size() + 1);
            values << m_model, 7;
            messages.push_back(
                {ModelChannel::MODEL, {client}, values, {static_cast<double>(client)}});
        }
        return messages;
    }

    uint32_t longer{2};                             //!< entries behind an update
    std::vector<std::vector<ClientUpdate>> updates; //!< of each round

  protected:
    ModelVector Move(const std::vector<ClientUpdate>& all) override
    {
        updates.push_back(all);
        return m_model;
    }
};

/** Attaches what it got: the entry, twice the entry, and its number, times 100, as the figure "me".
 */
class EchoClient : public LocalTraining
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::EchoClient")
                                .SetParent<LocalTraining>()
                                .AddConstructor<EchoClient>();
        return tid;
    }

    MessageFormat GetFormat(ModelChannel channel) const override
    {
        const uint32_t dimension = m_task->GetDimension();
        return channel == ModelChannel::MODEL    ? MessageFormat{dimension + 1, {"you"}}
               : channel == ModelChannel::UPDATE ? MessageFormat{dimension + 2, {"me"}}
                                                 : MessageFormat{dimension + 2, {}};
    }

    uint64_t GetWork() const override { return 1; }

    std::vector<bool> ends; //!< of the rounds: whether the update left

  protected:
    void CheckAttributes() const override {}

    ModelVector Train(const ModelVector& start, const SampleIndices& /* samples */) override
    {
        const double got = m_received.values[0];
        m_attached = {Eigen::Vector2d(got, 2 * got), {100 * m_received.figures.at(0)}};
        return start + ModelVector::Ones(start.size());
    }

    void DoEndRound(bool transmitted) override { ends.push_back(transmitted); }
};

/** Keeps the updates that it averages. */
class KeepingServer : public FedAvgServer
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::KeepingServer")
                                .SetParent<FedAvgServer>()
                                .AddConstructor<KeepingServer>();
        return tid;
    }

    std::vector<ClientUpdate> updates; //!< of the last round

  protected:
    ModelVector Move(const std::vector<ClientUpdate>& all) override
    {
        updates = all;
        return FedAvgServer::Move(all);
    }
};

class FederatedFigures : public FederationTest
{
  protected:
    void SetReports(const std::string& names)
    {
        for (const auto& client : m_federation.clients)
        {
            client->SetAttribute("Reports", StringValue(names));
        }
    }

    /** Give all clients a privacy account. */
    void Account(const Ptr<const ThreatModel>& model)
    {
        for (const auto& client : m_federation.clients)
        {
            const auto rule = client->GetRule();
            rule->SetAttribute("ClipNorm", DoubleValue(1));
            ReleaseTerms terms;
            terms.model = model;
            terms.clip = 1;
            rule->GetRelease()->SetLedger(CreateObject<GaussianLedger>(), terms);
        }
    }
};

TEST_F(FederatedFigures, RulesSendWhatTheyLikeBehindTheModelAndTheUpdate)
{
    for (const std::string compressor : {"Compressor", "TopKCompressor"})
    {
        Build(3, "ideal", EchoClient::GetTypeId());
        Choose<TellingServer>("Rule");
        for (const auto& client : m_federation.clients)
        {
            client->GetExchange()->SetAttribute("Compressor",
                                                StringValue("ns3::dlearn::" + compressor));
        }
        Connect(4);
        Run();
        const auto rule = DynamicCast<TellingServer>(m_server->GetRule());
        ASSERT_EQ(rule->updates.size(), 3U);
        for (const auto& updates : rule->updates)
        {
            ASSERT_EQ(updates.size(), 3U);
            for (const ClientUpdate& update : updates)
            {
                EXPECT_EQ(update.figures, Figures{100.0 * update.client});
                ModelVector whole(6);
                whole << 1, 1, 1, 1, 7, 14;
                if (compressor == "TopKCompressor") // its K is 1: of the whole vector
                {
                    whole << 0, 0, 0, 0, 0, 14;
                }
                EXPECT_EQ(update.values, whole) << compressor;
            }
        }
        const auto client = DynamicCast<EchoClient>(m_federation.clients[0]->GetRule());
        EXPECT_EQ(client->ends, std::vector<bool>(3, true));
        EXPECT_EQ(m_server->GetExchange()->GetMessageSize(ModelChannel::MODEL).bytes,
                  32U + 5 * 4 + 8);
        TearDown();
    }
}

TEST_F(FederatedFigures, ServerAndClientsMustAgree)
{
    Build(2, "ideal", EchoClient::GetTypeId());
    Choose<TellingServer>("Rule");
    DynamicCast<TellingServer>(m_server->GetRule())->longer = 1;
    ExpectRefused([&] { Connect(4); },
                  "channel update have 5 entries and the figures me for the server, and 6 entries");
    TearDown();
    Build(2, "ideal", EchoClient::GetTypeId());
    ExpectRefused([&] { Connect(4); },
                  "channel model have 4 entries for the server, and 5 entries and the figures you");
}

// Their loss by hand, at the model that they get.
TEST_F(FederatedFigures, ClientsReportSamplesStepsLossAndSeconds)
{
    Build(2, "ideal", LocalSgd::GetTypeId());
    Choose<KeepingServer>("Rule");
    Set("Rounds", UintegerValue(1));
    SetReports("samples+steps+loss+seconds");
    std::vector<Ptr<LocalData>> data;
    for (const uint32_t samples : {4, 6})
    {
        const Eigen::MatrixXd points = Eigen::MatrixXd::Constant(2, samples, samples);
        data.push_back(CreateObject<FixedData>(points));
    }
    m_federation.clients[0]->GetRule()->SetAttribute("LocalSteps", UintegerValue(3));
    m_federation.clients[1]->GetRule()->SetAttribute("BatchSize", UintegerValue(4));
    const ModelVector initial = Eigen::Vector2d(0.5, -2);
    Connect(data, initial);
    Run();
    const auto rule = DynamicCast<KeepingServer>(m_server->GetRule());
    ASSERT_EQ(rule->updates.size(), 2U);
    for (const size_t k : {0, 1})
    {
        const Figures& figures = rule->updates[k].figures;
        ASSERT_EQ(figures.size(), 4U);
        const uint32_t samples = k == 0 ? 4 : 6;
        EXPECT_EQ(figures[0], samples);
        EXPECT_EQ(figures[1], k == 0 ? 3 : 2);
        SampleIndices all(samples);
        std::iota(all.begin(), all.end(), 0);
        EXPECT_EQ(figures[2], data[k]->GetTask()->GetLoss(initial, EqualWeights(all)));
        EXPECT_DOUBLE_EQ(figures[3], 0.01);
        const RoundRecord& record = m_federation.clients[k]->GetRecords().at(0);
        EXPECT_EQ((Figures{record.samples, record.steps, record.loss, record.seconds}), figures);
    }
}

// A schedule gets the figures that it needs, if clients may report them.
TEST_F(FederatedFigures, ClientsReportWhatTheScheduleNeeds)
{
    const auto build = [this](TypeId sampling) {
        TearDown();
        Build(2, "ideal", LocalSgd::GetTypeId());
        m_server->GetSchedule()->SetAttribute("Sampling", TypeIdValue(sampling));
        SetReports("seconds");
    };
    build(OortSampling::GetTypeId());
    Connect();
    EXPECT_EQ(m_server->GetFormat(ModelChannel::UPDATE).figures,
              (std::vector<std::string>{"seconds", "samples", "rms"}));
    build(LossSampling::GetTypeId());
    Account(CreateObject<LocalDp>());
    ExpectRefused([&] { Connect(); }, "does not cover the figure loss");
    build(BestSampling::GetTypeId());
    ExpectRefused([&] { Connect(); }, "BestSampling: Figure must name a figure");
    build(BestSampling::GetTypeId());
    DynamicCast<SynchronousSchedule>(m_server->GetSchedule())
        ->GetSampling()
        ->SetAttribute("Figure", StringValue("humidity"));
    ExpectRefused([&] { Connect(); }, "clients cannot report the figure humidity");
    build(BestSampling::GetTypeId());
    DynamicCast<SynchronousSchedule>(m_server->GetSchedule())
        ->GetSampling()
        ->SetAttribute("Figure", StringValue("battery"));
    Connect();
    ExpectRefused([&] { Run(); }, "nothing in this run measures the figure battery");
}

TEST_F(FederatedFigures, ReportsAreRefusedThatAreUnknownOrNotCoveredByAnAccount)
{
    Build(1, "ideal", LocalSgd::GetTypeId());
    SetReports("samples+humidity");
    ExpectRefused([&] { Connect(); }, "got samples+humidity");
    TearDown();
    Build(1, "ideal", LocalSgd::GetTypeId());
    m_federation.clients[0]->AddReport("humidity", [] { return 0.4; });
    SetReports("samples+humidity");
    EXPECT_NO_THROW(Connect());
    TearDown();
    Build(1, "ideal", LocalSgd::GetTypeId());
    SetReports("steps+steps");
    ExpectRefused([&] { Connect(); }, "each once; got steps+steps");
    TearDown();
    Build(1, "ideal", LocalSgd::GetTypeId());
    SetReports("samples+steps+seconds+loss");
    Account(CreateObject<LocalDp>());
    ExpectRefused([&] { Connect(); }, "does not cover the figure loss");
    TearDown();
    Build(1, "ideal", LocalSgd::GetTypeId());
    SetReports("samples+steps+seconds");
    Account(CreateObject<LocalDp>());
    EXPECT_NO_THROW(Connect());
    TearDown();
    Build(1, "ideal", EchoClient::GetTypeId());
    Choose<TellingServer>("Rule");
    Account(CreateObject<LocalDp>());
    ExpectRefused([&] { Connect(4); }, "does not cover the figure me");
    TearDown();
    Build(1, "ideal", EchoClient::GetTypeId());
    Choose<TellingServer>("Rule");
    Account(CreateObject<CentralDp>());
    ExpectRefused([&] { Connect(4); }, "nothing must follow the difference of models");
}

/** Tells who and when in a figure, exactly. */
class FigurePeer : public ScriptedPeer
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::FigurePeer")
                                .SetParent<ScriptedPeer>()
                                .AddConstructor<FigurePeer>();
        return tid;
    }

    std::vector<RuleChannel> GetChannels() const override
    {
        auto channels = ScriptedPeer::GetChannels();
        channels[0].figures = {"script"};
        return channels;
    }

    Outbox Send() override
    {
        Outbox outbox = ScriptedPeer::Send();
        outbox[0].figures = {outbox[0].values[0]};
        return outbox;
    }
};

using PeerFigures = ScriptedPeers;

TEST_F(PeerFigures, RideWithTheVectorsOfPeers)
{
    for (const std::string transport : {"UdpTransport", "TcpTransport"})
    {
        m_rule = FigurePeer::GetTypeId();
        Build(Complete(3), "ns3::dlearn::" + transport);
        Run();
        ExpectUndisturbed({0, 1, 2});
        for (uint32_t round = 0; round < ROUNDS; ++round)
        {
            const auto rule = DynamicCast<ScriptedPeer>(m_peers[0]->GetRule());
            const Arrival* arrival = rule->inboxes.at(round).Find(2, ModelChannel::STATE);
            EXPECT_EQ(arrival->figures, Figures{GetScript(2, round)});
        }
        TearDown();
    }
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
