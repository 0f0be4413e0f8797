/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Runs that are cut short and go on from their checkpoints end as if nothing had happened.
 */

#include "dlearn-system-fixture.h"
#include "support/dlearn-expect-refused.h"
#include "support/dlearn-own-components.h"

#include "ns3/config.h"
#include "ns3/dlearn-checkpoint.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-component.h"
#include "ns3/dlearn-dsgd.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/dlearn-text-file.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace ns3::dlearn
{
namespace
{

/** What a killed process would say if it could. */
class Killed : public std::runtime_error
{
  public:
    Killed()
        : std::runtime_error("killed")
    {
    }
};

/** Has a folder for results, and restores defaults. */
class Checkpoints : public testing::Test
{
  protected:
    void TearDown() override
    {
        std::filesystem::remove_all(m_folder);
        Config::Reset();
    }

    /** @return the results of a run; ends it by an exception after a round, if that is given */
    RunResults Execute(const RunSpec& spec,
                       std::optional<uint32_t> last = std::nullopt,
                       std::string* printed = nullptr) const
    {
        dlearn::Run run(spec);
        Ptr<LearnerApplication> learner;
        if (spec.kind == RunKind::FEDERATION)
        {
            learner = run.GetFederation().server;
        }
        else
        {
            learner = run.GetPeers().at(1);
        }
        if (last)
        {
            s_last = *last;
            learner->TraceConnectWithoutContext("RoundEnd", MakeCallback(&Checkpoints::KillAt));
        }
        std::ostringstream table;
        RunResults results = run.Execute(table);
        if (printed)
        {
            *printed = table.str();
        }
        return results;
    }

    /**
     * Run to the end without checkpoints; and with them up to a round, and then on from the last.
     *
     * @param spec what to run
     * @param every rounds from one checkpoint to the next
     * @param last round after which the first part is killed
     * @return the results of the second part
     */
    RunResults Resume(RunSpec spec, uint32_t every = 5, uint32_t last = 13) const
    {
        spec.out = m_folder;
        std::string wholeTable;
        std::string resumedTable;
        const RunResults whole = Execute(spec, std::nullopt, &wholeTable);
        spec.checkpointEvery = every;
        EXPECT_THROW(Execute(spec, last), Killed);
        spec.checkpointEvery = 0;
        spec.resume = m_folder;
        EXPECT_GT(ReadCheckpoint(m_folder).time, Time(0));
        RunResults resumed = Execute(spec, std::nullopt, &resumedTable);
        const ResultsFiles files = MakeResultsFiles(resumed);
        for (const auto& [name, text] : MakeResultsFiles(whole))
        {
            if (std::filesystem::path(name).extension() == ".csv")
            {
                EXPECT_EQ(files.at(name), text) << name;
            }
        }
        EXPECT_EQ(resumedTable.substr(resumedTable.rfind('\n', resumedTable.size() - 2)),
                  wholeTable.substr(wholeTable.rfind('\n', wholeTable.size() - 2)));
        EXPECT_EQ(resumed.totals, whole.totals);
        EXPECT_EQ(resumed.epsilon, whole.epsilon);
        EXPECT_EQ(resumed.warnings, whole.warnings);
        EXPECT_EQ(resumed.simulatedSeconds, whole.simulatedSeconds);
        EXPECT_EQ(resumed.status, "complete");
        return resumed;
    }

    const std::string m_folder{testing::TempDir() + "dlearn-checkpoints"}; //!< of results

  private:
    static void KillAt(const RoundRecord& record)
    {
        if (record.round >= s_last)
        {
            throw Killed();
        }
    }

    static inline uint32_t s_last{0}; //!< round after which a run is killed
};

/** @return names of a family on the command line, without those that tests have registered */
std::vector<std::string>
GetNames(const ComponentFamily& family)
{
    const auto names = test::GetOwnComponents(GetComponentNames(family));
    EXPECT_FALSE(names.empty());
    return names;
}

/** @return a small run of peers on directed graphs, with a constant step */
RunSpec
DirectedRun(const std::string& algorithm)
{
    RunSpec spec = GradientTrackingPreset("system-test");
    spec.algorithm = algorithm;
    spec.rounds = 20;
    spec.evaluateEvery = 5;
    return spec;
}

/** @return a small federation */
RunSpec
FederatedRun(const RunSpec& preset)
{
    RunSpec spec = preset;
    spec.learners = 5;
    spec.transport = "udp";
    spec.rounds = 20;
    spec.evaluateEvery = 5;
    return spec;
}

TEST_F(Checkpoints, NoticeThatAFileHasChanged)
{
    std::filesystem::create_directories(m_folder);
    const std::string path = m_folder + "/links.csv";
    WriteTextFile(path, "one");
    Checkpoint checkpoint;
    checkpoint.inputs = FindInputs({"--graph=csv:" + path,
                                    "--faults=" + path,
                                    "--loss=0.1",
                                    "--network=",
                                    "--ns3::ConfigStore::Filename=" + path});
    ASSERT_EQ(checkpoint.inputs.size(), 2U);
    EXPECT_EQ(checkpoint.inputs.front().path, path);
    const auto read = DecodeCheckpoint(EncodeCheckpoint(checkpoint), "file");
    RequireSameInputs(read, "x");
    for (const std::string text : {"two", "three"})
    {
        WriteTextFile(path, text);
        ExpectRefused([&read] { RequireSameInputs(read, "x"); },
                      path + " has changed since x/checkpoint.bin was written: it had 3 bytes");
    }
    // A file may have the name of a network by chance.
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(m_folder);
    WriteTextFile("p2p", "one");
    EXPECT_TRUE(FindInputs({"--network=p2p"}).empty());
    EXPECT_EQ(FindInputs({"--network=trace:p2p", "--data=./p2p"}).size(), 2U);
    std::filesystem::current_path(here);
    std::filesystem::remove(path);
    ExpectRefused([&read] { RequireSameInputs(read, "x"); }, path + " is no longer there");
}

// Some batteries are empty at the checkpoint, and are charged again after it.
TEST_F(Checkpoints, HoldTheChargeOfBatteries)
{
    RunSpec spec = SmallRun("ideal");
    spec.responseTimeout = "1ms";
    spec.txJoulesPerBit = "1e-6";
    spec.rxJoulesPerBit = "1e-6";
    spec.battery = "uniform:0.05:0.5";
    spec.harvest = "5";
    const RunResults resumed = Resume(spec);
    const auto count = [&resumed](const std::string& name) {
        return std::count_if(resumed.timeline.begin(),
                             resumed.timeline.end(),
                             [&name](const RunEvent& event) { return event.event == name; });
    };
    EXPECT_GT(count("battery-empty"), 0);
    EXPECT_GT(count("restarted"), 0);
    spec.checkpointEvery = 0;
    spec.resume.clear();
    EXPECT_EQ(resumed.energy, Execute(spec).energy);
    EXPECT_EQ(resumed.battery.size(), 5U);
}

TEST_F(Checkpoints, HoldTheStateOfAllRulesOfPeers)
{
    for (const std::string& name : GetNames(GetPeerRuleFamily()))
    {
        SCOPED_TRACE(name);
        RunSpec spec = SmallRun("ideal");
        spec.algorithm = name;
        if (spec.IsTracking())
        {
            spec = DirectedRun(name);
        }
        Resume(spec);
    }
}

TEST_F(Checkpoints, HoldTheStateOfLossesAndTheirCures)
{
    RunSpec spec = DirectedRun("dp-gt");
    spec.loss = 0.1;
    spec.deadline = "4ms";
    Resume(spec);
    spec = DirectedRun("push-sum");
    spec.loss = 0.1;
    spec.deadline = "4ms";
    Resume(spec);
    for (const std::string& name : GetNames(GetMissingFamily()))
    {
        SCOPED_TRACE(name);
        spec = SmallRun("ideal");
        spec.loss = 0.1;
        spec.onMissing = name;
        spec.deadline = "4ms";
        Resume(spec);
    }
}

TEST_F(Checkpoints, HoldTheStateOfLearnersAtTheirOwnPace)
{
    Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                       TypeIdValue(RandomCompute::GetTypeId()));
    Resume(SmallRun("ideal"), 4, 18); // in the middle of a round of some
    RunSpec spec = SmallRun("ideal");
    spec.synchrony = "async";
    Resume(spec, 3, 11);
}

/** @return one item of a list, the first again after the last */
const std::string&
GetInTurn(const std::vector<std::string>& items, size_t turn)
{
    return items[turn % items.size()];
}

TEST_F(Checkpoints, HoldTheStateOfAllNoise)
{
    const auto mechanisms = GetNames(GetMechanismFamily());
    const auto units = GetNames(GetPrivacyUnitFamily());
    for (size_t turn = 0; turn < std::max(mechanisms.size(), units.size()); ++turn)
    {
        RunSpec spec = SmallRun("ideal");
        spec.algorithm = "dsgd";
        spec.mechanism = GetInTurn(mechanisms, turn);
        spec.privacyUnit = GetInTurn(units, turn);
        SCOPED_TRACE(spec.mechanism + " " + spec.privacyUnit);
        Resume(spec);
    }
}

TEST_F(Checkpoints, HoldTheStateOfAllCompression)
{
    for (const std::string& name : GetNames(GetCompressorFamily()))
    {
        SCOPED_TRACE(name);
        RunSpec spec = SmallRun("ideal");
        spec.floatBits = 32;
        spec.compress = name + ":3";
        Resume(spec);
    }
}

/** @return the attacks with messages whose state can be saved, as on the command line */
std::vector<std::string>
GetBehaviors()
{
    const std::string prefix = "ns3::dlearn::";
    const std::string suffix = "Behavior";
    std::vector<std::string> names;
    std::vector<std::string> refused;
    for (const TypeId& type : test::GetOwnTypes(ByzantineBehavior::GetTypeId()))
    {
        const std::string full = type.GetName();
        std::string name;
        for (const char c : full.substr(prefix.size(), full.size() - prefix.size() - suffix.size()))
        {
            name += std::isupper(c) && !name.empty() ? "-" : "";
            name += static_cast<char>(std::tolower(c));
        }
        const bool saved = HasRegisteredState(*ObjectFactory(full).Create<Object>());
        (saved ? names : refused).push_back(name == "delay" ? "delay:2ms" : name);
    }
    EXPECT_EQ(refused, std::vector<std::string>{"header-flood"});
    return names;
}

TEST_F(Checkpoints, HoldTheStateOfAllAttacksAndDefences)
{
    Config::SetDefault("ns3::dlearn::LdpOnline::PrivacyLedger",
                       TypeIdValue(PrivacyLedger::GetTypeId())); // not every defence allows one
    std::vector<std::string> attacks = test::GetOwnComponents(GetAttackNames());
    const auto behaviors = GetBehaviors();
    attacks.insert(attacks.end(), behaviors.begin(), behaviors.end());
    const auto aggregators = GetNames(GetAggregatorFamily());
    const auto stages = GetNames(GetPreAggregatorFamily());
    for (size_t turn = 0; turn < std::max(attacks.size(), aggregators.size()); ++turn)
    {
        RunSpec spec = SmallRun("ideal");
        spec.learners = 6;
        spec.rounds = 12;
        spec.graph = "complete";
        spec.byzantine = 1;
        spec.attack = GetInTurn(attacks, turn);
        spec.aggregator = GetInTurn(aggregators, turn);
        spec.preAggregator = GetInTurn(stages, turn);
        SCOPED_TRACE(spec.attack + " " + spec.aggregator + " " + spec.preAggregator);
        Resume(spec, 4, 6);
    }
}

TEST_F(Checkpoints, HoldTheStateOfAllFederations)
{
    for (const std::string mode : {"sync", "async", "buffered"})
    {
        SCOPED_TRACE(mode);
        RunSpec spec = FederatedRun(FedAvgPreset("system-test"));
        spec.mode = mode;
        spec.bufferSize = mode == "buffered" ? 3 : spec.bufferSize;
        Resume(spec);
        spec.data = "linear-gaussian";
        Resume(spec);
    }
    for (const std::string& name : GetNames(GetServerRuleFamily()))
    {
        SCOPED_TRACE(name);
        RunSpec spec = FederatedRun(FedAvgPreset("system-test"));
        spec.serverRule = name;
        Resume(spec);
    }
    for (const std::string& name : GetNames(GetClientRuleFamily()))
    {
        SCOPED_TRACE(name);
        const bool gradients = name == "CafCorWorker";
        RunSpec spec = FederatedRun(gradients ? CafCorPreset("test") : FedAvgPreset("test"));
        spec.clientRule = name;
        Resume(spec);
    }
}

TEST_F(Checkpoints, HoldTheStateOfPrivateFederations)
{
    for (const char* model : {"ldp", "cdp", "secldp"})
    {
        for (const char* shared : {"joint", "pairwise"})
        {
            SCOPED_TRACE(std::string(model) + " " + shared);
            RunSpec spec = FederatedRun(CafCorPreset("system-test"));
            spec.threatModel = model;
            spec.sharedNoise = shared;
            Resume(spec);
        }
    }
}

// What an attacker has shown counts as released, whether or not it leaves the node.
TEST_F(Checkpoints, HoldWhatAttackersHaveShown)
{
    RunSpec spec = FederatedRun(FedAvgPreset("system-test"));
    spec.learners = 7;
    spec.transport = "udp";
    spec.threatModel = "ldp";
    spec.byzantine = 3;
    spec.attack = "silent";
    spec.sampleFraction = 0.5;
    Resume(spec);
}

TEST_F(Checkpoints, HoldTheStateOfLearnersThatGoAndCome)
{
    RunSpec spec = SmallRun("ideal");
    spec.rounds = 40;
    spec.responseTimeout = "5ms";
    spec.churn = "crash:1@10ms,restart:1@25ms,leave:2@12ms,restart:2@60ms";
    const RunResults results = Resume(spec, 5, 16);
    EXPECT_FALSE(results.timeline.empty());
    spec.churn = "crash:0@8ms"; // what it has spent stays the largest epsilon
    Resume(spec, 5, 16);
}

TEST_F(Checkpoints, AreTakenWithoutEffectOnTheRun)
{
    RunSpec spec = SmallRun("ideal");
    spec.out = m_folder;
    const RunResults whole = Execute(spec);
    spec.checkpointEvery = 3;
    const RunResults watched = Execute(spec);
    EXPECT_EQ(MakeResultsFiles(watched).at("rounds.csv"), MakeResultsFiles(whole).at("rounds.csv"));
    EXPECT_EQ(watched.events, whole.events);
    EXPECT_TRUE(ReadCheckpoint(m_folder).complete);
}

TEST_F(Checkpoints, MayFollowEachOther)
{
    RunSpec spec = SmallRun("ideal");
    spec.out = m_folder;
    const RunResults whole = Execute(spec);
    spec.checkpointEvery = 4;
    EXPECT_THROW(Execute(spec, 6), Killed);
    const Time first = ReadCheckpoint(m_folder).time;
    spec.resume = m_folder;
    EXPECT_THROW(Execute(spec, 14), Killed);
    EXPECT_GT(ReadCheckpoint(m_folder).time, first);
    EXPECT_EQ(MakeResultsFiles(Execute(spec)).at("rounds.csv"),
              MakeResultsFiles(whole).at("rounds.csv"));
    EXPECT_TRUE(ReadCheckpoint(m_folder).complete);
}

TEST_F(Checkpoints, SayWhatTheyDoNotHold)
{
    for (const std::string transport : {"udp", "tcp"})
    {
        SCOPED_TRACE(transport);
        RunSpec spec = SmallRun("p2p", transport);
        spec.loss = 0.05;
        spec.deadline = "30ms";
        const RunResults whole = Execute(spec);
        spec.out = m_folder;
        spec.checkpointEvery = 5;
        EXPECT_THROW(Execute(spec, 13), Killed);
        spec.resume = m_folder;
        const RunResults resumed = Execute(spec); // which checks the conservation laws
        EXPECT_EQ(resumed.status, "complete");
        EXPECT_EQ(CountRows(resumed, 0), spec.rounds);
        // Of the time since the checkpoint; TCP sends more then, as it has to connect again.
        for (size_t k = 0; transport == "udp" && k < whole.links.size(); ++k)
        {
            EXPECT_NEAR(resumed.links[k].busy / whole.links[k].busy, 1, 0.25);
        }
        const std::string begin = "the run goes on from a checkpoint at ";
        EXPECT_EQ(
            std::count_if(resumed.warnings.begin(),
                          resumed.warnings.end(),
                          [&](const std::string& warning) { return warning.rfind(begin, 0) == 0; }),
            1);
    }
}

TEST_F(Checkpoints, OfAnotherRunAreRefusedAndLeaveTheResultsAlone)
{
    RunSpec spec = SmallRun("ideal");
    spec.out = m_folder;
    spec.checkpointEvery = 5;
    EXPECT_THROW(Execute(spec, 13), Killed);
    spec.resume = m_folder;
    spec.algorithm = "dsgd"; // no program does this: the checkpoint says what is run
    ExpectRefused([&] { Execute(spec); },
                  m_folder + "/checkpoint.bin: the saved state does not fit the run: expected that "
                             "of ns3::dlearn::Dsgd after ");
    EXPECT_GT(ReadCheckpoint(m_folder).time, Time(0)); // it is still there
}

/** A rule of a user, which does not say what its state is. */
class Forgetful : public Dsgd
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::Forgetful")
                                .SetParent<Dsgd>()
                                .SetGroupName("DlearnTest")
                                .AddConstructor<Forgetful>();
        return tid;
    }
};

