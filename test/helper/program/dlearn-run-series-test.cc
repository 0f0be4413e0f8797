/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-files.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-run-results.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run-table.h"
#include "ns3/simulator.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** @return what is printed of the energy of a run */
std::string
Print(const RunResults& results)
{
    std::ostringstream table;
    PrintEnergy(table, results);
    return table.str();
}

TEST(RunTable, EnergyIsOfAllAndOfTheServer)
{
    RunResults results;
    EXPECT_EQ(Print(results), "");
    results.roles = {"peer", "peer"};
    results.energy = {{0, 1.5}, {1, 2}};
    EXPECT_EQ(Print(results), "\n3.5 J spent by 2 learners\n");
    results.roles = {"server", "client"};
    EXPECT_EQ(Print(results), "\n3.5 J spent by 2 learners, 1.5 J of it by the server\n");
    results.battery = {{1, 8}};
    EXPECT_EQ(Print(results),
              "\n3.5 J spent by 2 learners, 1.5 J of it by the server; learner 1 has the least "
              "left, 8 J\n");
}

TEST(RunTable, ARunThatIsNotCompleteIsMarked)
{
    NamedRun whole{"plain", {}};
    NamedRun cut{"private", {}};
    std::ostringstream complete;
    PrintComparison(complete, {whole, cut});
    EXPECT_NE(complete.str().find("\n         run  time (s)"), std::string::npos) << complete.str();
    EXPECT_NE(complete.str().find("\n     private         0"), std::string::npos) << complete.str();
    cut.results.status = "interrupted";
    std::ostringstream table;
    PrintComparison(table, {whole, cut});
    EXPECT_NE(table.str().find("\n                  plain         0"), std::string::npos)
        << table.str();
    EXPECT_NE(table.str().find("\n  private (interrupted)         0"), std::string::npos)
        << table.str();
}

} // namespace

namespace
{

using Json = nlohmann::json;

/** Runs a program that compares peers on links with others, in a folder of its own. */
class ComparedRuns : public testing::Test
{
  protected:
    ComparedRuns()
        : m_folder(testing::TempDir() + "dlearn-compared-runs")
    {
        std::filesystem::remove_all(m_folder);
    }

    ~ComparedRuns() override { std::filesystem::remove_all(m_folder); }

    /**
     * @param words of the command line
     * @param folder below that of the test
     * @param hook called before each simulation; may be empty
     * @return exit status
     */
    int RunIt(std::vector<std::string> words,
              const std::string& folder = "",
              const dlearn::Run::Hook& hook = {})
    {
        RunSpec spec = LdpOnlinePreset("test");
        spec.out = m_folder + folder;
        spec.learners = 3;
        spec.rounds = 5;
        spec.evaluateEvery = 1;
        spec.dataSamples = 200;
        spec.network = "p2p";
        RunProgram program(spec);
        program.SetBeginHook(hook);
        program.CompareWith(
            "links",
            {{"ideal", {"--network=ideal"}}, {"lossy", {"--loss=0.3", "--deadline=20ms", m_word}}});
        words.insert(words.begin(), "test");
        std::vector<char*> argv;
        for (std::string& word : words)
        {
            argv.push_back(word.data());
        }
        testing::internal::CaptureStdout();
        if (m_capture)
        {
            testing::internal::CaptureStderr();
        }
        const int status = program.Main(static_cast<int>(argv.size()), argv.data(), "test.cc");
        m_output = testing::internal::GetCapturedStdout();
        m_errors = m_capture ? testing::internal::GetCapturedStderr() : "";
        return status;
    }

    /** @return a file of the results */
    std::string Read(const std::string& path) const { return ReadTextFile(m_folder + path); }

    /** @return whether there is a file or folder */
    bool Exists(const std::string& path) const { return std::filesystem::exists(m_folder + path); }

