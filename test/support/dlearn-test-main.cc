/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Runs the tests of one source file of a test executable, which has those of a whole folder:
 *
 *   dlearn-graph-tests --source=dlearn-graph-test.cc [options of GoogleTest]
 *
 * Without --source all tests run. Each test suite begins with the defaults of ns-3.
 */

#include "dlearn-defaults-restorer.h"

#include <gtest/gtest.h>
#include <iostream>
#include <string>

namespace
{

/**
 * @param path of the file in which a test was written
 * @return its name without folders
 */
std::string
GetFileName(const std::string& path)
{
    return path.substr(path.rfind('/') + 1);
}

/**
 * @param source name of a source file
 * @return filter of GoogleTest for the tests of this file; empty when there are none
 */
std::string
GetFilter(const std::string& source)
{
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    std::string filter;
    for (int s = 0; s < all.total_test_suite_count(); ++s)
    {
        const testing::TestSuite& suite = *all.GetTestSuite(s);
        for (int t = 0; t < suite.total_test_count(); ++t)
        {
            const testing::TestInfo& test = *suite.GetTestInfo(t);
            if (GetFileName(test.file()) == source)
            {
                filter +=
                    (filter.empty() ? "" : ":") + (std::string(suite.name()) + "." + test.name());
            }
        }
    }
    return filter;
}

} // namespace

int
main(int argc, char* argv[])
{
    testing::InitGoogleTest(&argc, argv);
    const std::string option = "--source=";
    const std::string given = argc > 1 ? argv[1] : "";
    if (given.rfind(option, 0) == 0)
    {
        const std::string filter = GetFilter(given.substr(option.size()));
        if (filter.empty())
        {
            std::cerr << argv[0] << ": no tests in the source file '" << given.substr(option.size())
                      << "'\n";
            return 1;
        }
        testing::GTEST_FLAG(filter) = filter;
    }
    // GoogleTest owns it.
    testing::UnitTest::GetInstance()->listeners().Append(new ns3::dlearn::test::DefaultsRestorer);
    return RUN_ALL_TESTS();
}
