/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-run-tiers.h"
#include "ns3/dlearn-run.h"

#include <gtest/gtest.h>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

TEST(RunTiers, AreGivenByNumbersOrByAFile)
{
    const EdgeClients expected{{1, 2, 3}, {4, 5, 6}};
    EXPECT_EQ(ParseTiers("2x3"), expected);
    const test::TemporaryFile file("client,edge\n6,2\n1,1\n2,1\n4,2\n3,1\n5,2\n");
    EXPECT_EQ(ParseTiers(file.GetPath()), expected);
    const auto refused = [](const std::string& lines, const std::string& message) {
        const test::TemporaryFile wrong(lines);
        ExpectRefused([&] { ParseTiers(wrong.GetPath()); }, message);
    };
    refused("1,1\n", "must begin with client,edge");
    refused("client,edge\n1\n", ":2: must be the numbers of a client and of its edge server");
    refused("client,edge\n1,2\n", "edge servers must have the numbers 1, 2, ...");
    refused("client,edge\n1,1\n1,2\n", "each client 1, 2, ... must have one edge server");
}

/** The model of a run of six clients behind two routers. */
struct TreeRun
{
    explicit TreeRun(const std::function<void(RunSpec&)>& change)
    {
        RunSpec spec = FedAvgPreset("tiers-test");
        spec.data = "generated";
        spec.dataSamples = 300;
        spec.partition = "dirichlet:0.5";
        spec.learners = 6;
        spec.network = "tree:3";
        spec.floatBits = 64;
        spec.rounds = 4;
        change(spec);
        dlearn::Run run(spec);
        run.SetFinishHook([this](dlearn::Run& done) {
            model = done.GetFederation().server->GetRule()->GetModel();
        });
        std::ostringstream table;
        results = run.Execute(table);
    }

    ModelVector model;
    RunResults results;
};

// Each message crosses the trunk once. Without edge servers that are models and updates of six
// clients, with them those of two, which also have a figure.
TEST(RunTiers, RoutersSaveTheTrunkAndMakeTheSameModel)
{
    const TreeRun flat([](auto& /* spec */) {});
    const TreeRun tiers([](auto& spec) { spec.aggregateAt = "routers"; });
    EXPECT_LT((tiers.model - flat.model).cwiseAbs().maxCoeff(), 1e-12);
    uint64_t sent = 0;
    for (const ResultRow& row : flat.results.rows)
    {
        sent += row.record.txBytes;
    }
    const double share = tiers.results.totals.at("trunk_bytes") / static_cast<double>(sent);
    EXPECT_NEAR(share, 1.0 / 3, 0.02);
    const std::vector<std::string> roles{"server",
                                         "client",
                                         "client",
                                         "client",
                                         "client",
                                         "client",
                                         "client",
                                         "edge",
                                         "edge",
                                         "edge-server",
                                         "edge-server"};
    EXPECT_EQ(tiers.results.roles, roles);
}

TEST(RunTiers, AccessPointsMakeTheSameModel)
{
    const auto wifi = [](auto& spec) {
        spec.network = "wifi-infra";
        spec.accessPoints = 4;
        spec.rounds = 2;
    };
    const TreeRun flat(wifi);
    const TreeRun tiers([&wifi](auto& spec) {
        wifi(spec);
        spec.aggregateAt = "access-points";
    });
    EXPECT_LT((tiers.model - flat.model).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_GT(tiers.results.positions.size(), 7U);
}

// Hosts of their own on links of their own; noise of clients counts for each of their rounds.
TEST(RunTiers, PlansTheNoiseForTheRoundsOfClients)
{
    const auto spent = [](const std::function<void(RunSpec&)>& change) {
        const TreeRun run([&](auto& spec) {
            spec.network = "p2p";
            spec.threatModel = "ldp";
            spec.targetEpsilon = 8;
            change(spec);
        });
        double epsilon = 0;
        for (const auto& [learner, value] : run.results.epsilon)
        {
            epsilon = std::max(epsilon, value);
        }
        return epsilon;
    };
    const double flat = spent([](auto& spec) { spec.rounds = 12; });
    EXPECT_NEAR(flat, 8, 1e-3);
    EXPECT_NEAR(spent([](auto& spec) { spec.tiers = "2x3", spec.edgePeriod = 3; }), flat, 1e-9);
}

} // namespace
} // namespace ns3::dlearn
