/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Attackers of CafCor on networks that lose messages: they answer in time, end no run by chance,
 * learn from data of their own, and are no excuse to fear fewer of them.
 */

#include "dlearn-federated-fixture.h"
#include "support/dlearn-expect-refused.h"
#include "support/dlearn-own-components.h"
#include "support/dlearn-short-runs.h"

#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace ns3::dlearn
{
namespace
{

/** 20 workers whose packets get lost, without noise. */
RunSpec
LossyRun()
{
    RunSpec options = CafCorPreset("system-test");
    options.learners = 20;
    options.byzantine = 3;
    options.threatModel = "none";
    options.network = "p2p";
    options.transport = "udp";
    options.loss = 0.1;
    options.deadline = "50ms";
    options.stepSize = 1;
    options.rounds = 40;
    return options;
}

// A fifth of the messages is lost, four of twenty: a rule that counts those as the three Byzantine
// ones trims nothing any more.
TEST(CafCorAttacks, LossDoesNotMakeARobustRuleAMean)
{
    RunSpec options = LossyRun();
    options.attack = "InnerProduct:tau=20";
    options.omniscient = false;
    EXPECT_GT(test::GetFinalAccuracy(options), 0.95);
    options.missingAreByzantine = true;
    EXPECT_LT(test::GetFinalAccuracy(options), 0.5);
}

/** Counts what the server gets from Byzantine workers in time. */
class AnswerCounter
{
  public:
    AnswerCounter(const Federation& federation, LearnerId first)
        : m_first(first)
    {
        federation.server->TraceConnectWithoutContext("ModelRx",
                                                      MakeCallback(&AnswerCounter::Rx, this));
    }

    uint32_t inTime{0}; //!< updates of Byzantine workers that came before the deadline

  private:
    void Rx(LearnerId, LearnerId sender, uint32_t, MessageDisposition disposition, bool)
    {
        inTime += sender >= m_first && disposition == MessageDisposition::ON_TIME ? 1 : 0;
    }

    LearnerId m_first; //!< the first Byzantine one
};

// In most rounds some honest worker misses the model, and the coalition never hears of it. Of the
// 180 models some 170 get there and of their answers some 162 come back, with a standard deviation
// of 4; 130 would be 8 of them less.
TEST(CafCorAttacks, CoalitionAnswersBeforeTheDeadline)
{
    RunSpec options = LossyRun();
    options.loss = 0.05;
    options.rounds = 60;
    options.attack = "SignFlipping";
    dlearn::Run scenario(options);
    AnswerCounter counter(scenario.GetFederation(), 18);
    std::ostringstream table;
    const RunResults results = scenario.Execute(table);
    EXPECT_EQ(results.totals.at("models_dropped"), 0U);
    EXPECT_GT(counter.inTime, 130U);
}

TEST(CafCorAttacks, EndNoRunByChance)
{
    RunSpec options = LossyRun();
    options.learners = 5;
    options.byzantine = 2;
    options.batchSize = 5;
    options.dataSamples = 400;
    options.loss = 0.3;
    options.rounds = 15;
    for (const std::string& attack : test::GetOwnComponents(GetAttackNames()))
    {
        for (const bool omniscient : {true, false})
        {
            options.attack = attack;
            options.omniscient = omniscient;
            EXPECT_NO_THROW(test::GetFinalAccuracy(options)) << attack << omniscient;
        }
    }
    options.attack = "Mimic:epsilon=3"; // there are three honest ones
    options.omniscient = true;
    ExpectRefused([&] { dlearn::Run scenario(options); },
                  "Mimic: Epsilon must be the place of one of the 3 learners");
    options.attack = "DerivedAlie";
    options.learners = 2;
    options.byzantine = 0;
    options.invocation.options = {"attack"};
    ExpectRefused([&] { dlearn::Run scenario(options); }, "it is for byzantine of at least 1");
}

/** All vectors that workers handed over, by worker and round. */
class OutboxRecorder
{
  public:
    explicit OutboxRecorder(const Federation& federation)
    {
        for (const auto& client : federation.clients)
        {
            client->TraceConnectWithoutContext("Update",
                                               MakeCallback(&OutboxRecorder::Record, this));
        }
    }

    std::map<std::pair<LearnerId, uint32_t>, ModelVector> updates; //!< what the rules made

  private:
    void Record(LearnerId worker, uint32_t round, const ModelVector& update)
    {
        updates[{worker, round}] = update;
    }
};

// In CDP workers send no noise; attackers see none, and the server's comes over what they send.
TEST(CafCorAttacks, TrustedServersNoiseComesAfterTheAttack)
{
    const auto run = [](const std::string& model) {
        RunSpec options = CafCorPreset("system-test");
        options.learners = 9;
        options.byzantine = 2;
        options.rounds = 1;
        options.batchSize = 10;
        options.clip = 1;
        options.stepSize = 1;
        options.floatBits = 64;
        options.threatModel = model;
        options.attack = "SignFlipping";
        options.omniscient = false;
        options.aggregator = "Average";
        dlearn::Run scenario(options);
        OutboxRecorder updates(scenario.GetFederation());
        ModelRecorder models(scenario.GetFederation());
        std::ostringstream table;
        scenario.Execute(table);
        const double scale =
            scenario.Get<FederatedLearners>().GetPrivacy().GetNoiseScales().independent *
            (1 - options.momentum);
        return std::make_tuple(updates.updates, models.models.back(), scale);
    };
    const auto [updates, model, scale] = run("cdp");
    const auto [clean, reference, nothing] = run("none");
    EXPECT_EQ(nothing, 0);
    for (LearnerId worker = 1; worker <= 7; ++worker)
    {
        EXPECT_EQ(updates.at({worker, 0}), clean.at({worker, 0})) << worker;
    }
    // All of it, and not the part that two of nine minus signs leave. Relative deviation of a
    // chi-squared variance: 6 standard deviations, fails with probability 2e-9.
    const ModelVector noise = model - reference;
    const double variance = noise.squaredNorm() / noise.size();
    EXPECT_NEAR(variance / (scale * scale), 1, 6 * std::sqrt(2.0 / noise.size()));
}

/** @return the samples that each worker learns from: a batch holds its whole shard */
std::vector<std::multiset<uint32_t>>
GetShards(RunSpec options)
{
    options.batchSize = 1000000;
    options.rounds = 1;
    options.threatModel = "none";
    dlearn::Run scenario(options);
    const auto federation = scenario.GetFederation();
    std::vector<Ptr<const LocalData>> data;
    for (const auto& client : federation.clients)
    {
        data.push_back(client->GetRule()->GetData());
    }
    std::ostringstream table;
    scenario.Execute(table);
    std::vector<std::multiset<uint32_t>> shards;
    for (const auto& one : data)
    {
        shards.emplace_back(one->GetSamples().begin(), one->GetSamples().end());
    }
    return shards;
}

TEST(CafCorAttacks, HonestWorkersShareTheTrainingData)
{
    RunSpec options = CafCorPreset("system-test");
    options.learners = 9;
    options.byzantine = 2;
    options.dataSamples = 1000; // 800 to learn from
    options.partition = "sorted";
    for (const std::string mode : {"own", "shards"})
    {
        options.byzantineData = mode;
        const auto shards = GetShards(options);
        std::set<uint32_t> known;
        for (size_t worker = 0; worker < (mode == "own" ? 7 : 9); ++worker)
        {
            known.insert(shards[worker].begin(), shards[worker].end());
        }
        EXPECT_EQ(known.size(), 800U) << mode;
        for (size_t attacker : {7, 8})
        {
            const std::set<uint32_t> own(shards[attacker].begin(), shards[attacker].end());
            EXPECT_EQ(own.size(), shards[attacker].size()); // without replacement
            if (mode == "own")
            {
                EXPECT_EQ(own.size(), 800U / 7);
                EXPECT_NE(shards[7], shards[8]);
                // From all of the data: no honest shard holds half of it. A hypergeometric
                // number of mean 16 and standard deviation 3.4.
                for (size_t worker = 0; worker < 7; ++worker)
                {
                    std::vector<uint32_t> common;
                    std::set_intersection(own.begin(),
                                          own.end(),
                                          shards[worker].begin(),
                                          shards[worker].end(),
                                          std::back_inserter(common));
                    EXPECT_GT(common.size(), 0U);
                    EXPECT_LT(common.size(), 57U);
                }
            }
        }
    }
    options.byzantineData = "nope";
    ExpectRefused([&] { options.Validate(); }, "byzantine-data must be one of own, shards; got 'nope'");
}

} // namespace
} // namespace ns3::dlearn
