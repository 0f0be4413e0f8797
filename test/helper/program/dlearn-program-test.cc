/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-process-guards.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using Json = nlohmann::json;

/** Runs a program with a folder for its results. */
class Programs : public testing::Test
{
  protected:
    Programs()
        : m_folder(testing::TempDir() + "dlearn-program")
    {
        std::filesystem::remove_all(m_folder);
    }

    ~Programs() override { std::filesystem::remove_all(m_folder); }

    /**
     * @param event what happens in the middle of the simulation
     * @param words of the command line
     * @param folder below that of the test
     * @return exit status
     */
    int RunIt(const std::function<void()>& event,
              std::vector<std::string> words = {},
              const std::string& folder = "") const
    {
        RunSpec spec = LdpOnlinePreset("test");
        spec.out = m_folder + folder;
        RunProgram program(spec);
        program.SetBeginHook([&event](dlearn::Run&) {
            if (event)
            {
                Simulator::Schedule(MilliSeconds(5), event);
            }
        });
        words.insert(words.begin(),
                     {"test", "--learners=3", "--data-samples=200", "--network=p2p"});
        std::vector<char*> argv;
        for (std::string& word : words)
        {
            argv.push_back(word.data());
        }
        testing::internal::CaptureStdout();
        const int status = program.Main(static_cast<int>(argv.size()), argv.data(), "test.cc");
        testing::internal::GetCapturedStdout();
        return status;
    }

    /**
     * Five runs of five rounds of three learners.
     *
     * @param event what happens when the third one is about to begin
     * @param transcript of the first
     * @return exit status
     */
    int RunFive(const std::function<void()>& event, bool transcript = false) const
    {
        RunSpec spec = LdpOnlinePreset("test");
        spec.out = m_folder;
        spec.learners = 3;
        spec.rounds = 5;
        spec.runs = 5;
        spec.dataSamples = 200;
        spec.transcript = transcript;
        RunProgram program(spec);
        uint32_t runs = 0;
        program.SetBeginHook([&](dlearn::Run&) {
            if (++runs == 3)
            {
                event();
            }
        });
        char name[] = "test";
        char* argv[] = {name};
        return program.Main(1, argv, "test.cc");
    }

    /** @return summary.json */
    Json ReadSummary(const std::string& folder = "") const
    {
        return Json::parse(ReadTextFile(m_folder + folder + "/summary.json"));
    }

    /** @return rounds.csv */
    std::string ReadRounds(const std::string& folder = "") const
    {
        return ReadTextFile(m_folder + folder + "/rounds.csv");
    }

    const std::string m_folder; //!< of the results
};

TEST_F(Programs, KeepTheResultsOfARunThatASignalEnds)
{
    for (const int signal : {SIGINT, SIGTERM})
    {
        std::filesystem::remove_all(m_folder);
        EXPECT_EXIT(std::exit(RunIt([signal] { std::raise(signal); })),
                    testing::ExitedWithCode(128 + signal),
                    "warning: the run was interrupted after 0.005 s of simulated time");
        const Json summary = ReadSummary();
        EXPECT_EQ(summary["status"], "interrupted");
        EXPECT_EQ(summary["reason"], signal == SIGINT ? "SIGINT" : "SIGTERM");
        EXPECT_TRUE(summary["conserved"]);
        EXPECT_GT(summary["totals"]["closed_rounds"], 0);
        EXPECT_LT(summary["totals"]["closed_rounds"], 300);
        EXPECT_EQ(summary["simulated_s"], 0.005);
        EXPECT_TRUE(std::filesystem::exists(m_folder + "/report.html"));
    }
}

// Data and network of the next run are being made, and nothing is simulated.
TEST_F(Programs, KeepTheFirstRunWhenASignalComesBetweenRuns)
{
    EXPECT_EXIT(std::exit(RunFive([] { std::raise(SIGTERM); }, true)),
                testing::ExitedWithCode(128 + SIGTERM),
                "only 2 of 5 runs are complete: SIGTERM, in run 3 of 5");
    EXPECT_EQ(ReadSummary()["status"], "interrupted");
    EXPECT_EQ(ReadSummary()["totals"]["closed_rounds"], 15);
    EXPECT_TRUE(std::filesystem::exists(m_folder + "/transcript.csv"));
    EXPECT_FALSE(std::filesystem::exists(m_folder + "/transcript.csv.part"));
}

