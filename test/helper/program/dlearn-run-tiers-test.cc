/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-results-summary.h"
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
    refused("1,1\n", "the first line must be client,edge, got '1,1'");
    refused("client,edge\n1\n", ":2: must be the numbers of a client and of its edge server");
    refused("client,edge\n1,1\n1,2\n", ":3: client 1 has an edge server already");
    refused("client,edge\n", ": needs a line for each client");
    refused("client,edge\n1,2\n", "without gaps; got 1 from 2 to 2");
    refused("client,edge\n1,1\n3,1\n", ": clients must be numbered 1, 2, ... without gaps");
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
            for (const auto& learner : done.GetFederation().GetLearners())
            {
                if (learner->GetRounds() > 0)
                {
                    model = learner->GetLearnerRule()->GetModel();
                    models.push_back(model);
                }
            }
        });
        std::ostringstream table;
        results = run.Execute(table);
    }

    ModelVector model;
    std::vector<ModelVector> models; //!< of the edge servers where these are peers
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

// With equal samples all weights are 1/3 on the complete graph, so that each edge server has the
// mean of all clients. On a path four of the six messages between edge servers are left.
TEST(RunTiers, PeersOnACompleteGraphMakeTheSameModel)
{
    const auto equal = [](auto& spec) {
        spec.network = "p2p";
        spec.transport = "udp";
        spec.partition = "iid";
    };
    const TreeRun flat([&](auto& spec) { equal(spec); });
    const auto gossip = [&](const std::string& graph) {
        return TreeRun([&](auto& spec) {
            equal(spec);
            spec.tiers = "3x2";
            spec.edgeGraph = graph;
        });
    };
    const TreeRun complete = gossip("complete");
    ASSERT_EQ(complete.models.size(), 3U);
    for (const ModelVector& model : complete.models)
    {
        EXPECT_LT((model - flat.model).cwiseAbs().maxCoeff(), 1e-12);
    }
    const uint64_t path = gossip("path").results.totals.at("trunk_bytes");
    EXPECT_EQ(3 * path, 2 * complete.results.totals.at("trunk_bytes"));
    const uint64_t values = 4U * 4U * 8U * flat.model.size(); // messages, rounds, bytes
    EXPECT_GT(path, values);
    EXPECT_LT(path, values + 4U * 4U * 64U);
    EXPECT_EQ(Summarize(complete.results).rounds, 4U);
}

/** Expect the model of a run without edge servers from one with edge servers at a place. */
TreeRun
ExpectSameModel(const std::function<void(RunSpec&)>& change, const std::string& place)
{
    const TreeRun flat(change);
    TreeRun tiers([&](RunSpec& spec) {
        change(spec);
        spec.aggregateAt = place;
    });
    EXPECT_LT((tiers.model - flat.model).cwiseAbs().maxCoeff(), 1e-12);
    return tiers;
}

TEST(RunTiers, AccessPointsMakeTheSameModel)
{
    const TreeRun tiers = ExpectSameModel(
        [](RunSpec& spec) {
            spec.network = "wifi-infra";
            spec.accessPoints = 4;
            spec.rounds = 2;
        },
        "access-points");
    EXPECT_GT(tiers.results.positions.size(), 7U);
}

// At the base stations of two cells, behind the core network.
TEST(RunTiers, CellsMakeTheSameModel)
{
    ExpectSameModel(
        [](RunSpec& spec) {
            spec.network = "lte,basestations=2";
            spec.side = 1000;
            spec.rounds = 2;
        },
        "cells");
}

// A server that takes each update when it comes makes four models sooner, from updates of older
// ones.
TEST(RunTiers, TheServerNeedNotWaitForAllEdgeServers)
{
    const auto tiers = [](RunSpec& spec) { spec.aggregateAt = "routers"; };
    const TreeRun waits(tiers);
    const TreeRun takes([&](RunSpec& spec) {
        tiers(spec);
        spec.serverSchedule = "buffered:1";
    });
    const auto end = [](const TreeRun& run) {
        return run.results.rows.back().record.closed.GetSeconds();
    };
    EXPECT_LT(end(takes), 0.9 * end(waits));
    EXPECT_EQ(waits.results.staleness.count(1), 0U);
    EXPECT_GE(takes.results.staleness.at(1), 1U);
}