TEST_F(Checkpoints, RefuseWhatDoesNotSayItsState)
{
    RunSpec spec = SmallRun("ideal");
    Forgetful::GetTypeId();
    spec.algorithm = "ns3::dlearn::test::Forgetful";
    spec.out = m_folder;
    spec.checkpointEvery = 5;
    ExpectRefused(
        [&] { Execute(spec); },
        "the state of ns3::dlearn::test::Forgetful cannot be saved: it has no VisitState() "
        "registered with DLEARN_STATE_ENSURE_REGISTERED");
}

/** @return bytes of a checkpoint */
std::string
MakeBytes()
{
    Checkpoint checkpoint;
    checkpoint.program = "program";
    checkpoint.words = {"--rounds=5", ""};
    checkpoint.time = MilliSeconds(3);
    checkpoint.state = "state";
    return EncodeCheckpoint(checkpoint);
}

TEST_F(Checkpoints, AreRefusedWhenTheyAreDamaged)
{
    const std::string bytes = MakeBytes();
    const Checkpoint whole = DecodeCheckpoint(bytes, "file");
    EXPECT_EQ(whole.words, (std::vector<std::string>{"--rounds=5", ""}));
    EXPECT_EQ(whole.state, "state");
    for (size_t place = 0; place < bytes.size(); ++place)
    {
        std::string damaged = bytes;
        damaged[place] ^= 1;
        EXPECT_THROW(DecodeCheckpoint(damaged, "file"), std::invalid_argument) << place;
        EXPECT_THROW(DecodeCheckpoint(bytes.substr(0, place), "file"), std::invalid_argument);
    }
    ExpectRefused([&] { DecodeCheckpoint(bytes.substr(0, bytes.size() - 1), "file"); },
                  "file: the checkpoint is damaged: it must have ");
    ExpectRefused([&] { DecodeCheckpoint(bytes.substr(0, 30), "file"); },
                  "file: the checkpoint is damaged: it ends within its first 37 bytes");
    ExpectRefused([&] { DecodeCheckpoint("PNG", "file"); },
                  "file: no checkpoint, or of another version: it must begin with 'dlearn "
                  "checkpoint 14'");
}

