/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "audit/dlearn-audited-loss.h"
#include "federated/dlearn-account-setting.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-privacy-plans.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>

namespace ns3::dlearn
{
namespace
{

using test::Chance;
using test::CLIP;
using test::DELTA;
using test::MakeData;
using test::MakeTask;
using test::MODEL;
using test::Setting;
using test::ToEpsilon;

/** Workers without a network: the test says what arrives. */
class Workers
{
  public:
    explicit Workers(const Setting& setting)
        : m_setting(setting)
    {
        const auto shared = CreateObject<PairwiseCorrelatedNoise>();
        shared->SetAttribute("Scale", DoubleValue(setting.noise.correlated));
        shared->SetWorkers(setting.counts.workers);
        m_noise = CreateObjectWithAttributes<WorkerNoise>("Independent",
                                                          DoubleValue(setting.noise.independent),
                                                          "NoiseRecovery",
                                                          BooleanValue(setting.repair));
        m_noise->SetCorrelated(shared);
        m_noise->AssignStreams(1);
        for (uint32_t k = 0; k < setting.counts.workers; ++k)
        {
            const auto worker = setting.MakeWorker();
            worker->SetNoise(m_noise, k);
            worker->SetLedger(setting.MakeLedger(), setting.GetPlan());
            worker->Setup(MakeData());
            m_states.push_back({worker});
        }
    }

    ~Workers()
    {
        for (State& state : m_states)
        {
            state.rule->Dispose();
        }
    }

    uint32_t GetSize() const { return m_states.size(); }

    bool IsTraining(uint32_t worker) const { return m_states[worker].training; }

    bool IsUnderWay(uint32_t worker) const { return m_states[worker].underWay.has_value(); }

    void Begin(uint32_t worker, uint32_t round)
    {
        State& state = m_states[worker];
        Settle(worker, true);
        state.rule->BeginRound(round, MODEL);
        state.round = round;
        state.training = true;
    }

    /** @return whether the budget let it send */
    bool Send(uint32_t worker)
    {
        State& state = m_states[worker];
        state.training = false;
        state.rule->Compute();
        state.rule->Send();
        if (state.rule->CanContinue())
        {
            m_drawn.emplace_back(worker, state.round);
            state.underWay = state.round;
        }
        return state.rule->CanContinue();
    }

    /** What is under way has left, or will not. */
    void Settle(uint32_t worker, bool transmitted)
    {
        State& state = m_states[worker];
        if (state.underWay)
        {
            state.rule->EndRound(transmitted);
            if (transmitted)
            {
                m_left.emplace_back(worker, *state.underWay);
            }
            state.underWay.reset();
        }
    }

    void Correct(uint32_t worker, const std::set<uint32_t>& lost)
    {
        ModelVector request = ModelVector::Zero(m_states.size());
        for (const uint32_t dropout : lost)
        {
            request[dropout] = 1;
        }
        if (m_states[worker].rule->Answer(1, request).values.size() > 0)
        {
            m_corrections.push_back({worker, m_states[worker].round, lost});
        }
    }

    /** @return the exact rate of everything up to now; what is under way counts as seen */
    double GetTruth(uint32_t worker, const GaussianAuditSetting& setting) const
    {
        MessageAudit audit(setting);
        for (const auto& [drawer, round] : m_drawn)
        {
            audit.Draw(drawer, round);
        }
        for (const auto& [sender, round] : m_left)
        {
            audit.Send(sender, round);
        }
        for (uint32_t k = 0; k < m_states.size(); ++k)
        {
            if (m_states[k].underWay)
            {
                audit.Send(k, *m_states[k].underWay);
            }
        }
        for (const auto& [sender, round, lost] : m_corrections)
        {
            audit.Correct(sender, round, lost);
        }
        return audit.GetRate(worker);
    }

    CafCorWorker& GetRule(uint32_t worker) const { return *m_states[worker].rule; }

    double GetEpsilon(uint32_t worker) const
    {
        return m_states[worker].rule->GetLedger()->GetEpsilon();
    }

