/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUNDS_TEXT_H
#define DLEARN_ROUNDS_TEXT_H

#include "ns3/dlearn-compute-pool.h"
#include "ns3/dlearn-results-writer.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace ns3::dlearn
{
namespace test
{

/** @return rounds.csv of a run with so many threads */
template <typename SomeScenario, typename Options>
std::string
GetRounds(Options options, uint32_t threads)
{
    options.threads = threads;
    SomeScenario scenario(options);
    std::ostringstream table;
    const RunResults results = scenario.Execute(table);
    ComputePool::Get().SetThreads(1);
    // Tests run side by side: a folder for each.
    const auto* const own = testing::UnitTest::GetInstance()->current_test_info();
    const std::string directory =
        testing::TempDir() + "dlearn-" + own->test_suite_name() + "-" + own->name();
    MakeResultsDirectory(directory);
    WriteResults(directory, results);
    std::ifstream file(directory + "/rounds.csv");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/**
 * Expect the same bytes of rounds.csv for 1, 2 and 4 threads.
 *
 * @param options of the run
 * @param least bytes that it has to write for that to mean something
 */
template <typename SomeScenario, typename Options>
void
ExpectSameForAllThreads(const Options& options, size_t least)
{
    const std::string one = GetRounds<SomeScenario>(options, 1);
    EXPECT_GT(one.size(), least);
    EXPECT_EQ(one, (GetRounds<SomeScenario>(options, 2)));
    EXPECT_EQ(one, (GetRounds<SomeScenario>(options, 4)));
}

} // namespace test
} // namespace ns3::dlearn

#endif // DLEARN_ROUNDS_TEXT_H
