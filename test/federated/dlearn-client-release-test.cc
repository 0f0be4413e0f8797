/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What clients that train locally release under privacy, and what they are charged for it.
 */

#include "audit/dlearn-audited-loss.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/dlearn-fedavg-privacy.h"
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-joint-correlated-noise.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-local-sgd.h"
#include "ns3/dlearn-local-solve.h"
#include "ns3/double.h"
#include "ns3/names.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <optional>
#include <random>

namespace ns3::dlearn
{
namespace
{

constexpr double RELEASE_DELTA = 1e-5;
constexpr double RELEASE_CLIP = 0.5;

/** @return the epsilon of a sum of rates */
double
ToReleaseEpsilon(double rate)
{
    return SolveGaussianEpsilon(rate, RELEASE_DELTA);
}

/** @return data of 8 samples of 3 numbers whose labels are all the same */
Ptr<LocalData>
MakeData(double label)
{
    auto set = std::make_shared<Dataset>();
    set->features = Eigen::MatrixXd::NullaryExpr(3, 8, [](auto i, auto j) {
        return 1.5 + std::sin(1.0 + 2 * i + 3 * j + i * j * j);
    });
    set->labels = Eigen::VectorXd::Constant(8, label);
    const auto task = CreateObject<LeastSquaresTask>();
    task->SetData(set, nullptr);
    const auto data = CreateObject<ShardData>();
    data->SetShard(task, {0, 1, 2, 3, 4, 5, 6, 7}, 0);
    data->AssignStreams(1);
    return data;
}

Ptr<GaussianLedger>
MakeLedger(double budget)
{
    return CreateObjectWithAttributes<GaussianLedger>("Delta",
                                                      DoubleValue(RELEASE_DELTA),
                                                      "Budget",
                                                      DoubleValue(budget),
                                                      "Momentum",
                                                      BooleanValue(false));
}

FedAvgPlan
MakePlan(const Ptr<const ThreatModel>& model, size_t clients, double noise)
{
    FedAvgPlan plan;
    plan.model = model;
    plan.samples.assign(clients, 1);
    plan.clip = RELEASE_CLIP;
    plan.delta = RELEASE_DELTA;
    plan.noise = noise;
    return plan;
}

Ptr<WorkerNoise>
MakeNoise(double scale)
{
    const auto noise = CreateObjectWithAttributes<WorkerNoise>("Independent", DoubleValue(scale));
    noise->AssignStreams(7);
    return noise;
}

/** @return a client of two local steps, still to be set up */
Ptr<LocalSgd>
MakeClient(double clip)
{
    return CreateObjectWithAttributes<LocalSgd>("LocalSteps",
                                                UintegerValue(2),
                                                "ClipNorm",
                                                DoubleValue(clip));
}

ModelVector
Train(ClientRule& rule, uint32_t round, const ModelVector& model)
{
    rule.BeginRound(round, model);
    rule.Compute();
    return rule.Send();
}

const ModelVector RELEASED_MODEL = Eigen::Vector3d(0.5, -1, 2);

// Against the difference of a client without privacy, clipped by hand, and the noise by itself.
TEST(ClientRelease, AMessageIsTheClippedUpdateAndNoise)
{
    for (const double label : {1.3, 40.0, -40.0}) // the first is shorter than C, 0.25
    {
        const auto plain = MakeClient(0);
        plain->Setup(MakeData(label));
        const auto priv = MakeClient(RELEASE_CLIP);
        const auto noise = MakeNoise(0.3);
        priv->GetRelease()->SetNoise(noise, 4);
        priv->Setup(MakeData(label));
        for (const uint32_t round : {0, 1, 5})
        {
            ModelVector expected = Train(*plain, round, RELEASED_MODEL);
            expected *= std::min(1.0, RELEASE_CLIP / expected.norm());
            noise->Add(4, round, expected);
            EXPECT_LT((Train(*priv, round, RELEASED_MODEL) - expected).norm(), 1e-14) << label;
        }
    }
}

TEST(ClientRelease, WithoutNoiseAndWithALongClipNormNothingChanges)
{
    for (const bool solve : {false, true})
    {
        const auto make = [&](double clip) -> Ptr<LocalTraining> {
            Ptr<LocalTraining> rule = MakeClient(0);
            if (solve)
            {
                rule = CreateObject<LocalSolve>();
            }
            rule->SetAttribute("ClipNorm", DoubleValue(clip));
            rule->Setup(MakeData(3));
            return rule;
        };
        const auto plain = make(0);
        const auto clipped = make(1e9);
        for (uint32_t round = 0; round < 3; ++round)
        {
            EXPECT_EQ(Train(*plain, round, RELEASED_MODEL),
                      Train(*clipped, round, RELEASED_MODEL)); // to the last bit
        }
        EXPECT_EQ(plain->GetLedger(), nullptr);
    }
}

// Any observer can recognize an update without a finite norm, so no part of it may be left.
TEST(ClientRelease, AnUpdateThatDivergedIsClippedToNothing)
{
    const auto rule = MakeClient(RELEASE_CLIP);
    rule->SetAttribute("StepSize", DoubleValue(1e200));
    rule->Setup(MakeData(3));
    EXPECT_EQ(Train(*rule, 0, RELEASED_MODEL), ModelVector::Zero(3));
    ModelVector vector = ModelVector::Constant(3, std::nan(""));
    ClientRelease::Clip(0, vector);
    EXPECT_TRUE(std::isnan(vector[0])); // without clipping the server is to refuse it
    ClientRelease::Clip(1, vector);
    EXPECT_EQ(vector, ModelVector::Zero(3));
}

// The twin of a client has other data in all its samples. Both are given the same models, as one
// observer would see them. Their messages differ by at most 2C less noise; opposite labels do it.
TEST(ClientRelease, MessagesOfNeighboursDifferByAtMostTheSensitivity)
{
    double largest = 0;
    for (const double label : {0.0, 1.0, 5.0, 400.0})
    {
        const auto one = MakeClient(RELEASE_CLIP);
        const auto twin = MakeClient(RELEASE_CLIP);
        for (const auto& rule : {one, twin})
        {
            rule->GetRelease()->SetNoise(MakeNoise(0.7), 2);
            rule->Setup(MakeData(rule == one ? label : -label));
        }
        ModelVector model = ModelVector::Zero(3);
        for (uint32_t round = 0; round < 6; ++round)
        {
            const ModelVector sent = Train(*one, round, model);
            const double distance = (sent - Train(*twin, round, model)).norm();
            EXPECT_LE(distance, 2 * RELEASE_CLIP * (1 + 1e-12)) << label;
            largest = std::max(largest, distance);
            model += sent;
        }
    }
    EXPECT_GT(largest, 2 * RELEASE_CLIP * 0.9999);
}

// T a (2C)^2 / (2 s^2), converted; a round whose message never left costs nothing.
TEST(ClientRelease, EachMessageThatLeftCostsAGaussianRelease)
{
    const double noise = 0.8;
    const double rate = 4 * RELEASE_CLIP * RELEASE_CLIP / (2 * noise * noise);
    const auto rule = MakeClient(RELEASE_CLIP);
    rule->GetRelease()->SetNoise(MakeNoise(noise), 0);
    rule->GetRelease()->SetLedger(MakeLedger(0),
                                  GetReleaseTerms(MakePlan(CreateObject<LocalDp>(), 3, noise), 0));
    rule->Setup(MakeData(3));
    uint32_t left = 0;
    for (uint32_t round = 0; round < 12; ++round)
    {
        Train(*rule, round, RELEASED_MODEL);
        EXPECT_NEAR(rule->GetLedger()->GetEpsilon(), ToReleaseEpsilon((left + 1) * rate), 1e-10)
            << "counts as sent while it is under way, round " << round;
        left += round % 3 == 1 ? 0 : 1;
        rule->EndRound(round % 3 != 1);
        EXPECT_NEAR(rule->GetLedger()->GetEpsilon(), ToReleaseEpsilon(left * rate), 1e-10) << round;
    }
    EXPECT_NEAR(rule->GetLedger()->GetNominalEpsilon(), ToReleaseEpsilon(12 * rate), 1e-10);
    rule->SetObserved();
    Train(*rule, 12, RELEASED_MODEL);
    rule->EndRound(false); // but an attacker has seen it
    EXPECT_NEAR(rule->GetLedger()->GetEpsilon(), ToReleaseEpsilon((left + 1) * rate), 1e-10);
}

TEST(ClientRelease, ABudgetStopsTheClientBeforeItIsExceeded)
{
    const double rate = 4 * RELEASE_CLIP * RELEASE_CLIP / 2;
    const auto rule = MakeClient(RELEASE_CLIP);
    rule->GetRelease()->SetNoise(MakeNoise(1), 0);
    rule->GetRelease()->SetLedger(MakeLedger(ToReleaseEpsilon(3.5 * rate)),
                                  GetReleaseTerms(MakePlan(CreateObject<LocalDp>(), 3, 1), 0));
    rule->Setup(MakeData(3));
    for (uint32_t round = 0; round < 5; ++round)
    {
        Train(*rule, round, RELEASED_MODEL);
        EXPECT_EQ(rule->CanContinue(), round < 3) << round;
        if (rule->CanContinue())
        {
            rule->EndRound(true);
        }
    }
    EXPECT_NEAR(rule->GetLedger()->GetEpsilon(), ToReleaseEpsilon(3 * rate), 1e-10);
}

/** A trusted server of FedAvg, and clients; the test says which of their messages arrive. */
class TrustedFedAvg
{
  public:
    TrustedFedAvg(std::vector<uint32_t> samples, double noise, double momentum, double budget)
        : m_samples(std::move(samples)),
          m_noise(noise),
          m_server(MakeServer(momentum, noise))
    {
        FedAvgPlan plan = MakePlan(CreateObject<CentralDp>(), 1, noise);
        plan.samples = m_samples;
        PointerValue shared;
        m_server->GetAttribute("Noise", shared);
        for (size_t k = 0; k < m_samples.size(); ++k)
        {
            const auto rule = MakeClient(RELEASE_CLIP);
            rule->GetRelease()->SetServerNoise(shared.Get<ServerNoise>(), k + 1);
            rule->GetRelease()->SetLedger(MakeLedger(budget), GetReleaseTerms(plan, k));
            rule->Setup(MakeData(k + 1.0));
            m_clients.push_back(rule);
        }
    }

