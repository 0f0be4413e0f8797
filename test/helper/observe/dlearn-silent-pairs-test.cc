/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-run-findings.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** @return a ring of peers that hear each other, after so many rounds */
RunResults
MakeRun(uint32_t learners, uint32_t rounds)
{
    RunResults results;
    results.graph = MakeRing(learners);
    for (LearnerId node = 0; node < learners; ++node)
    {
        for (uint32_t round = 0; round < rounds; ++round)
        {
            ResultRow row;
            row.record.node = node;
            row.record.round = round;
            results.rows.push_back(row);
        }
        for (const auto& [from, weight] : results.graph.GetInNeighbors(node))
        {
            PairRecord pair;
            pair.from = from;
            pair.to = node;
            pair.expected = rounds;
            pair.received = 1;
            pair.lost = rounds - 1;
            results.pairs.push_back(pair);
        }
    }
    return results;
}

/** Take the messages of a pair away. */
void
Silence(RunResults& results, LearnerId from, LearnerId to)
{
    for (PairRecord& pair : results.pairs)
    {
        if (pair.from == from && pair.to == to)
        {
            pair.lost += pair.received;
            pair.received = 0;
        }
    }
}

/** @return the warning of peers that expect messages from their neighbours */
std::string
Describe(const RunResults& results)
{
    std::map<LearnerId, std::set<LearnerId>> senders;
    for (LearnerId node = 0; node < results.graph.GetSize(); ++node)
    {
        for (const auto& [from, weight] : results.graph.GetInNeighbors(node))
        {
            senders[node].insert(from);
        }
    }
    return DescribeSilentPairs(results, senders);
}

TEST(SilentPairs, NamesThoseWithoutAMessage)
{
    RunResults results = MakeRun(4, 5);
    EXPECT_EQ(Describe(results), "");
    Silence(results, 3, 0);
    Silence(results, 2, 1);
    EXPECT_EQ(Describe(results),
              "no message has ever arrived whole from some learners at their neighbours: 3 to 0, 2 "
              "to 1; their nodes may have no route, be out of range of their radio, or lose too "
              "many packets");
    results.pairs[0].late = 1; // from 1 to 0
    results.pairs[0].received = 0;
    EXPECT_EQ(Describe(results).find("1 to 0"), std::string::npos);
    results.pairs.erase(results.pairs.begin()); // where nothing can leave
    EXPECT_EQ(Describe(results).find("0, "), std::string::npos) << "0 gets no message at all";
}

TEST(SilentPairs, SaysHowManyThereAre)
{
    RunResults results = MakeRun(10, 5);
    for (LearnerId node = 0; node < 10; ++node)
    {
        Silence(results, node, (node + 1) % 10);
    }
    EXPECT_NE(Describe(results).find(", ... (10 pairs, see pairs.csv)"), std::string::npos);
}

TEST(SilentPairs, AreOfHonestLearnersWithSomeRounds)
{
    RunResults few = MakeRun(4, 4);
    Silence(few, 3, 0);
    EXPECT_EQ(Describe(few), "");
    RunResults attacked = MakeRun(4, 5);
    Silence(attacked, 3, 0);
    for (ResultRow& row : attacked.rows)
    {
        row.role = row.record.node == 3 ? "byzantine" : "peer";
    }
    EXPECT_EQ(Describe(attacked), "");
}

TEST(SilentPairs, AreNotThoseWhoseMessagesAreUsedInPart)
{
    RunResults results = MakeRun(4, 5);
    Silence(results, 3, 0);
    for (PairRecord& pair : results.pairs)
    {
        pair.partly = pair.from == 3;
    }
    EXPECT_EQ(Describe(results), "");
}

// Learner 3 closes its rounds before learner 0 does; or while it closes four or five of its own.
TEST(SilentPairs, AreOfLearnersThatWereThereAtTheSameTime)
{
    for (const uint32_t shared : {0U, 4U, 5U})
    {
        RunResults results = MakeRun(4, 10);
        Silence(results, 3, 0);
        for (ResultRow& row : results.rows)
        {
            const uint32_t begin = row.record.node == 3 ? shared : 10;
            row.record.closed = Seconds(begin + row.record.round);
        }
        EXPECT_EQ(Describe(results).empty(), shared < 5) << shared;
    }
}

} // namespace
} // namespace ns3::dlearn
