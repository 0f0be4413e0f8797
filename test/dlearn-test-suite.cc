/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-defaults-restorer.h"

#include "ns3/test.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace
{

/** A failed check of GoogleTest, in the terms of an ns-3 test failure. */
struct Failure
{
    std::string test;    //!< name of the GoogleTest case
    std::string message; //!< what GoogleTest says of it
    std::string file;    //!< source file of the check
    int32_t line;        //!< line in that file
};

/** Collects failures, for ns-3 to report; says on standard output what was skipped. */
class FailureCollector : public testing::EmptyTestEventListener
{
  public:
    /** @return the failures since the last call */
    std::vector<Failure> Take() { return std::exchange(m_failures, {}); }

  private:
    void OnTestStart(const testing::TestInfo& info) override { m_test = info.name(); }

    void OnTestEnd(const testing::TestInfo& /* info */) override { m_test = NO_TEST; }

    // GoogleTest holds a lock here, so it must not be asked for the name of the test.
    void OnTestPartResult(const testing::TestPartResult& result) override
    {
        if (result.skipped())
        {
            std::cout << "SKIPPED " << m_test << ": " << result.message() << std::endl;
        }
        if (result.failed())
        {
            const auto file = result.file_name() ? result.file_name() : "unknown file";
            m_failures.push_back({m_test, result.message(), file, result.line_number()});
        }
    }

    static constexpr auto NO_TEST = "(set-up)"; //!< counts failures outside all tests

    std::string m_test{NO_TEST};     //!< name of the GoogleTest case that runs
    std::vector<Failure> m_failures; //!< not yet taken
};

/** One GoogleTest suite as one ns-3 test case (so that its SetUpTestSuite runs once). */
class GoogleTestSuiteCase : public ns3::TestCase
{
  public:
    /**
     * Constructor.
     *
     * @param suite name of the GoogleTest suite
     * @param name the same in the characters that ns-3 permits
     * @param collector listener of GoogleTest; must outlive this
     */
    GoogleTestSuiteCase(const std::string& suite,
                        const std::string& name,
                        FailureCollector& collector)
        : TestCase(name),
          m_suite(suite),
          m_collector(collector)
    {
    }

  private:
    void DoRun() override
    {
        testing::GTEST_FLAG(filter) = m_suite + ".*";
        const int status = RUN_ALL_TESTS();
        const auto failures = m_collector.Take();
        for (const auto& failure : failures)
        {
            ReportTestFailure(m_suite + "." + failure.test,
                              "failure",
                              "success",
                              failure.message,
                              failure.file,
                              failure.line);
        }
        NS_TEST_EXPECT_MSG_EQ((status != 0),
                              (!failures.empty()),
                              "GoogleTest's status disagrees with the failures it reported");
    }

    std::string m_suite;           //!< name of the GoogleTest suite
    FailureCollector& m_collector; //!< receives the failures
};

/** All GoogleTest suites of dlearn as one ns-3 test suite. */
class DlearnTestSuite : public ns3::TestSuite
{
  public:
    DlearnTestSuite()
        : TestSuite("dlearn", Type::UNIT)
    {
    }

  private:
    // Here and not in the constructor: this object is static, and so are the registrations of
    // the GoogleTest cases in the other files, in an unspecified order.
    void DoSetup() override
    {
        static bool initialized = false;
        if (initialized)
        {
            return;
        }
        initialized = true;

        int argc = 1;
        char program[] = "dlearn";
        char* argv[] = {program, nullptr};
        testing::InitGoogleTest(&argc, argv);
        auto& unitTest = *testing::UnitTest::GetInstance();
        auto& listeners = unitTest.listeners();
        delete listeners.Release(listeners.default_result_printer());
        auto collector = new FailureCollector; // GoogleTest owns both
        listeners.Append(collector);
        listeners.Append(new ns3::dlearn::test::DefaultsRestorer);

        for (int i = 0; i < unitTest.total_test_suite_count(); ++i)
        {
            const std::string suite = unitTest.GetTestSuite(i)->name();
            std::string name = suite;
            std::replace(name.begin(), name.end(), '/', '.');
            AddTestCase(new GoogleTestSuiteCase(suite, name, *collector));
        }
    }
};

DlearnTestSuite g_dlearnTestSuite; //!< registers the suite with ns-3

} // namespace