    ~TrustedFedAvg()
    {
        for (const auto& client : m_clients)
        {
            client->Dispose();
        }
    }

    /** @return an update that may come at any time, with its weight of staleness */
    ClientUpdate Work(size_t client, uint32_t round, double weight)
    {
        ClientUpdate update;
        update.client = client + 1;
        update.round = round;
        update.weight = weight;
        update.values = Train(*m_clients[client], round, m_server->GetModel());
        m_clients[client]->EndRound(true);
        return update;
    }

    bool CanContinue(size_t client) const { return m_clients[client]->CanContinue(); }

    /**
     * Aggregate, and measure what the release told: the model moves by so much when the updates of
     * a client all move by one, as servers without privacy show.
     */
    void Aggregate(const std::vector<ClientUpdate>& updates)
    {
        const uint64_t skipped = m_server->GetSkipped();
        m_server->Aggregate(updates);
        if (m_server->GetSkipped() > skipped || updates.empty())
        {
            return;
        }
        m_rates.resize(m_clients.size());
        for (size_t k = 0; k < m_clients.size(); ++k)
        {
            const auto bare = MakeServer(0, std::nullopt);
            const auto moved = MakeServer(0, std::nullopt);
            bare->Aggregate(updates);
            std::vector<ClientUpdate> other = updates;
            for (ClientUpdate& update : other)
            {
                update.values[0] += update.client == k + 1 ? 1 : 0;
            }
            moved->Aggregate(other);
            const double share = moved->GetModel()[0] - bare->GetModel()[0];
            m_rates[k] += std::pow(2 * RELEASE_CLIP * share / m_noise, 2) / 2;
        }
    }

