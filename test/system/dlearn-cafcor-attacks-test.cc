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

#include <gtest/gtest.h>
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
    ExpectRefused([&] { options.Validate(); }, "byzantine-data must be own or shards, got 'nope'");
}

} // namespace
} // namespace ns3::dlearn
