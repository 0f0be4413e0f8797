/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-coordinate-aggregators.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-skipped-rounds.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

/** @return a federation whose server has closed rounds with so many updates */
RunResults
MakeRounds(const std::vector<uint64_t>& used)
{
    RunResults results;
    for (const uint64_t updates : used)
    {
        ResultRow row;
        row.role = "server";
        row.record.used = updates;
        results.rows.push_back(row);
        row.role = "client";
        row.record.used = 1;
        results.rows.push_back(row);
    }
    return results;
}

/** @return the warnings of a small federation with f = 2 that begin with some words */
std::vector<std::string>
FindWarnings(const RunSpec& spec, const std::string& words)
{
    dlearn::Run run(spec);
    std::ostringstream table;
    auto warnings = run.Execute(table).warnings;
    warnings.erase(std::remove_if(warnings.begin(),
                                  warnings.end(),
                                  [&words](const std::string& warning) {
                                      return warning.rfind(words, 0) != 0;
                                  }),
                   warnings.end());
    return warnings;
}

TEST(SkippedRounds, AreThoseWithTooFewUpdates)
{
    const auto describe = [](const std::vector<uint32_t>& updates, Ptr<PreAggregator> stage) {
        const auto server = CreateObject<RobustServer>();
        server->SetAttribute("Byzantine", UintegerValue(2));
        server->SetAggregator(CreateObject<MedianAggregator>());
        if (stage)
        {
            server->GetAggregator()->AddPreAggregator(stage);
        }
        ServerContext context;
        for (LearnerId client = 1; client <= 10; ++client)
        {
            context.samples[client] = 1;
        }
        context.initialModel = ModelVector::Zero(2);
        server->Setup(context);
        for (const uint32_t count : updates)
        {
            std::vector<ClientUpdate> came(count);
            for (uint32_t k = 0; k < count; ++k)
            {
                came[k].client = k + 1;
                came[k].values = ModelVector::Ones(2);
            }
            server->Aggregate(came);
        }
        return DescribeSkippedRounds(MakeRounds({updates.begin(), updates.end()}), *server);
    };
    EXPECT_EQ(describe({5, 4, 3, 5, 0}, nullptr),
              "2 of 5 rounds were skipped, as fewer updates came than the 5 that the aggregator "
              "needs against 2 Byzantine clients: lower --byzantine, or wait for more updates with "
              "a larger --buffer-size, --sample-count, --quorum, --deadline or --timeout");
    EXPECT_EQ(describe({5, 6}, nullptr), "");
    EXPECT_EQ(describe({0}, nullptr), "") << "others say that it was empty";
    const auto pairs = CreateObject<BucketingPreAggregator>();
    EXPECT_EQ(describe({8, 9, 10}, pairs)
                  .find("1 of 3 rounds were skipped, as fewer updates came "
                        "than the 9 that the aggregator needs"),
              0U);
}

TEST(SkippedRounds, AreNamedByARun)
{
    RunSpec spec = FedAvgPreset("skipped");
    spec.network = "ideal";
    spec.learners = 5;
    spec.dimension = 5;
    spec.rounds = 4;
    spec.aggregator = "Median";
    spec.byzantine = 2;
    EXPECT_TRUE(FindWarnings(spec, "4 of 4 rounds were skipped").empty());
    spec.attack = "silent";
    EXPECT_EQ(
        FindWarnings(spec, "4 of 4 rounds were skipped, as fewer updates came than the 5 ").size(),
        1U);
}

// A lost message makes the other clients pay more than they had planned for.
TEST(SkippedRounds, ThatABudgetForbidsAreNamed)
{
    RunSpec spec = FedAvgPreset("withheld");
    spec.network = "p2p";
    spec.transport = "udp";
    spec.loss = 0.2;
    spec.deadline = "30ms";
    spec.learners = 5;
    spec.data = "generated";
    spec.rounds = 10;
    spec.threatModel = "cdp";
    spec.targetEpsilon = 8;
    spec.budget = 8;
    dlearn::Run run(spec);
    const auto rule = DynamicCast<ServerRule>(run.GetFederation().server->GetRule());
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    const uint64_t withheld = rule->GetWithheld();
    ASSERT_GT(withheld, 0U);
    EXPECT_EQ(results.totals.at("rounds_skipped"), withheld);
    const std::string words = std::to_string(withheld) + " of 10 rounds left the model as it was";
    EXPECT_TRUE(
        std::any_of(results.warnings.begin(),
                    results.warnings.end(),
                    [&words](const std::string& warning) { return warning.rfind(words, 0) == 0; }));
}

} // namespace
} // namespace ns3::dlearn