    double GetTruth(size_t client) const
    {
        return m_rates.empty() ? 0 : ToReleaseEpsilon(m_rates[client]);
    }

    double GetEpsilon(size_t client) const { return m_clients[client]->GetLedger()->GetEpsilon(); }

    double GetNominalEpsilon(size_t client) const
    {
        return m_clients[client]->GetLedger()->GetNominalEpsilon();
    }

    uint64_t GetSkipped() const { return m_server->GetSkipped(); }

  private:
    Ptr<FedAvgServer> MakeServer(double momentum, std::optional<double> noise) const
    {
        const auto server =
            CreateObjectWithAttributes<FedAvgServer>("Momentum", DoubleValue(momentum));
        if (noise)
        {
            const auto added =
                CreateObjectWithAttributes<ServerNoise>("Scale", DoubleValue(*noise));
            added->AssignStreams(3);
            server->SetAttribute("Noise", PointerValue(added));
        }
        ServerContext context;
        context.initialModel = RELEASED_MODEL;
        for (size_t k = 0; k < m_samples.size(); ++k)
        {
            context.samples[k + 1] = m_samples[k];
        }
        server->Setup(context);
        return server;
    }

    std::vector<uint32_t> m_samples;      //!< n_i
    double m_noise;                       //!< of the server
    Ptr<FedAvgServer> m_server;           //!< the server's rule
    std::vector<Ptr<LocalSgd>> m_clients; //!< the clients'
    std::vector<double> m_rates;          //!< true sum of rates of each client
};

// Messages are lost, wait in a buffer, come late with less weight or several in one aggregate.
TEST(ClientRelease, ATrustedServersModelsCostWhatTheyTell)
{
    for (uint32_t seed = 0; seed < 60; ++seed)
    {
        std::mt19937 random(seed);
        const auto happens = [&](double probability) {
            return std::uniform_real_distribution<double>(0, 1)(random) < probability;
        };
        const double budget = happens(0.3) ? 9 : 0;
        TrustedFedAvg run({3, 1, 10, 4, 4}, 0.6, happens(0.5) ? 0.9 : 0, budget);
        std::vector<ClientUpdate> buffer;
        for (uint32_t round = 0; round < 8; ++round)
        {
            for (size_t k = 0; k < 5; ++k)
            {
                if (happens(0.8))
                {
                    const auto update = run.Work(k, round, happens(0.3) ? 0.5 : 1);
                    if (run.CanContinue(k) && happens(0.8))
                    {
                        buffer.push_back(update);
                    }
                }
            }
            if (happens(0.7))
            {
                run.Aggregate(buffer);
                buffer.clear();
            }
            for (size_t k = 0; k < 5; ++k)
            {
                EXPECT_NEAR(run.GetEpsilon(k), run.GetTruth(k), 1e-9) << seed << " " << round;
                if (budget > 0)
                {
                    EXPECT_LE(run.GetEpsilon(k), budget * (1 + 1e-9)) << seed;
                }
            }
        }
    }
}

TEST(ClientRelease, UndisturbedAClientOfATrustedServerSpendsWhatWasPlanned)
{
    TrustedFedAvg run({3, 1, 10, 4, 4}, 0.6, 0.9, 0);
    for (uint32_t round = 0; round < 5; ++round)
    {
        std::vector<ClientUpdate> updates;
        for (size_t k = 0; k < 5; ++k)
        {
            updates.push_back(run.Work(k, round, 1));
        }
        run.Aggregate(updates);
    }
    const double share = 10.0 / 22;
    const double epsilon = ToReleaseEpsilon(5 * std::pow(2 * RELEASE_CLIP * share / 0.6, 2) / 2);
    EXPECT_NEAR(run.GetEpsilon(2), epsilon, 1e-10);
    EXPECT_NEAR(run.GetNominalEpsilon(2), epsilon, 1e-10);
    EXPECT_LT(run.GetEpsilon(1), epsilon);
}

// Client 3 alone in the aggregate would cost more than its budget; the model is not told.
TEST(ClientRelease, ATrustedServerReleasesNothingThatABudgetForbids)
{
    const double share = 10.0 / 22;
    TrustedFedAvg run({3, 1, 10, 4, 4},
                      0.6,
                      0,
                      ToReleaseEpsilon(std::pow(2 * RELEASE_CLIP * share / 0.6, 2)));
    run.Aggregate({run.Work(2, 0, 1)});
    EXPECT_EQ(run.GetSkipped(), 1U);
    EXPECT_EQ(run.GetEpsilon(2), 0);
    run.Aggregate({run.Work(0, 1, 1), run.Work(2, 1, 1)});
    EXPECT_EQ(run.GetSkipped(), 2U);
}

// Two runs of the server, of which one client has a twin with other data, given the same models.
TEST(ClientRelease, ModelsOfATrustedServerMoveByAtMostTheShareOfTheSensitivity)
{
    const auto aggregate = [](double label) {
        const auto server = CreateObject<FedAvgServer>();
        ServerContext context;
        context.initialModel = RELEASED_MODEL;
        context.samples = {{1, 3}, {2, 5}};
        server->Setup(context);
        std::vector<ClientUpdate> updates(2);
        for (size_t k = 0; k < 2; ++k)
        {
            const auto rule = MakeClient(RELEASE_CLIP);
            rule->Setup(MakeData(k == 0 ? label : 2));
            updates[k].client = k + 1;
            updates[k].values = Train(*rule, 0, RELEASED_MODEL);
        }
        server->Aggregate(updates);
        return server->GetModel();
    };
    const double distance = (aggregate(500) - aggregate(-500)).norm();
    EXPECT_LE(distance, 2 * RELEASE_CLIP * 3 / 8 * (1 + 1e-12));
    EXPECT_GT(distance, 2 * RELEASE_CLIP * 3 / 8 * 0.999);
}

TEST(ClientRelease, RefusesWhatTheAccountCanNotBound)
{
    const auto setup = [](double clip, double noise, const ReleaseTerms& terms) {
        const auto rule = MakeClient(clip);
        rule->GetRelease()->SetNoise(MakeNoise(noise), 0);
        rule->GetRelease()->SetLedger(MakeLedger(0), terms);
        rule->Setup(MakeData(1));
    };
    const auto local = GetReleaseTerms(MakePlan(CreateObject<LocalDp>(), 3, 1), 0);
    EXPECT_NO_THROW(setup(RELEASE_CLIP, 1, local));
    ExpectRefused([&] { setup(2 * RELEASE_CLIP, 1, local); },
                  "ClipNorm must be greater than 0 and at most the 0.5 of its privacy account");
    ExpectRefused([&] { setup(0, 1, local); }, "ClipNorm must be greater than 0");
    ExpectRefused([&] { setup(RELEASE_CLIP, 0.9, local); },
                  "independent noise must be at least the 1 that its privacy account counts on");
    ReleaseTerms shared = local;
    shared.model = CreateObject<SecretLocalDp>();
    ExpectRefused([&] { setup(RELEASE_CLIP, 1, shared); },
                  "LocalSgd: the threat model must be ns3::dlearn::LocalDp or "
                  "ns3::dlearn::CentralDp, got ns3::dlearn::SecretLocalDp");
    const auto central = GetReleaseTerms(MakePlan(CreateObject<CentralDp>(), 3, 1), 0);
    ExpectRefused([&] { setup(RELEASE_CLIP, 1, central); }, "CentralDp needs the server's noise");
}

/** A client that paths begin at, with noise of both kinds and, with a budget, an account. */
class ReachedRelease : public testing::Test
{
  protected:
    ReachedRelease()
        : m_correlated(CreateObject<JointCorrelatedNoise>())
    {
        m_correlated->SetWorkers(4);
        m_noise->SetCorrelated(m_correlated);
        m_noise->AssignStreams(7);
        m_rule->GetRelease()->SetNoise(m_noise, 2);
        Names::Add("client", m_rule);
    }