TEST_F(Programs, KeepTheResultsOfARunThatFails)
{
    testing::internal::CaptureStderr();
    const int status = RunIt([] { throw std::runtime_error("the moon fell down"); });
    const std::string errors = testing::internal::GetCapturedStderr();
    EXPECT_EQ(status, 1);
    EXPECT_NE(errors.find("test: error: the moon fell down\n"), std::string::npos) << errors;
    EXPECT_EQ(ReadSummary()["status"], "failed");
    EXPECT_EQ(ReadSummary()["reason"], "the moon fell down");
    EXPECT_GT(ReadSummary()["totals"]["closed_rounds"], 0);
}

// What a later run draws may be out of range, such as a speed or a battery.
TEST_F(Programs, KeepTheRunsBeforeOneThatIsRefused)
{
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_EQ(RunFive([] { throw std::invalid_argument("speed must be at least 1, got 0.5"); }), 1);
    testing::internal::GetCapturedStdout();
    const std::string errors = testing::internal::GetCapturedStderr();
    EXPECT_NE(errors.find("test: error: speed must be at least 1, got 0.5\n"), std::string::npos)
        << errors;
    EXPECT_EQ(ReadSummary()["status"], "failed");
    EXPECT_EQ(ReadSummary()["warnings"].back(),
              "only 2 of 5 runs are complete: speed must be at least 1, got 0.5, in run 3 of 5");
    EXPECT_EQ(ReadSummary()["totals"]["closed_rounds"], 15);
    EXPECT_TRUE(std::filesystem::exists(m_folder + "/model_error.csv"));
}

TEST_F(Programs, RepeatARunFromItsSummary)
{
    ASSERT_EQ(RunIt({},
                    {"--rounds=5",
                     "--loss=0.2",
                     "--RngRun=7",
                     "--deadline=20ms",
                     "--ns3::dlearn::FlopsCompute::Flops=1e7"},
                    "/a"),
              0);
    const Json first = ReadSummary("/a");
    EXPECT_EQ(first["status"], "complete");
    EXPECT_EQ(first["attributes"]["ns3::dlearn::FlopsCompute::Flops"], "1e7");
    EXPECT_NE(first["command"].get<std::string>().find("test --learners=3"), std::string::npos);
    const std::string config = "--config=" + m_folder + "/a/summary.json";
    ASSERT_EQ(RunIt({}, {config, "--out=" + m_folder + "/b"}), 0);
    EXPECT_EQ(ReadRounds("/b"), ReadRounds("/a"));
    // What follows wins, and nothing else changes.
    ASSERT_EQ(RunIt({}, {config, "--RngRun=8", "--out=" + m_folder + "/c"}), 0);
    EXPECT_NE(ReadRounds("/c"), ReadRounds("/a"));
    EXPECT_EQ(ReadSummary("/c")["parameters"]["loss"], "0.2");
    RngSeedManager::SetRun(1);
}

// What another run writes there at the same time would mix with these results.
TEST_F(Programs, KeepOthersFromTheirFolder)
{
    int second = 0;
    testing::internal::CaptureStderr();
    EXPECT_EQ(RunIt([&] {
                  EXPECT_THROW(ResultsDirectory other(m_folder), std::runtime_error);
                  second++;
              }),
              0);
    {
        const ResultsDirectory other(m_folder);
        EXPECT_EQ(RunIt([&] { second++; }), 1);
    }
    const std::string errors = testing::internal::GetCapturedStderr();
    EXPECT_NE(errors.find("test: error: the results directory '" + m_folder +
                          "' is in use by another run that has not ended\n"),
              std::string::npos)
        << errors;
    EXPECT_EQ(second, 1);
    EXPECT_EQ(RunIt({}), 0);
}

TEST_F(Programs, RefuseAFileThatNamesAFile)
{
    std::filesystem::create_directories(m_folder);
    const std::string path = m_folder + "/c.json";
    WriteTextFile(path, R"({"parameters": {"config": ")" + path + R"("}})");
    testing::internal::CaptureStderr();
    EXPECT_EQ(RunIt({}, {"--config=" + path}), 1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "test: error: " + path + ": 'config' cannot be in a file\n");
}

