/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-federation-fixture.h"
#include "app/dlearn-peer-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-compute-model.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run-watch.h"
#include "ns3/dlearn-run.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <sstream>

namespace ns3::dlearn
{
namespace test
{
namespace
{

/** @return "milliseconds node round event detail", a dash for what is not there; without events
 * that FoldTimeouts() takes */
Lines
Write(const std::vector<RunEvent>& events)
{
    Lines lines;
    for (const RunEvent& event : events)
    {
        if (event.event == "timed-out")
        {
            continue;
        }
        std::ostringstream line;
        line << event.time.GetMicroSeconds() / 1e3 << " ";
        line << (event.node ? std::to_string(*event.node) : "-") << " ";
        line << (event.round ? std::to_string(*event.round) : "-") << " " << event.event
             << (event.detail.empty() ? "" : " ") << event.detail;
        lines.push_back(line.str());
    }
    return lines;
}

// Three learners, each with gradients of 10 ms; rounds of 10 ms.
class PeerWatchTest : public PeerApplicationTest
{
  protected:
    /** Connect the learners and watch them. */
    RunWatch& Watch()
    {
        Connect();
        m_watch.emplace(std::vector<Ptr<LearnerApplication>>(apps.begin(), apps.end()));
        m_watch->GetWarnings().SetListener([this](const std::string& w) { told.push_back(w); });
        return *m_watch;
    }

    /** @return whether the watch sees an end at a time, after the simulation */
    std::shared_ptr<bool> AskAt(Time when)
    {
        auto over = std::make_shared<bool>(false);
        At(when, [this, over] { *over = m_watch->IsOver(); });
        return over;
    }