    const Setting& GetSetting() const { return m_setting; }

  private:
    /** One worker. */
    struct State
    {
        Ptr<CafCorWorker> rule;             //!< its rule
        uint32_t round{0};                  //!< of its last model
        bool training{false};               //!< whether it has not sent yet
        std::optional<uint32_t> underWay{}; //!< round of a message that may leave
    };

    /** A correction that left. */
    struct Correction
    {
        uint32_t worker;         //!< who answered
        uint32_t round;          //!< of its message
        std::set<uint32_t> lost; //!< who was named
    };

    Setting m_setting;                                  //!< what it is made of
    Ptr<WorkerNoise> m_noise;                           //!< of all workers
    std::vector<State> m_states;                        //!< workers
    std::vector<std::pair<uint32_t, uint32_t>> m_drawn; //!< worker, round
    std::vector<std::pair<uint32_t, uint32_t>> m_left;  //!< worker, round
    std::vector<Correction> m_corrections;              //!< that left
};

/** One round: some get the model, some answer in time, the others are named lost. */
void
RunRound(Workers& workers, uint32_t round, Chance& chance, bool silent)
{
    const uint32_t n = workers.GetSize();
    const uint32_t honest = n - workers.GetSetting().counts.byzantine;
    std::set<uint32_t> arrived;
    std::set<uint32_t> lost;
    for (uint32_t k = 0; k < n; ++k)
    {
        const bool takesPart = k < honest || !silent;
        if (takesPart && !workers.IsTraining(k) && chance.Happens(0.9))
        {
            workers.Begin(k, round);
            if (chance.Happens(0.8) && workers.Send(k))
            {
                if (chance.Happens(0.8))
                {
                    arrived.insert(k);
                }
                else if (chance.Happens(0.5))
                {
                    workers.Settle(k, chance.Happens(0.5));
                }
            }
        }
        if (arrived.count(k) == 0)
        {
            lost.insert(k);
        }
    }
    // Answers to the server and messages of those who are late come in any order.
    std::vector<uint32_t> order(n);
    for (uint32_t k = 0; k < n; ++k)
    {
        order[k] = k;
    }
    chance.Shuffle(order);
    for (const uint32_t k : order)
    {
        if (arrived.count(k) > 0 && !lost.empty() && chance.Happens(0.8))
        {
            workers.Correct(k, lost);
        }
        if (lost.count(k) > 0 && workers.IsTraining(k) && chance.Happens(0.7) && workers.Send(k) &&
            chance.Happens(0.3))
        {
            workers.Settle(k, chance.Happens(0.7));
        }
    }
}

/** Expect that no honest worker's ledger is below the truth. @return largest truth / account */
double
ExpectSound(const Workers& workers, const GaussianAuditSetting& audit, const std::string& what)
{
    double tightest = 0;
    for (uint32_t k = 0; k < workers.GetSize() - workers.GetSetting().counts.byzantine; ++k)
    {
        const double truth = ToEpsilon(workers.GetTruth(k, audit));
        const double accounted = workers.GetEpsilon(k);
        EXPECT_GE(accounted * (1 + 1e-9), truth) << what << ", worker " << k;
        tightest = accounted > 0 && std::isfinite(accounted) ? std::max(tightest, truth / accounted)
                                                             : tightest;
    }
    return tightest;
}

/** A random setting and who its adversary is. */
struct Case
{
    Setting setting;            //!< of the workers
    GaussianAuditSetting audit; //!< of the truth
    bool silent{false};         //!< whether Byzantine workers send nothing, as the lemma has it
};

Case
DrawCase(Chance& chance)
{
    Case one;
    Setting& setting = one.setting;
    setting.counts.workers = 5 + chance.Pick(3);
    setting.counts.byzantine = chance.Pick(3);
    setting.noise = {0.3 + 0.4 * chance.Pick(5), 0.2 + 0.3 * chance.Pick(4)};
    setting.momentum = std::vector<double>{0, 0.5, 0.85, 0.97}[chance.Pick(4)];
    setting.repair = chance.Happens(0.75);
    one.audit = setting.GetAudit();
    const uint32_t honest = setting.counts.workers - setting.counts.byzantine;
    for (uint32_t k = honest; k < setting.counts.workers; ++k)
    {
        one.audit.byzantine.insert(k);
    }
    switch (chance.Pick(4))
    {
    case 0:
        setting.model = CreateObject<ByzantineLocalDp>();
        one.audit.colluding = one.audit.byzantine;
        break;
    case 1:
        setting.model = CreateObject<LemmaLocalDp>();
        one.silent = true;
        break;
    default:
        setting.model = CreateObject<SecretLocalDp>();
    }
    return one;
}

TEST(ClientAccount, IsNeverBelowTheTruthAgainstObserversOfMessages)
{
    double tightest = 0;
    for (uint32_t seed = 0; seed < 400; ++seed)
    {
        Chance chance(seed);
        const Case one = DrawCase(chance);
        Workers workers(one.setting);
        const uint32_t rounds = 3 + chance.Pick(4);
        for (uint32_t round = 0; round < rounds; ++round)
        {
            RunRound(workers, round, chance, one.silent);
            if (round + 1 == rounds || chance.Happens(0.3))
            {
                const double ratio =
                    ExpectSound(workers, one.audit, "seed " + std::to_string(seed));
                tightest = std::max(tightest, ratio);
            }
        }
    }
    EXPECT_GT(tightest, 0.999); // and it is the truth where nothing goes wrong
}

TEST(ClientAccount, KeepsItsBudgetWhateverIsRevealed)
{
    uint32_t stopped = 0;
    for (uint32_t seed = 0; seed < 100; ++seed)
    {
        Chance chance(1000 + seed);
        Case one = DrawCase(chance);
        one.setting.noise.independent += 0.5;
        one.audit.noise = one.setting.noise;
        one.setting.budget = 40 + chance.Pick(60);
        Workers workers(one.setting);
        for (uint32_t round = 0; round < 6; ++round)
        {
            RunRound(workers, round, chance, one.silent);
        }
        ExpectSound(workers, one.audit, "seed " + std::to_string(seed));
        for (uint32_t k = 0; k < workers.GetSize(); ++k)
        {
            EXPECT_LE(workers.GetEpsilon(k), one.setting.budget * (1 + 1e-9)) << seed;
            stopped += workers.GetEpsilon(k) > 0.7 * one.setting.budget ? 1 : 0;
        }
    }
    EXPECT_GT(stopped, 20U); // it was spent, too
}

/** Six workers against a server that repairs. */
Setting
MakeRepairSetting(double momentum)
{
    Setting setting;
    setting.model = CreateObject<ByzantineLocalDp>();
    setting.counts = {6, 1};
    setting.noise = {2, 1};
    setting.momentum = momentum;
    setting.repair = true;
    return setting;
}

/** The rate of a worker with its own noise alone. */
double
GetAloneRate()
{
    return GaussianRate(2 * CLIP, 1);
}

TEST(ClientAccount, AccountsForNamedDropoutsWithoutSharedNoise)
{
    // Worker 5 has sent; 4 trains still; 3 has no model yet. All are named lost in round 0.
    Workers workers(MakeRepairSetting(0.5));
    for (uint32_t k : {0, 1, 2, 4, 5})
    {
        workers.Begin(k, 0);
    }
    for (uint32_t k : {0, 1, 2, 5})
    {
        workers.Send(k);
    }
    workers.Correct(0, {3, 4, 5});
    EXPECT_DOUBLE_EQ(workers.GetEpsilon(5), ToEpsilon(GetAloneRate()));
    EXPECT_EQ(workers.GetEpsilon(4), 0); // nothing was sent yet
    workers.Send(4);
    EXPECT_DOUBLE_EQ(workers.GetEpsilon(4), ToEpsilon(GetAloneRate()));
    workers.Begin(3, 0);
    workers.Send(3);
    EXPECT_DOUBLE_EQ(workers.GetEpsilon(3), ToEpsilon(GetAloneRate()));
    // A worker that was not lost pays for three that are, even if it has not answered.
    const auto plan = MakeRepairSetting(0.5).GetPlan();
    for (uint32_t k : {0, 1, 2})
    {
        EXPECT_DOUBLE_EQ(workers.GetEpsilon(k),
                         ToEpsilon(GetReleaseTerms(plan).GetRecoveredRate(3)));
    }
}

TEST(ClientAccount, AccountsForTheUnionOfAllThatWereLost)
{
    for (const double momentum : {0.0, 0.9})
    {
        Workers workers(MakeRepairSetting(momentum));
        const auto plan = MakeRepairSetting(momentum).GetPlan();
        for (uint32_t round = 0; round < 3; ++round)
        {
            for (uint32_t k = 0; k < 6; ++k)
            {
                workers.Begin(k, round);
                workers.Send(k);
            }
            workers.Correct(0, {round + 1}); // another one in each round
        }
        // With momentum round 0 pays for three, round 1 for two, round 2 for one.
        const double union0 = GetReleaseTerms(plan).GetRecoveredRate(momentum > 0 ? 3 : 1);
        const double union1 = GetReleaseTerms(plan).GetRecoveredRate(momentum > 0 ? 2 : 1);
        EXPECT_DOUBLE_EQ(workers.GetEpsilon(0),
                         ToEpsilon(union0 + union1 + GetReleaseTerms(plan).GetRecoveredRate(1)));
    }
}

TEST(ClientAccount, AnswersOnlyWhereBudgetsReckonWithIt)
{
    Setting setting = MakeRepairSetting(0.5);
    setting.repair = false;
    Workers workers(setting);
    workers.Begin(0, 0);
    workers.Send(0);
    const double before = workers.GetEpsilon(0);
    workers.Correct(0, {1, 2});
    EXPECT_EQ(workers.GetEpsilon(0), before);
    const auto noise = CreateObject<WorkerNoise>();
    ModelVector vector = MODEL;
    ExpectRefused(
        [&] {
            noise->AddSharedWith({{0, 1}}, 0, {1}, vector);
        },
        "noise is revealed with the attribute NoiseRecovery only");
}

// Two workers with one number would have the same noise; recovery needs noise of pairs.
TEST(WorkerNoise, IsEachWorkersOwn)
{
    const auto noise = CreateObject<WorkerNoise>();
    noise->SetCorrelated(CreateObject<JointCorrelatedNoise>());
    noise->Claim(0);
    noise->Claim(1);
    ExpectRefused([&] { noise->Claim(1); },
                  "WorkerNoise: each worker needs its own number, got 1 twice");
    noise->SetAttribute("NoiseRecovery", BooleanValue(true));
    ExpectRefused([&] { noise->Claim(2); },
                  "WorkerNoise: NoiseRecovery needs noise of pairs, such as "
                  "ns3::dlearn::PairwiseCorrelatedNoise, got ns3::dlearn::JointCorrelatedNoise");
}

// The noise of a plan is for the samples that it names.
TEST(CafCorWorker, RefusesDataThatAreSampledOtherwiseThanPlanned)
{
    CafCorPlan plan;
    plan.model = CreateObject<LocalDp>();
    plan.counts = {3, 0};
    plan.clip = 1;
    plan.batch = 2;
    plan.samples = 4;
    plan.noise = {0, 10};
    const auto task = ConstCast<Task>(MakeTask());
    task->SetAttribute("ClipNorm", DoubleValue(1));
    const auto setup = [&](uint32_t shard, uint32_t samples) {
        const auto data = CreateObject<ShardData>();
        SampleIndices indices(shard);
        std::iota(indices.begin(), indices.end(), 0);
        data->SetShard(task, indices, samples);
        const auto noise = CreateObject<WorkerNoise>();
        noise->SetAttribute("Independent", DoubleValue(10));
        const auto ledger = CreateObject<GaussianLedger>();
        ledger->SetSampling(CafCorSampling(plan));
        const auto worker = CreateObject<CafCorWorker>();
        worker->SetNoise(noise, 0);
        worker->SetLedger(ledger, plan);
        worker->Setup(data);
    };
    setup(4, 2);
    ExpectRefused([&] { setup(4, 1); },
                  "CafCorWorker: the data must give the 2 samples a round that its privacy account "
                  "counts on, got 1");
    ExpectRefused([&] { setup(2, 2); },
                  "CafCorWorker: a sample must take part in a round with a probability of at most "
                  "the 0.5 that its privacy account counts on, got 1");
}

TEST(ClientAccount, CountsWhatIsUnderWayAsSent)
{
    Workers workers(MakeRepairSetting(0.5));
    workers.Begin(0, 0);
    EXPECT_EQ(workers.GetEpsilon(0), 0);
    workers.Send(0);
    const double sent = workers.GetEpsilon(0);
    EXPECT_DOUBLE_EQ(sent, ToEpsilon(CafCorRate(MakeRepairSetting(0.5).GetPlan())));
    workers.Settle(0, false);
    EXPECT_EQ(workers.GetEpsilon(0), 0);
    workers.Begin(0, 1);
    workers.Send(0); // momentum tells of both
    EXPECT_DOUBLE_EQ(workers.GetEpsilon(0),
                     ToEpsilon(2 * CafCorRate(MakeRepairSetting(0.5).GetPlan())));
    workers.Settle(0, false);
    EXPECT_EQ(workers.GetEpsilon(0), 0);
}

TEST(ClientAccount, RefusesNoiseThatTheThreatModelDoesNotCountOn)
{
    const auto make = [](const Ptr<const ThreatModel>& model, bool server) {
        Setting setting;
        setting.model = model;
        const auto worker = setting.MakeWorker();
        worker->SetLedger(setting.MakeLedger(), setting.GetPlan());
        worker->SetServerNoise(server ? CreateObject<ServerNoise>() : Ptr<ServerNoise>(), 1);
        worker->Setup(MakeData());
    };
    ExpectRefused([&] { make(CreateObject<CentralDp>(), false); },
                  "threat model ns3::dlearn::CentralDp needs the server's noise");
    ExpectRefused([&] { make(CreateObject<LocalDp>(), true); },
                  "threat model ns3::dlearn::LocalDp does not count on the server's noise");
}

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
    return rule.Send().values;
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

/** Attaches two entries to its difference of models. */
class AttachingClient : public LocalSgd
{
  public:
    MessageFormat GetFormat(ModelChannel channel) const override
    {
        return {channel == ModelChannel::UPDATE ? 5U : 3U, {}};
    }