    ~ReachedRelease() override
    {
        m_rule->Dispose();
        Names::Clear();
    }

    void SetLedger(double budget)
    {
        const auto terms = GetReleaseTerms(MakePlan(CreateObject<LocalDp>(), 3, 1), 0);
        m_rule->GetRelease()->SetLedger(MakeLedger(budget), terms);
    }

    /** Set an attribute of a part of the release. */
    static void Set(const std::string& path, double value)
    {
        Config::Set("/Names/client/Release/" + path, DoubleValue(value));
    }

    Ptr<JointCorrelatedNoise> m_correlated;
    Ptr<WorkerNoise> m_noise{MakeNoise(1)};
    Ptr<LocalSgd> m_rule{MakeClient(RELEASE_CLIP)};
};

TEST_F(ReachedRelease, NoiseSetByPathsIsWhatIsAdded)
{
    m_rule->Setup(MakeData(3));
    const auto plain = MakeClient(RELEASE_CLIP);
    plain->Setup(MakeData(3));
    for (const uint32_t round : {1, 2})
    {
        const double scale = 3.0 / (round * round);
        Set("Noise/Independent", scale);
        Set("Noise/Correlated/$ns3::dlearn::JointCorrelatedNoise/Scale", 2 * scale);
        EXPECT_EQ(m_noise->GetScales().independent, scale);
        EXPECT_EQ(m_noise->GetScales().correlated, 2 * scale);
        m_rule->BeginRound(round, RELEASED_MODEL);
        m_rule->Compute();
        plain->BeginRound(round, RELEASED_MODEL);
        plain->Compute();
        ModelVector expected = plain->Send();
        m_noise->Add(2, round, expected);
        EXPECT_LT((m_rule->Send() - expected).norm(), 1e-12) << scale;
    }
}

TEST_F(ReachedRelease, ABudgetSetByAPathStopsTheClient)
{
    SetLedger(0); // without limit
    m_rule->Setup(MakeData(3));
    Train(*m_rule, 0, RELEASED_MODEL);
    m_rule->EndRound(true);
    EXPECT_TRUE(m_rule->CanContinue());
    Set("Ledger/Budget", m_rule->GetLedger()->GetEpsilon() * 1.01);
    Train(*m_rule, 1, RELEASED_MODEL);
    EXPECT_FALSE(m_rule->CanContinue());
}

TEST_F(ReachedRelease, LessThanTheAccountCountsOnIsRefusedAtAnyTime)
{
    SetLedger(0);
    m_rule->Setup(MakeData(3));
    Train(*m_rule, 0, RELEASED_MODEL);
    m_rule->EndRound(true);
    Set("Noise/Independent", 0.9);
    ExpectRefused([&] { Train(*m_rule, 1, RELEASED_MODEL); },
                  "LocalSgd: independent noise must be at least the 1 that its privacy account "
                  "counts on, got 0.9");
    Set("Noise/Independent", 2);
    m_rule->SetAttribute("ClipNorm", DoubleValue(2 * RELEASE_CLIP));
    ExpectRefused([&] { Train(*m_rule, 2, RELEASED_MODEL); },
                  "LocalSgd: ClipNorm must be greater than 0 and at most the 0.5 of its privacy "
                  "account, got 1");
    m_rule->SetAttribute("ClipNorm", DoubleValue(RELEASE_CLIP));
    EXPECT_NO_THROW(Train(*m_rule, 3, RELEASED_MODEL));
}

TEST_F(ReachedRelease, ItsPartsAreNotReplacedAfterSetUp)
{
    SetLedger(0);
    m_rule->Setup(MakeData(3));
    const auto release = m_rule->GetRelease();
    ExpectRefused([&] { release->SetNoise(nullptr, 0); },
                  "LocalSgd: the client's noise cannot be replaced after set-up");
    ExpectRefused([&] { release->SetServerNoise(nullptr, 0); },
                  "LocalSgd: the server's noise cannot be replaced after set-up");
    ExpectRefused([&] { release->SetLedger(nullptr, {}); },
                  "LocalSgd: the client's ledger cannot be replaced after set-up");
}

TEST(ClientRelease, AnAccountServesOneClient)
{
    const auto ledger = MakeLedger(0);
    std::vector<Ptr<LocalSgd>> clients;
    const auto setup = [&] {
        const auto rule = MakeClient(RELEASE_CLIP);
        clients.push_back(rule);
        rule->GetRelease()->SetNoise(MakeNoise(1), 0);
        rule->GetRelease()->SetLedger(ledger,
                                      GetReleaseTerms(MakePlan(CreateObject<LocalDp>(), 3, 1), 0));
        rule->Setup(MakeData(1));
    };
    EXPECT_NO_THROW(setup());
    ExpectRefused(setup, "this ns3::dlearn::GaussianLedger is a part of another");
}

// An account that waits for releases of a noise that no server adds would stay at 0.
TEST(ClientRelease, RefusesToSendWithoutAServerThatAddsTheNoise)
{
    const auto rule = MakeClient(RELEASE_CLIP);
    rule->GetRelease()->SetServerNoise(CreateObject<ServerNoise>(), 1);
    rule->GetRelease()->SetLedger(MakeLedger(0),
                                  GetReleaseTerms(MakePlan(CreateObject<CentralDp>(), 3, 1), 0));
    rule->Setup(MakeData(1));
    ExpectRefused([&] { Train(*rule, 0, RELEASED_MODEL); },
                  "no server adds the noise that the privacy account of client 1 counts on");
    rule->Dispose();
}

} // namespace
} // namespace ns3::dlearn