    std::optional<RunWatch> m_watch;
    Lines told;
};

TEST_F(PeerWatchTest, KeepsTheTimelineOfChurn)
{
    Build(Complete(3));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    SetAll("SuspicionTimeout", TimeValue(MilliSeconds(150)));
    SetAll("Rounds", UintegerValue(6));
    RunWatch& watch = Watch();
    watch.Add({Seconds(1000), std::nullopt, std::nullopt, "link-up", "too late"});
    watch.Add({MilliSeconds(4), std::nullopt, std::nullopt, "link-down", "0 to 1"});
    At(MilliSeconds(15), [this] { apps[2]->Crash(); });
    At(MilliSeconds(15), [this] { apps[2]->Crash(); }); // without effect
    Run();
    // Both wait 100 ms in rounds 1 and 2, the second time 150 ms are over.
    EXPECT_EQ(Write(watch.Finish()),
              (Lines{"4 - - link-down 0 to 1",
                     "15 2 1 crashed",
                     "230 0 2 neighbor-suspected 2",
                     "230 1 2 neighbor-suspected 2"}));
    EXPECT_TRUE(told.empty());
}

TEST_F(PeerWatchTest, TellsOfABudgetWhereItIsSpent)
{
    Build(Complete(3));
    SetAll("Rounds", UintegerValue(100));
    for (const auto& app : apps)
    {
        app->GetRule()->SetAttribute("Affordable", UintegerValue(4));
    }
    RunWatch& watch = Watch();
    Run();
    EXPECT_TRUE(watch.IsOver());
    watch.NoteEnd(Simulator::Now());
    // Rounds 0 to 3 are sent, and round 4 not; Run() ends at 100 s.
    Lines events = Write(watch.Finish());
    std::sort(events.begin(), events.begin() + 3); // which of a moment comes first does not matter
    EXPECT_EQ(events,
              (Lines{"50 0 4 budget-spent",
                     "50 1 4 budget-spent",
                     "50 2 4 budget-spent",
                     "100000 - - ended-early privacy budget spent: learners 0-2"}));
    EXPECT_EQ(told,
              (Lines{"the privacy budget is spent, since round 4 at 50 ms, for learners 0-2: no "
                     "more training; raise budget, add noise, or ask for fewer rounds",
                     "the run ends early at 100 s, after 4 of 100 rounds, as nothing can change "
                     "any more (privacy budget spent: learners 0-2)"}));
}

TEST_F(PeerWatchTest, ARunThatDoesAllItsRoundsIsNotEarly)
{
    Build(Complete(3));
    RunWatch& watch = Watch();
    At(MilliSeconds(15), [this] { apps[2]->Leave(); });
    Run();
    EXPECT_TRUE(watch.IsOver());
    watch.NoteEnd(Simulator::Now());
    EXPECT_EQ(Write(watch.Finish()), (Lines{"20 2 1 left"}));
    EXPECT_TRUE(told.empty());
}

// Rounds of 10 ms: two are closed until 25 ms. Nobody asks the watch before the end, as in a
// script.
TEST_F(PeerWatchTest, AnEndBeforeAllRoundsIsToldInTheEnd)
{
    const auto end = [this](const std::function<void()>& plan) {
        Build(Complete(3));
        SetAll("Rounds", UintegerValue(9));
        Watch();
        plan();
        Run();
        m_watch->Finish();
        m_watch->Finish(); // says nothing again
        EXPECT_EQ(told.size(), 1U);
        const std::string warning = told.empty() ? "" : told[0];
        told.clear();
        m_watch.reset();
        apps.clear();
        Simulator::Destroy();
        return warning;
    };
    const auto stop = [this] {
        for (const auto& app : apps)
        {
            app->SetStopTime(MilliSeconds(25));
        }
    };
    EXPECT_EQ(
        end(stop),
        "the run ended at 100 s, after 2 of 9 rounds, before any learner had closed all of its "
        "rounds (stop time: learners 0-2)");
    const auto crash = [this] {
        At(MilliSeconds(25), [this] {
            apps[0]->Leave();
            apps[1]->Crash();
            apps[2]->Crash();
        });
    };
    EXPECT_EQ(
        end(crash),
        "the run ended at 100 s, after 3 of 9 rounds, before any learner had closed all of its "
        "rounds (crashed: learners 1-2; left: learner 0)");
    EXPECT_EQ(
        end([this] {
            apps[1]->SetStartTime(Seconds(200));
            At(MilliSeconds(25), [] { Simulator::Stop(); });
        }),
        "the run ended at 25 ms, after 0 of 9 rounds, before any learner had closed all of its "
        "rounds (never started: learner 1; not finished: learners 0, 2)");
}

TEST_F(PeerWatchTest, ARestartToComeKeepsTheRunAlive)
{
    Build(Complete(3));
    RunWatch& watch = Watch();
    watch.ExpectRestart(Seconds(80), 1);
    for (const auto& app : apps)
    {
        At(MilliSeconds(15), [app] { app->Crash(); });
    }
    const auto before = AskAt(Seconds(70));
    At(Seconds(80), [this] { apps[1]->Restart(); });
    const auto during = AskAt(MilliSeconds(80500)); // it listens for a second
    Run();
    EXPECT_FALSE(*before);
    EXPECT_FALSE(*during);
    EXPECT_TRUE(watch.IsOver()) << "it has done its rounds alone";
    const Lines events = Write(watch.Finish());
    ASSERT_GE(events.size(), 6U);
    EXPECT_EQ(events[3], "15 - - all-down");
    EXPECT_EQ(events[4], "70000 - - waiting restart of 1");
    EXPECT_EQ(events[5], "80000 1 1 restarted");
    // Ten seconds are not worth a warning, more than a minute is.
    EXPECT_TRUE(told.empty());
}

TEST_F(PeerWatchTest, LearnersThatHearNothingAreIsolated)
{
    Build(Complete(3));
    SetAll("Rounds", UintegerValue(7));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    RunWatch& watch = Watch();
    At(Time(0), [this] {
        apps[1]->Crash();
        apps[2]->Crash();
    });
    Run();
    const Lines events = Write(watch.Finish());
    const std::string reason =
        "its neighbours have sent nothing: they are down, still compute, or are silent";
    // Round 4 closes after five times 110 ms.
    EXPECT_EQ(events.back(), "550 0 4 isolated " + reason);
    EXPECT_EQ(
        told,
        (Lines{"no message has arrived in time in the first 5 rounds of learner 0: " + reason}));
}

// Over TCP no byte leaves a node before there is a connection.
TEST_F(PeerWatchTest, NeighborsThatCannotConnectAreNotSilent)
{
    Build(Complete(2), "p2p");
    SetAll("Rounds", UintegerValue(7));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    for (const auto& app : apps)
    {
        app->GetExchange()->SetAttribute("Transport", TypeIdValue(TcpTransport::GetTypeId()));
        const auto loss = CreateObject<RateErrorModel>();
        loss->SetAttribute("ErrorRate", DoubleValue(1));
        app->GetNode()->GetDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
    }
    Watch();
    Simulator::Stop(Seconds(10));
    Run();
    ASSERT_FALSE(told.empty());
    EXPECT_NE(told[0].find(": not one packet comes in time; learners may be out of range of their "
                           "radio, links down"),
              std::string::npos)
        << told[0];
}

TEST_F(PeerWatchTest, LateMessagesAreNotSilence)
{
    Build(Complete(2));
    SetAll("Rounds", UintegerValue(9));
    SetPolicy("RoundPolicy", DeadlinePolicy::GetTypeId());
    for (const auto& app : apps)
    {
        app->GetRoundPolicy()->SetAttribute("Deadline", TimeValue(MilliSeconds(1)));
    }
    SetCompute(1, MilliSeconds(15)); // never together with learner 0 after its first round
    RunWatch& watch = Watch();
    Run();
    bool late = false;
    for (const std::string& line : Write(watch.Finish()))
    {
        late = late || line.find("isolated messages come, but after") != std::string::npos;
    }
    EXPECT_TRUE(late);
}

/** Packs vectors as nobody can read them: entry 0 twice. */
class UnreadableCompressor : public Compressor
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::UnreadableCompressor")
                                .SetParent<Compressor>()
                                .AddConstructor<UnreadableCompressor>();
        return tid;
    }