TEST_F(Programs, TryTheirFolderBeforeTheyRun)
{
    std::filesystem::create_directories(m_folder + "/summary.json");
    testing::internal::CaptureStderr();
    bool simulated = false;
    EXPECT_EQ(RunIt([&] { simulated = true; }), 1);
    const std::string errors = testing::internal::GetCapturedStderr();
    EXPECT_NE(errors.find("/summary.json': Is a directory"), std::string::npos) << errors;
    EXPECT_FALSE(simulated);
    EXPECT_FALSE(std::filesystem::exists(m_folder + "/rounds.csv"));
}

// Of a neural network nobody knows how far it is from the best one.
TEST_F(Programs, SayWhereFurtherRunsAreOfNoUse)
{
    const std::vector<std::string> words{
        "--rounds=2",
        "--runs=2",
        "--algorithm=dsgd,PrivacyLedger=ns3::dlearn::PrivacyLedger"};
    auto network = words;
    network.emplace_back("--task=net:fc2");
    testing::internal::CaptureStderr();
    EXPECT_EQ(RunIt({}, words), 0);
    EXPECT_EQ(ReadSummary()["warnings"].dump().find("has no use"), std::string::npos);
    EXPECT_EQ(RunIt({}, network), 0);
    const std::string warning = "runs 2 has no use: it is for the mean of the model error in "
                                "model_error.csv, and no error is known of what is learned here";
    EXPECT_EQ(ReadSummary()["warnings"].back(), warning);
    const std::string errors = testing::internal::GetCapturedStderr();
    EXPECT_NE(errors.find("warning: " + warning), std::string::npos) << errors;
}

TEST(TerminateHandler, EndsTheProgramWithOneMoreLine)
{
    EXPECT_EXIT(
        {
            const TerminateHandler handler("a-program");
            NS_ABORT_MSG("out of range");
        },
        ::testing::ExitedWithCode(1),
        "out of range.*\na-program: error: ns-3 ended the program, for the reason in the line "
        "above\n$");
}

TEST(TerminateHandler, SavesWhatThereIs)
{
    EXPECT_EXIT(
        {
            const TerminateHandler outer("outer");
            const TerminateHandler inner("inner", [] { return "; saved"; });
            std::terminate();
        },
        ::testing::ExitedWithCode(1),
        "^inner: error: ns-3 ended .* above; saved\n$");
}

TEST(TerminateHandler, SurvivesWhatCanNotBeSaved)
{
    EXPECT_EXIT(
        {
            const TerminateHandler handler("a-program", []() -> std::string {
                throw std::runtime_error("disk full");
            });
            std::terminate();
        },
        ::testing::ExitedWithCode(1),
        "above; its results are lost: disk full");
    EXPECT_EXIT(
        {
            const TerminateHandler handler("a-program", []() -> std::string { std::terminate(); });
            std::terminate();
        },
        ::testing::ExitedWithCode(1),
        "^$");
}

TEST(TerminateHandler, EndsWithItsLife)
{
    const auto end = [] {
        const TerminateHandler outer("outer");
        {
            const TerminateHandler inner("inner");
        }
        std::terminate();
    };
    EXPECT_EXIT(end(), ::testing::ExitedWithCode(1), "^outer: error");
}

/** @return what RunGuarded() prints of a body that fails */
std::string
GetLine(const std::function<void()>& body)
{
    testing::internal::CaptureStderr();
    EXPECT_EQ(RunGuarded("a-program", body), 1);
    return testing::internal::GetCapturedStderr();
}

TEST(RunGuarded, MakesALineOfWhateverIsThrown)
{
    EXPECT_EQ(GetLine([] { throw std::invalid_argument("x must be 1"); }),
              "a-program: error: x must be 1\n");
    EXPECT_EQ(GetLine([] { throw 42; }),
              "a-program: error: an exception that is no std::exception\n");
    EXPECT_EQ(RunGuarded("a-program", [] {}), 0);
}

} // namespace
} // namespace ns3::dlearn