  protected:
    ModelVector Train(const ModelVector& start, const SampleIndices& samples) override
    {
        m_attached.values = Eigen::Vector2d(2, -30);
        return LocalSgd::Train(start, samples);
    }
};

TEST(ClientRelease, WhatFollowsTheUpdateIsClippedAndHiddenWithIt)
{
    const auto plain = CreateObject<AttachingClient>();
    plain->Setup(MakeData(1.3));
    const auto priv = CreateObject<AttachingClient>();
    priv->SetAttribute("ClipNorm", DoubleValue(RELEASE_CLIP));
    const auto noise = MakeNoise(0.3);
    priv->GetRelease()->SetNoise(noise, 4);
    priv->Setup(MakeData(1.3));
    ModelVector expected = Train(*plain, 0, RELEASED_MODEL);
    ASSERT_EQ(expected.size(), 5);
    EXPECT_EQ(expected[4], -30);
    expected *= RELEASE_CLIP / expected.norm();
    noise->Add(4, 0, expected);
    EXPECT_LT((Train(*priv, 0, RELEASED_MODEL) - expected).norm(), 1e-14);
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

using test::Chance;
using test::CLIP;
using test::MakeData;
using test::MODEL;
using test::Setting;
using test::ToEpsilon;

/** A trusted server and its workers, without a network. */
class TrustedServer
{
  public:
    explicit TrustedServer(const Setting& setting)
        : m_audit(setting.GetAudit())
    {
        const auto noise =
            CreateObjectWithAttributes<ServerNoise>("Scale",
                                                    DoubleValue(setting.noise.independent),
                                                    "Momentum",
                                                    DoubleValue(setting.momentum));
        noise->AssignStreams(1);
        m_rule = CreateObjectWithAttributes<RobustServer>("Byzantine",
                                                          UintegerValue(setting.counts.byzantine));
        m_rule->SetAggregator(CreateObject<AverageAggregator>());
        m_rule->SetNoise(noise);
        ServerContext context;
        context.initialModel = MODEL;
        for (uint32_t k = 0; k < setting.counts.workers; ++k)
        {
            context.samples[k + 1] = 1;
            const auto worker = setting.MakeWorker();
            worker->SetServerNoise(noise, k + 1);
            worker->SetLedger(setting.MakeLedger(), setting.GetPlan());
            worker->Setup(MakeData());
            m_workers.push_back(worker);
        }
        m_rule->Setup(context);
        m_rule->AssignStreams(2);
        m_sent.resize(m_workers.size());
    }

    ~TrustedServer()
    {
        for (const auto& worker : m_workers)
        {
            worker->Dispose();
        }
    }

    /** A worker does its round. */
    void Work(uint32_t worker, uint32_t round)
    {
        CafCorWorker& rule = *m_workers[worker];
        rule.BeginRound(round, MODEL);
        rule.Compute();
        const ModelVector update = rule.Send().values;
        if (rule.CanContinue())
        {
            rule.EndRound(true);
            m_audit.Draw(worker, round);
            m_sent[worker] = {round, update};
        }
    }

    /** The server aggregates the last messages of some workers. */
    void Aggregate(const std::set<uint32_t>& arrived)
    {
        std::vector<ClientUpdate> updates;
        std::map<uint32_t, uint32_t> messages;
        uint32_t step = m_next;
        for (const uint32_t worker : arrived)
        {
            if (m_sent[worker])
            {
                ClientUpdate update;
                update.client = worker + 1;
                update.values = m_sent[worker]->second;
                update.round = m_sent[worker]->first;
                updates.push_back(update);
                messages[worker] = update.round;
                step = std::max(step, update.round);
            }
        }
        const uint64_t skipped = m_rule->GetSkipped();
        m_rule->Aggregate(updates);
        if (!updates.empty() && m_rule->GetSkipped() == skipped)
        {
            m_audit.Release(step, messages);
            m_next = step + 1;
            ++m_released;
        }
    }

    double GetTruth(uint32_t worker) const { return ToEpsilon(m_audit.GetRate(worker)); }

    double GetEpsilon(uint32_t worker) const
    {
        return m_workers[worker]->GetLedger()->GetEpsilon();
    }

    double GetNominalEpsilon(uint32_t worker) const
    {
        return m_workers[worker]->GetLedger()->GetNominalEpsilon();
    }

    uint32_t GetReleased() const { return m_released; }

    /** @return the rule of a worker */
    Ptr<CafCorWorker> GetWorker(uint32_t k) const { return m_workers[k]; }

  private:
    ReleaseAudit m_audit;                                                //!< the truth
    Ptr<RobustServer> m_rule;                                            //!< the server's
    std::vector<Ptr<CafCorWorker>> m_workers;                            //!< the workers'
    std::vector<std::optional<std::pair<uint32_t, ModelVector>>> m_sent; //!< last messages
    uint32_t m_next{0};                                                  //!< step of the noise
    uint32_t m_released{0};                                              //!< how often
};

Setting
MakeTrustedSetting(double momentum)
{
    Setting setting;
    setting.model = CreateObject<CentralDp>();
    setting.counts = {7, 1};
    setting.noise = {0, 0.4};
    setting.momentum = momentum;
    return setting;
}

TEST(ServerReleaseAccount, IsNeverBelowTheTruth)
{
    double tightest = 0;
    double loosest = 1;
    for (uint32_t seed = 0; seed < 200; ++seed)
    {
        Chance chance(seed);
        Setting setting = MakeTrustedSetting(0);
        setting.momentum = std::vector<double>{0, 0.5, 0.85, 0.97}[chance.Pick(4)];
        setting.budget = chance.Happens(0.3) ? 20 + chance.Pick(60) : 0;
        TrustedServer server(setting);
        const double missing = 0.2 * chance.Pick(3);
        const double late = 0.1 * chance.Pick(2);
        for (uint32_t round = 0; round < 8; ++round)
        {
            std::set<uint32_t> arrived;
            for (uint32_t k = 0; k < 7; ++k)
            {
                if (!chance.Happens(missing / 2))
                {
                    server.Work(k, round);
                    if (!chance.Happens(missing / 2))
                    {
                        arrived.insert(k);
                    }
                }
                else if (chance.Happens(late)) // an old message is used in its place
                {
                    arrived.insert(k);
                }
            }
            server.Aggregate(arrived);
        }
        for (uint32_t k = 0; k < 7; ++k)
        {
            const double truth = server.GetTruth(k);
            const double accounted = server.GetEpsilon(k);
            EXPECT_GE(accounted * (1 + 1e-9), truth) << seed << " " << k;
            if (setting.budget > 0)
            {
                EXPECT_LE(accounted, setting.budget * (1 + 1e-9)) << seed;
            }
            if (accounted > 0)
            {
                tightest = std::max(tightest, truth / accounted);
                loosest = std::min(loosest, truth / accounted);
            }
        }
    }
    EXPECT_GT(tightest, 0.999999);
    EXPECT_GT(loosest, 0.5); // nor is it much above
}

TEST(ServerReleaseAccount, KnowsWhatOneLossCosts)
{
    // A round of seven: the plan; a message is lost, and its worker is back in the round after.
    const double rate = GaussianRate(2 * CLIP / 7, 0.4);
    TrustedServer server(MakeTrustedSetting(0.85));
    const std::set<uint32_t> all{0, 1, 2, 3, 4, 5, 6};
    std::set<uint32_t> others = all;
    others.erase(0);
    for (uint32_t round = 0; round < 10; ++round)
    {
        for (uint32_t k : all)
        {
            server.Work(k, round);
        }
        server.Aggregate(round == 5 ? others : all);
        if (round == 4)
        {
            EXPECT_NEAR(server.GetEpsilon(0), ToEpsilon(5 * rate), 1e-9);
        }
    }
    EXPECT_NEAR(server.GetNominalEpsilon(0), ToEpsilon(10 * rate), 1e-9);
    EXPECT_GT(server.GetTruth(0), 1.5 * ToEpsilon(10 * rate));
    EXPECT_GE(server.GetEpsilon(0), server.GetTruth(0) * (1 - 1e-9));
    EXPECT_GT(server.GetEpsilon(1), ToEpsilon(10 * rate)); // a mean over six, once
}

// They carry it into the model past the noise, whether or not the message itself arrives.
TEST(ServerReleaseAccount, NoNoiseOfTheServerHidesWhatAttackersSaw)
{
    TrustedServer server(MakeTrustedSetting(0.85));
    server.GetWorker(2)->SetObserved();
    server.GetWorker(3)->SetReleased(); // a Byzantine worker itself
    EXPECT_EQ(server.GetWorker(2)->GetWarnings().size(), 1U);
    EXPECT_TRUE(server.GetWorker(3)->GetWarnings().empty());
    for (uint32_t round = 0; round < 2; ++round)
    {
        for (uint32_t k = 0; k < 7; ++k)
        {
            server.Work(k, round);
        }
        server.Aggregate({0, 1, 3, 4, 5, 6});
    }
    EXPECT_EQ(server.GetEpsilon(2), std::numeric_limits<double>::infinity());
    const double rate = GaussianRate(2 * CLIP / 7, 0.4);
    EXPECT_NEAR(server.GetNominalEpsilon(2), ToEpsilon(2 * rate), 1e-9);
    EXPECT_LT(server.GetEpsilon(3), 10 * ToEpsilon(2 * rate));
    EXPECT_EQ(server.GetEpsilon(3), server.GetEpsilon(0));
}

} // namespace
} // namespace ns3::dlearn