    uint64_t GetPackedSize() const override { return 16; }

  private:
    PackedVector DoCompress(ConstVectorRef /* values */) override
    {
        return {Encoding::SPARSE32, std::vector<uint8_t>(GetPackedSize())};
    }
};

TEST_F(PeerWatchTest, MessagesThatAreRefusedAreNotSilence)
{
    Build(Complete(2));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    apps[1]->GetExchange()->SetAttribute("Compressor",
                                         TypeIdValue(UnreadableCompressor::GetTypeId()));
    RunWatch& watch = Watch();
    Run();
    const Lines events = Write(watch.Finish());
    ASSERT_FALSE(events.empty());
    EXPECT_NE(
        events.back().find("0 2 isolated messages come, but are refused: 3 that cannot be decoded"),
        std::string::npos)
        << events.back();
}

// Peers whose budgets do not allow the first message are silent, and not isolated.
TEST_F(PeerWatchTest, WhoWithholdsForItsBudgetIsolatesNobody)
{
    Build(Complete(3));
    SetAll("Rounds", UintegerValue(7));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    for (const LearnerId spent : {1, 2})
    {
        apps[spent]->GetRule()->SetAttribute("Affordable", UintegerValue(0));
    }
    RunWatch& watch = Watch();
    Run();
    for (const std::string& line : Write(watch.Finish()))
    {
        EXPECT_EQ(line.find("isolated"), std::string::npos) << line;
    }
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].find("the privacy budget is spent, since round 0 "), 0U) << told[0];
}

// Five learners at the same distance compute for the same time, and their broadcasts collide.
TEST_F(PeerWatchTest, BroadcastsThatCollideAreNamed)
{
    RunSpec spec = LdpOnlinePreset("watch");
    spec.network = "wifi-adhoc";
    spec.transport = "broadcast";
    spec.learners = 5;
    spec.rounds = 6;
    dlearn::Run run(spec);
    std::ostringstream table;
    const auto warnings = run.Execute(table).warnings;
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
        return warning.find("no message has arrived in time in the first 5 rounds of learners 0-4: "
                            "not one packet comes in time; with transport broadcast each packet is "
                            "sent once, without an acknowledgement, and lost when learners send at "
                            "the same time: set reliable") == 0;
    }));
}

class FederationWatchTest : public FederationTest
{
  protected:
    void Watch()
    {
        Connect();
        m_watch.emplace(m_federation.GetLearners());
        m_watch->GetWarnings().SetListener([this](const std::string& w) { told.push_back(w); });
        m_server->TraceConnectWithoutContext("RoundEnd",
                                             MakeCallback(&FederationWatchTest::HandleRound, this));
    }

    void HandleRound(const RoundRecord& record)
    {
        if (!deserted && m_watch->IsDeserted(record, MilliSeconds(50)))
        {
            deserted = record.round;
        }
    }

    std::optional<RunWatch> m_watch;
    std::optional<uint32_t> deserted; //!< first round after which no client is left
    Lines told;
};