// A station walks from one of two access points to the other one, 100 m away.
TEST(RunTiers, AStationThatMovesChangesItsEdgeServer)
{
    const test::TemporaryFile ways("time_s,node,x_m,y_m\n0,0,50,50\n0,1,25,50\n0,2,75,50\n"
                                   "0,3,25,40\n2,3,25,40\n4,3,175,50\n");
    const TreeRun run([&](auto& spec) {
        spec.network = "wifi-infra";
        spec.accessPoints = 2;
        spec.side = 200;
        spec.learners = 3;
        spec.mobility = "csv:" + ways.GetPath();
        spec.wifi = "legacy"; // in which frames to a station that has gone do not wait for long
        spec.transport = "udp";
        spec.clientFlops = "5e4";
        spec.rounds = 8;
        spec.aggregateAt = "access-points";
    });
    EXPECT_EQ(run.results.totals.at("handovers"), 1U);
    std::vector<std::string> events;
    for (const RunEvent& event : run.results.timeline)
    {
        if ((event.event == "client-joined" || event.event == "client-left") && event.detail == "3")
        {
            events.push_back(std::to_string(*event.node) + " " + event.event);
        }
    }
    EXPECT_EQ(events,
              (std::vector<std::string>{"6 client-joined", "6 client-left", "7 client-joined"}));
}

// The attacker of the second edge server sends -2 times the mean of its two honest clients there,
// so that this edge server does not move, and the mean is half the step of the other one.
TEST(RunTiers, AttackersFollowTheirEdgeServer)
{
    const auto equal = [](auto& spec) {
        spec.network = "ideal";
        spec.partition = "iid";
        spec.byzantineData = "shards";
    };
    const TreeRun attacked([&](auto& spec) {
        equal(spec);
        spec.tiers = "2x3";
        spec.byzantine = 1;
        spec.attack = "InnerProduct:2";
    });
    const TreeRun half([&](auto& spec) {
        equal(spec);
        spec.samplePlan = "1-3";
        spec.serverRate = 0.5;
    });
    EXPECT_LT((attacked.model - half.model).cwiseAbs().maxCoeff(), 1e-12);
    const auto bend = [&](const std::string& rule) {
        return TreeRun([&](auto& spec) {
                   equal(spec);
                   spec.tiers = "2x3";
                   spec.byzantine = 1;
                   spec.attack = "Gaussian:1000";
                   spec.edgeRule = rule;
                   spec.aggregator = rule == "Robust" ? "Median" : "none";
               })
            .model.norm();
    };
    EXPECT_GT(bend("FedAvg"), 1000);
    EXPECT_LT(bend("Robust"), 10);
}

// With joules for each bit that a device sends, and none else, the learners spend those of all bits
// that left their nodes, once.
TEST(RunTiers, TheHalvesOfAnEdgeServerShareTheJoulesOfTheirNode)
{
    const TreeRun run([](auto& spec) {
        spec.aggregateAt = "routers";
        spec.transport = "udp"; // which sends nothing before the beginning
        spec.energy = true;
        spec.txJoulesPerBit = "1e-6";
        spec.rxJoulesPerBit = "0";
        spec.joulesPerOperation = "0";
    });
    double sent = 0;
    for (const LinkRecord& link : run.results.links)
    {
        sent += link.from == "node 7" ? 0 : 8e-6 * link.txBytes; // the router of the server
    }
    EXPECT_NEAR(run.results.GetTotalEnergy(), sent, 1e-9 * sent);
    EXPECT_GT(run.results.energy.at(7), 0);
    EXPECT_EQ(run.results.energy.at(9), 0);
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