    const std::string m_folder;              //!< of the results
    std::string m_word{"--on-missing=last"}; //!< of the last run
    std::string m_output;                    //!< standard output of the last RunIt()
    std::string m_errors;                    //!< standard error
    bool m_capture{true};                    //!< whether to capture standard error
};

TEST_F(ComparedRuns, AreWhatTheyAreAlone)
{
    ASSERT_EQ(RunIt({}, "/all"), 0) << m_errors;
    ASSERT_EQ(RunIt({"--compare=false"}, "/links"), 0);
    EXPECT_FALSE(Exists("/links/ideal"));
    ASSERT_EQ(RunIt({"--network=ideal", "--compare=false"}, "/ideal"), 0);
    ASSERT_EQ(
        RunIt({"--loss=0.3", "--deadline=20ms", "--on-missing=last", "--compare=false"}, "/lossy"),
        0);
    EXPECT_EQ(Read("/all/rounds.csv"), Read("/links/rounds.csv"));
    EXPECT_EQ(Read("/all/ideal/rounds.csv"), Read("/ideal/rounds.csv"));
    EXPECT_EQ(Read("/all/lossy/rounds.csv"), Read("/lossy/rounds.csv"));
    EXPECT_NE(Read("/all/lossy/rounds.csv"), Read("/all/rounds.csv"));
    // Each repeats from its own summary.
    ASSERT_EQ(
        RunIt({"--config=" + m_folder + "/all/lossy/summary.json", "--out=" + m_folder + "/again"}),
        0)
        << m_errors;
    EXPECT_EQ(Read("/again/rounds.csv"), Read("/lossy/rounds.csv"));
    EXPECT_FALSE(Exists("/again/ideal"));
}

TEST_F(ComparedRuns, LieOverOneAnotherInTheReportOfTheFirst)
{
    ASSERT_EQ(RunIt({}), 0) << m_errors;
    for (const char* name : {"links", "ideal", "lossy"})
    {
        EXPECT_NE(Read("/report.html").find("\"" + std::string(name) + "\""), std::string::npos);
    }
    EXPECT_EQ(Read("/ideal/report.html").find("\"lossy\""), std::string::npos);
}

TEST_F(ComparedRuns, KeepTheOptionsOfTheUser)
{
    ASSERT_EQ(RunIt({"--rounds=3", "--deadline=30ms", "--ns3::dlearn::FlopsCompute::Flops=1e7"}), 0)
        << m_errors;
    for (const char* folder : {"", "/ideal", "/lossy"})
    {
        const Json summary = Json::parse(Read(folder + std::string("/summary.json")));
        EXPECT_EQ(summary["parameters"]["rounds"], "3") << folder;
        EXPECT_EQ(summary["parameters"]["deadline"], "30ms") << folder;
        const std::string flops = summary["attributes"]["ns3::dlearn::FlopsCompute::Flops"];
        EXPECT_EQ(std::stod(flops), 1e7) << folder;
    }
    const Json lossy = Json::parse(Read("/lossy/summary.json"));
    EXPECT_EQ(lossy["parameters"]["loss"], "0.3");
    EXPECT_NE(lossy["command"].get<std::string>().find(
                  "--deadline=30ms --ns3::dlearn::FlopsCompute::Flops=1e7 --loss=0.3 "
                  "--on-missing=last --compare=false --out="),
              std::string::npos)
        << lossy["command"];
}

TEST_F(ComparedRuns, NeedADifference)
{
    ASSERT_EQ(RunIt({"--network=p2p"}), 0) << m_errors;
    EXPECT_FALSE(Exists("/ideal"));
    EXPECT_TRUE(Exists("/lossy"));
    EXPECT_NE(m_errors.find("no difference between p2p and ideal, which is left out\n"),
              std::string::npos)
        << m_errors;
}

// The rate of a link means nothing to an ideal network.
TEST_F(ComparedRuns, MayHaveOptionsThatMeanNothingToSomeOfThem)
{
    ASSERT_EQ(RunIt({"--rate=1Mbps"}), 0) << m_errors;
    EXPECT_TRUE(Exists("/ideal/rounds.csv"));
    ASSERT_EQ(RunIt({"--side=5"}, "/refused"), 1);
    EXPECT_NE(m_errors.find("option side is not used: it is for network"), std::string::npos);
}

TEST_F(ComparedRuns, AreCheckedBeforeTheFirst)
{
    m_word = "--rounds=0";
    ASSERT_EQ(RunIt({}), 1);
    EXPECT_NE(m_errors.find("test: error: compared run lossy: rounds must be"), std::string::npos)
        << m_errors;
    EXPECT_NE(m_errors.find("; --compare=false runs the first alone\n"), std::string::npos);
    EXPECT_FALSE(Exists(""));
    m_word = "--no-such=1";
    ASSERT_EQ(RunIt({}), 1);
    EXPECT_NE(m_errors.find("variant lossy: no option --NAME=VALUE of this run: '--no-such=1'"),
              std::string::npos)
        << m_errors;
}

TEST_F(ComparedRuns, KeepWhatWasDoneWhenASignalComes)
{
    m_capture = false; // the death test does
    EXPECT_EXIT(
        {
            int runs = 0;
            std::exit(RunIt({}, "", [&runs](dlearn::Run&) {
                if (++runs == 2)
                {
                    std::raise(SIGINT);
                }
            }));
        },
        testing::ExitedWithCode(128 + SIGINT),
        "");
    EXPECT_EQ(Json::parse(Read("/summary.json"))["status"], "complete");
    EXPECT_EQ(Json::parse(Read("/ideal/summary.json"))["status"], "interrupted");
    EXPECT_FALSE(Exists("/lossy"));
}

// What only the learners refuse is known when the first run is done.
TEST_F(ComparedRuns, SayWhichOfThemIsRefused)
{
    m_word = "--on-missing=nope";
    ASSERT_EQ(RunIt({}), 1);
    EXPECT_NE(m_errors.find("test: error: compared run lossy: on-missing must be one of"),
              std::string::npos)
        << m_errors;
    EXPECT_NE(Read("/report.html").find("\"ideal\""), std::string::npos);
    EXPECT_FALSE(Exists("/lossy"));
}

// A title has the noise of its run, in as many digits as alone.
TEST_F(ComparedRuns, PrintWhatTheyPrintAlone)
{
    ASSERT_EQ(RunIt({"--evaluate-every=4"}), 0) << m_errors;
    const auto width = m_output.find("accuracy     error   epsilon\n       links");
    EXPECT_NE(width, std::string::npos) << m_output;
    const std::string all = m_output;
    ASSERT_EQ(RunIt({"--evaluate-every=4", "--network=ideal", "--compare=false"}), 0);
    const std::string alone = m_output.substr(0, m_output.find("\nReport"));
    EXPECT_NE(all.find(alone), std::string::npos) << all << alone;
}

TEST_F(ComparedRuns, KeepWhatWasDoneWhenOneFails)
{
    int runs = 0;
    const int status = RunIt({}, "", [&runs](dlearn::Run&) {
        if (++runs == 3)
        {
            Simulator::Schedule(MilliSeconds(1), [] { throw std::runtime_error("no more"); });
        }
    });
    EXPECT_EQ(status, 1);
    EXPECT_NE(m_errors.find("test: error: no more\n"), std::string::npos) << m_errors;
    EXPECT_EQ(Json::parse(Read("/summary.json"))["status"], "complete");
    EXPECT_EQ(Json::parse(Read("/lossy/summary.json"))["status"], "failed");
    EXPECT_NE(Read("/report.html").find("\"lossy\""), std::string::npos);
}

} // namespace

} // namespace ns3::dlearn