// Rounds of 15 ms; round 2 begins at 30 ms, and the clients go before they answer. It closes
// without an update after 100 ms, which is more than the grace of 50 ms.
TEST_F(FederationWatchTest, AServerWithoutClientsIsDeserted)
{
    Build(2);
    Set("Rounds", UintegerValue(9));
    Set("ResponseTimeout", TimeValue(MilliSeconds(100)));
    Watch();
    At(MilliSeconds(33), [this] { Get(1)->Crash(); });
    At(MilliSeconds(35), [this] { Get(2)->Crash(); });
    Run();
    EXPECT_EQ(deserted, 2U);
}

TEST_F(FederationWatchTest, AServerThatIsDownIsTheEndUnlessItComesBack)
{
    Build(2);
    Watch();
    m_watch->ExpectRestart(Seconds(5), 1);
    m_watch->ExpectRestart(Seconds(3), 0);
    At(MilliSeconds(20), [this] {
        Get(0)->Crash();
        Get(1)->Crash();
    });
    bool before = false;
    bool after = false;
    At(Seconds(2), [&] { before = m_watch->IsOver(); });
    At(Seconds(4), [&] { after = m_watch->IsOver(); }); // the server has not been restarted
    Run();
    EXPECT_FALSE(before);
    EXPECT_TRUE(after);
}

TEST_F(FederationWatchTest, AServerThatGetsNothingSaysWhy)
{
    Build(2);
    Set("Rounds", UintegerValue(6));
    Set("ResponseTimeout", TimeValue(MilliSeconds(5))); // clients train for 10 ms
    SetCompute(1, Seconds(10));
    SetCompute(2, Seconds(10));
    Watch();
    Run();
    EXPECT_EQ(told,
              (Lines{"no message has arrived in time in the first 5 rounds of learner 0: clients "
                     "still train when its rounds close; raise deadline or timeout"}));
}

/** Restores defaults. */
class TargetWatchTest : public testing::Test
{
  protected:
    void TearDown() override { Config::Reset(); }
};

/** @return a private federation with a buffer, for which epsilon 5 is planned */
RunSpec
BufferedRun()
{
    RunSpec spec = FedAvgPreset("test");
    spec.network = "ideal";
    spec.transport = "udp";
    spec.learners = 4;
    spec.dimension = 5;
    spec.rounds = 20;
    spec.mode = "buffered";
    spec.bufferSize = 4;
    spec.threatModel = "ldp";
    spec.clip = 1;
    spec.delta = 1e-5;
    spec.targetEpsilon = 5;
    return spec;
}

RunResults
Execute(const RunSpec& spec)
{
    Run run(spec);
    std::ostringstream table;
    return run.Execute(table);
}

/** @return how many events there are of accounts that exceed the target */
size_t
CountEvents(const RunResults& results)
{
    return std::count_if(results.timeline.begin(), results.timeline.end(), [](const auto& event) {
        return event.event == "target-exceeded";
    });
}

bool
IsWarned(const RunResults& results)
{
    return std::any_of(results.warnings.begin(), results.warnings.end(), [](const auto& warning) {
        return warning.find("the planned epsilon of 5 is exceeded, since round ") == 0;
    });
}

/** @return how many clients have an account above the target in the end */
size_t
CountAbove(const RunResults& results)
{
    std::map<LearnerId, double> last;
    for (const ResultRow& row : results.rows)
    {
        last[row.record.node] = std::max(last[row.record.node], row.record.epsilon);
    }
    return std::count_if(last.begin(), last.end(), [](const auto& entry) {
        return entry.second > 5 * (1 + 1e-6);
    });
}

TEST_F(TargetWatchTest, WarnsWhenMoreIsSentThanPlanned)
{
    Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                       TypeIdValue(RandomCompute::GetTypeId()));
    Config::SetDefault("ns3::dlearn::RandomCompute::Spread", DoubleValue(1));
    RunSpec spec =
        BufferedRun(); // four updates a model: some clients send more of them than others
    const RunResults results = Execute(spec);
    const size_t above = CountAbove(results);
    EXPECT_GT(above, 0U);
    EXPECT_EQ(CountEvents(results), above) << "once for each client";
    EXPECT_TRUE(IsWarned(results));
    spec.budget = 5;
    const RunResults bounded = Execute(spec);
    EXPECT_EQ(CountAbove(bounded), 0U);
    EXPECT_EQ(CountEvents(bounded), 0U);
    EXPECT_FALSE(IsWarned(bounded));
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