#if __has_include(<sys/wait.h>)

/** @return exit status of a program, or the number of the signal that ended it as a negative one */
int
RunProcess(const std::vector<std::string>& words, const std::function<bool()>& kill)
{
    const pid_t child = fork();
    if (child == 0)
    {
        std::vector<char*> argv;
        for (const std::string& word : words)
        {
            argv.push_back(const_cast<char*>(word.c_str()));
        }
        argv.push_back(nullptr);
        std::freopen("/dev/null", "w", stdout);
        std::freopen("/dev/null", "w", stderr);
        execv(argv[0], argv.data());
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0)
    {
        if (kill())
        {
            ::kill(child, SIGKILL);
        }
        usleep(1000);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_F(Checkpoints, SurviveAProcessThatIsKilled)
{
    const char* const programs = std::getenv("DLEARN_PROGRAMS");
    if (programs == nullptr)
    {
        GTEST_SKIP() << "DLEARN_PROGRAMS does not say where the programs are";
    }
    const std::string program = std::string(programs) + "/dlearn-ldp-online";
    const auto never = [] { return false; };
    const std::string file = m_folder + "/killed/checkpoint.bin";
    setenv("NS_ATTRIBUTE_DEFAULT", "ns3::dlearn::Task::ClipNorm=0.3", 1); // is part of the run
    ASSERT_EQ(
        RunProcess({program, "--rounds=600", "--RngRun=3", "--out=" + m_folder + "/whole"}, never),
        0);
    ASSERT_EQ(RunProcess({program,
                          "--rounds=600",
                          "--RngRun=3",
                          "--checkpoint-every=20",
                          "--out=" + m_folder + "/killed"},
                         [&] { return std::filesystem::exists(file); }),
              -SIGKILL);
    setenv("NS_ATTRIBUTE_DEFAULT", "ns3::dlearn::Task::ClipNorm=0.4", 1);
    EXPECT_EQ(RunProcess({program, "--resume=" + m_folder + "/killed"}, never), 1);
    unsetenv("NS_ATTRIBUTE_DEFAULT");
    ASSERT_EQ(RunProcess({program, "--resume=" + m_folder + "/killed"}, never), 0);
    for (const char* name : {"/rounds.csv", "/events.csv"})
    {
        EXPECT_EQ(ReadTextFile(m_folder + "/killed" + name),
                  ReadTextFile(m_folder + "/whole" + name));
    }
    EXPECT_EQ(RunProcess({program, "--resume=" + m_folder + "/killed"}, never), 1);
}

#endif

// The checkpoint of the run is of round 10; in it is that of the server, of round 7, to which the
// server goes back from round 12.
TEST_F(Checkpoints, HoldThatOfTheServer)
{
    const std::string path = testing::TempDir() + "faults-of-a-checkpoint.txt";
    WriteTextFile(path, "checkpoint=7:0@0s\ncrash:0@250ms\nrestart:0@300ms\n");
    Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                       TypeIdValue(FixedCompute::GetTypeId()));
    RunSpec spec = FedAvgPreset("system-test");
    spec.network = "ideal";
    spec.transport = "udp";
    spec.learners = 3;
    spec.dimension = 5;
    spec.rounds = 20;
    spec.faults = path;
    const RunResults resumed = Resume(spec);
    EXPECT_GT(resumed.totals.at("server_rounds_lost"), 3U);
    std::remove(path.c_str());
}

} // namespace
} // namespace ns3::dlearn
