/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The accounts of CafCor's workers against dense algebra, over random patterns of messages that
 * are lost, late, under way or never sent, of repairs, and of stragglers.
 */

#include "audit/dlearn-audited-loss.h"
#include "federated/dlearn-account-setting.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-joint-correlated-noise.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-pairwise-correlated-noise.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>

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
        if (m_states[worker].rule->Answer(request).size() > 0)
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
        EXPECT_DOUBLE_EQ(workers.GetEpsilon(k), ToEpsilon(CafCorRecoveredRate(plan, 3)));
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
        const double union0 = CafCorRecoveredRate(plan, momentum > 0 ? 3 : 1);
        const double union1 = CafCorRecoveredRate(plan, momentum > 0 ? 2 : 1);
        EXPECT_DOUBLE_EQ(workers.GetEpsilon(0),
                         ToEpsilon(union0 + union1 + CafCorRecoveredRate(plan, 1)));
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
                  "WorkerNoise: each worker needs a number of its own, got 1 twice");
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

// What an account counts on cannot change under it.
TEST(ClientAccount, RefusesAnotherMomentumAndDeltaDuringARun)
{
    Workers workers(MakeRepairSetting(0.5));
    workers.Begin(0, 0);
    workers.Send(0);
    workers.GetRule(0).SetAttribute("Momentum", DoubleValue(0));
    workers.Begin(0, 1);
    ExpectRefused([&] { workers.Send(0); },
                  "CafCorWorker: Momentum must stay the 0.5 that its privacy account counts on, "
                  "got 0");
    PointerValue ledger;
    workers.GetRule(0).GetRelease()->GetAttribute("Ledger", ledger);
    const auto account = ledger.Get<GaussianLedger>();
    ExpectRefused([&] { account->SetAttribute("Delta", DoubleValue(0.5)); },
                  "GaussianLedger: Delta cannot change during a run");
    ExpectRefused([&] { account->SetAttribute("Momentum", BooleanValue(false)); },
                  "GaussianLedger: Momentum cannot change during a run");
    EXPECT_NO_THROW(account->SetAttribute("Delta", DoubleValue(DELTA)));
}

TEST(ClientAccount, RefusesALedgerThatDoesNotKnowOfTheMomentum)
{
    Workers workers(MakeRepairSetting(0.5));
    PointerValue ledger;
    workers.GetRule(0).GetRelease()->GetAttribute("Ledger", ledger);
    ledger.Get<GaussianLedger>()->SetAttribute("Momentum", BooleanValue(false));
    workers.Begin(0, 0);
    ExpectRefused(
        [&] { workers.Send(0); },
        "CafCorWorker: Momentum of its GaussianLedger must be true, as that of the client is "
        "0.5");
}

// The gradient may be computed by another thread while a script changes the norm.
TEST(ClientAccount, ARoundIsClippedAsItBegan)
{
    Workers workers(MakeRepairSetting(0.5));
    workers.Begin(0, 0);
    workers.GetRule(0).SetAttribute("ClipNorm", DoubleValue(1e6));
    EXPECT_NO_THROW(workers.Send(0));
    workers.Begin(0, 1);
    ExpectRefused([&] { workers.Send(0); },
                  "CafCorWorker: ClipNorm must be greater than 0 and at most");
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

} // namespace
} // namespace ns3::dlearn
