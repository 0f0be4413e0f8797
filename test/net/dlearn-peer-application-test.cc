/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-net-test-support.h"
#include "rule/dlearn-rule-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-peer-application.h"

#include <functional>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{
namespace dlearn
{
namespace
{

using test::Bytes;
using test::Complete;
using test::Exact;
using test::Pair;
using State = PeerApplication::State;
using Verdict = RoundWindow::Verdict;

constexpr uint32_t DIMENSION = 3;

/** @return what a learner's scripted rule sends in a round, in all entries */
double
Script(LearnerId id, uint32_t round)
{
    return 100.0 * id + round;
}

/**
 * A rule that learns nothing and writes down what it is told, with the simulated time in
 * milliseconds: "0 begin 0", "10 compute", "10 send", "10 end 0 [1:0 2:0]" (who sent: made in
 * which round; "?" after those of whom entries are missing, "!" after the bracket when
 * nothing left the node).
 */
class ScriptedRule : public UpdateRule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::ScriptedRule")
                                .SetParent<UpdateRule>()
                                .AddConstructor<ScriptedRule>()
                                .AddAttribute("Affordable",
                                              "Rounds that the budget lasts.",
                                              UintegerValue(1000000),
                                              MakeUintegerAccessor(&ScriptedRule::m_affordable),
                                              MakeUintegerChecker<uint32_t>())
                                .AddAttribute("Tracker",
                                              "Whether a second vector is sent and expected.",
                                              BooleanValue(false),
                                              MakeBooleanAccessor(&ScriptedRule::m_tracker),
                                              MakeBooleanChecker());
        return tid;
    }

    void Setup(const LearnerContext& context) override
    {
        m_context = context;
    }

    void BeginRound(uint32_t round) override
    {
        m_round = round;
        Write() << "begin " << round;
    }

    void Compute() override
    {
        Write() << "compute";
    }

    Outbox Send() override
    {
        Write() << "send";
        if (m_affordable == 0)
        {
            m_exhausted = true;
            return {};
        }
        --m_affordable;
        Outgoing outgoing;
        for (const auto& [neighbor, weight] : m_context.outNeighbors)
        {
            outgoing.recipients.push_back(neighbor);
        }
        outgoing.values = ModelVector::Constant(DIMENSION, Script(m_context.id, m_round));
        Outbox outbox{outgoing};
        if (m_tracker)
        {
            outgoing.channel = ModelChannel::TRACKER;
            outbox.push_back(outgoing);
        }
        return outbox;
    }

    void EndRound(const Inbox& inbox) override
    {
        std::ostringstream text;
        for (const auto& [source, arrival] : inbox.arrivals)
        {
            text << (text.str().empty() ? "" : " ") << source.first << ":" << arrival.round
                 << (source.second == ModelChannel::TRACKER ? "t" : "")
                 << (arrival.IsComplete() ? "" : "?");
            const ModelVector sent =
                ModelVector::Constant(DIMENSION, Script(source.first, arrival.round));
            EXPECT_TRUE(!arrival.IsComplete() || arrival.values == sent);
        }
        Write() << "end " << m_round << " [" << text.str() << "]" << (inbox.transmitted ? "" : "!");
        inboxes.push_back(inbox);
    }

    const ModelVector& GetModel() const override
    {
        return m_model;
    }

    std::vector<std::pair<LearnerId, ModelChannel>> GetExpected() const override
    {
        std::vector<std::pair<LearnerId, ModelChannel>> expected;
        for (const auto& [neighbor, weight] : m_context.inNeighbors)
        {
            expected.emplace_back(neighbor, ModelChannel::STATE);
            if (m_tracker)
            {
                expected.emplace_back(neighbor, ModelChannel::TRACKER);
            }
        }
        return expected;
    }

    uint64_t GetWork() const override
    {
        return 1;
    }

    bool CanContinue() const override
    {
        return !m_exhausted;
    }

    Ptr<const PrivacyAccount> GetLedger() const override
    {
        return nullptr;
    }

    std::vector<std::string> GetWarnings() const override
    {
        return {};
    }

    int64_t AssignStreams(int64_t) override
    {
        return 0;
    }

    /** @return what was written, one line each */
    std::vector<std::string> GetLog() const
    {
        std::vector<std::string> lines;
        for (const auto& line : m_log)
        {
            lines.push_back(line.str());
        }
        return lines;
    }

    /** @return the lines about the end of rounds */
    std::vector<std::string> GetEnds() const
    {
        std::vector<std::string> ends;
        for (const std::string& line : GetLog())
        {
            if (line.find("end ") != std::string::npos && line.find("send") == std::string::npos)
            {
                ends.push_back(line);
            }
        }
        return ends;
    }

    std::vector<Inbox> inboxes; //!< of all rounds that ended

  private:
    std::ostream& Write()
    {
        m_log.emplace_back();
        m_log.back() << Simulator::Now().GetMicroSeconds() / 1e3 << " ";
        return m_log.back();
    }

    LearnerContext m_context;
    uint32_t m_round{0};
    uint32_t m_affordable{0};
    bool m_tracker{false};
    bool m_exhausted{false};
    ModelVector m_model{ModelVector::Zero(DIMENSION)};
    std::vector<std::ostringstream> m_log;
};

NS_OBJECT_ENSURE_REGISTERED(ScriptedRule);

using Lines = std::vector<std::string>;

/** Learners on a network without delay, each with a gradient of 10 ms. */
class PeerApplicationTest : public testing::Test
{
  protected:
    /** Create learners, still to be configured. */
    void Build(const Graph& graph, const std::string& network = "ideal")
    {
        m_graph = graph;
        m_network = CreateNetwork(network);
        m_network->Build(graph, NetworkOptions());
        m_task = CreateObject<BowlTask>();
        m_task->SetSamples(Eigen::MatrixXd::Zero(DIMENSION, 1));
        for (LearnerId id = 0; id < graph.GetSize(); ++id)
        {
            const auto app = CreateObject<PeerApplication>();
            app->SetAttribute("Rule", TypeIdValue(ScriptedRule::GetTypeId()));
            app->SetAttribute("ComputeModel", TypeIdValue(FixedCompute::GetTypeId()));
            app->SetAttribute("Rounds", UintegerValue(3));
            m_network->GetNodes().Get(id)->AddApplication(app);
            apps.push_back(app);
        }
    }

    /** Set an attribute of all learners. */
    void SetAll(const std::string& name, const AttributeValue& value)
    {
        for (const auto& app : apps)
        {
            app->SetAttribute(name, value);
        }
    }

    void SetPolicy(const std::string& attribute, TypeId type)
    {
        SetAll(attribute, TypeIdValue(type));
    }

    void SetCompute(LearnerId id, Time time)
    {
        apps[id]->GetComputeModel()->SetAttribute("Duration", TimeValue(time));
    }

    LearnerContext GetContext(LearnerId id) const
    {
        LearnerContext context;
        context.id = id;
        context.task = m_task;
        context.inNeighbors = m_graph.GetInNeighbors(id);
        context.outNeighbors = m_graph.GetOutNeighbors(id);
        return context;
    }

    Transport::Peers GetPeers(LearnerId id) const
    {
        Transport::Peers peers;
        for (const Graph::Row* row : {&m_graph.GetInNeighbors(id), &m_graph.GetOutNeighbors(id)})
        {
            for (const auto& [neighbor, weight] : *row)
            {
                peers[neighbor] = m_network->GetAddress(id, neighbor);
            }
        }
        return peers;
    }

    void Connect()
    {
        for (LearnerId id = 0; id < apps.size(); ++id)
        {
            apps[id]->SetContext(GetContext(id), GetPeers(id));
        }
    }

    void Run(Time stop = Seconds(100))
    {
        Simulator::Stop(stop);
        Simulator::Run();
        for (const auto& app : apps)
        {
            EXPECT_NO_THROW(app->GetWindow().CheckConservation());
        }
    }

    void At(Time when, std::function<void()> action)
    {
        Simulator::Schedule(when, action);
    }

    const ScriptedRule& GetRule(LearnerId id)
    {
        return *DynamicCast<ScriptedRule>(apps[id]->GetRule());
    }

    Lines GetEnds(LearnerId id)
    {
        return GetRule(id).GetEnds();
    }

    const RoundRecord& GetRecord(LearnerId id, size_t index)
    {
        return apps[id]->GetWindow().GetRecords().at(index);
    }

    void TearDown() override
    {
        Config::Reset();
        Simulator::Destroy();
    }

    Graph m_graph{1};
    std::unique_ptr<Network> m_network;
    Ptr<BowlTask> m_task;
    std::vector<Ptr<PeerApplication>> apps;
};

TEST_F(PeerApplicationTest, CallsTheRuleInOrder)
{
    Build(Complete(3));
    Connect();
    EXPECT_EQ(apps[0]->GetState(), State::NOT_STARTED);
    Run();
    EXPECT_EQ(GetRule(1).GetLog(),
              (Lines{"0 begin 0",
                     "10 compute",
                     "10 send",
                     "10 end 0 [0:0 2:0]",
                     "10 begin 1",
                     "20 compute",
                     "20 send",
                     "20 end 1 [0:1 2:1]",
                     "20 begin 2",
                     "30 compute",
                     "30 send",
                     "30 end 2 [0:2 2:2]"}));
    EXPECT_EQ(apps[1]->GetState(), State::FINISHED);
    EXPECT_TRUE(apps[1]->IsDone());
    const RoundRecord& record = GetRecord(1, 2);
    EXPECT_EQ(record.closed, MilliSeconds(30));
    EXPECT_EQ(record.round, 2U);
    EXPECT_EQ(record.node, 1U);
    EXPECT_EQ(record.expected, 2U);
    EXPECT_EQ(record.used, 2U);
    EXPECT_EQ(record.compute, MilliSeconds(10));
    EXPECT_EQ(record.duration, MilliSeconds(10));
    uint64_t bytes = 0;
    for (size_t round = 0; round < 3; ++round)
    {
        bytes += GetRecord(1, round).txBytes;
    }
    EXPECT_EQ(bytes, 3U * 2 * (32 + 4 * DIMENSION));
}

TEST_F(PeerApplicationTest, DirectedEdgesCarryOneWay)
{
    Graph graph(2);
    graph.SetWeight(1, 0, 1); // 0 -> 1
    Build(graph);
    SetCompute(0, MilliSeconds(25));
    Connect();
    Run();
    EXPECT_EQ(GetEnds(0), (Lines{"25 end 0 []", "50 end 1 []", "75 end 2 []"}));
    // Learner 1 hands nothing to anybody: nothing leaves.
    EXPECT_EQ(GetEnds(1), (Lines{"25 end 0 [0:0]!", "50 end 1 [0:1]!", "75 end 2 [0:2]!"}));
}

TEST_F(PeerApplicationTest, ALonelyLearnerThatComputesForFreeNeedsNoTime)
{
    Build(Graph(1));
    SetAll("Rounds", UintegerValue(100));
    SetCompute(0, Time(0));
    Connect();
    Run();
    EXPECT_EQ(GetEnds(0).size(), 100U);
    EXPECT_EQ(GetEnds(0).back(), "0 end 99 []!");
    EXPECT_EQ(apps[0]->GetState(), State::FINISHED);
}

TEST_F(PeerApplicationTest, FreeComputingOverAnIdealNetworkNeedsNoTimeEither)
{
    Build(Complete(4));
    SetAll("Rounds", UintegerValue(20));
    for (LearnerId id = 0; id < 4; ++id)
    {
        SetCompute(id, Time(0));
    }
    Connect();
    Run();
    for (LearnerId id = 0; id < 4; ++id)
    {
        EXPECT_EQ(GetEnds(id).size(), 20U);
        EXPECT_EQ(GetRecord(id, 19).closed, Time(0));
        EXPECT_EQ(GetRecord(id, 19).used, 3U);
    }
}

// Learners that need 10, 20, 30 and 40 ms; half of three expected messages is two.
TEST_F(PeerApplicationTest, QuorumClosesWithTheFastHalf)
{
    Build(Complete(4));
    SetPolicy("RoundPolicy", QuorumPolicy::GetTypeId());
    SetAll("Rounds", UintegerValue(1));
    for (LearnerId id = 0; id < 4; ++id)
    {
        SetCompute(id, MilliSeconds(10 * (id + 1)));
    }
    Connect();
    Run();
    EXPECT_EQ(GetEnds(0), Lines{"30 end 0 [1:0 2:0]"});
    EXPECT_EQ(GetEnds(1), Lines{"30 end 0 [0:0 2:0]"});
    EXPECT_EQ(GetEnds(2), Lines{"30 end 0 [0:0 1:0]"});
    EXPECT_EQ(GetEnds(3), Lines{"40 end 0 [0:0 1:0 2:0]"});
    EXPECT_EQ(GetRecord(0, 0).late, 1U); // learner 3's
    EXPECT_EQ(GetRecord(3, 0).late + GetRecord(3, 0).lost, 0U);
}

TEST_F(PeerApplicationTest, DeadlineClosesWithoutTheSlowOne)
{
    Build(Complete(3));
    SetPolicy("RoundPolicy", DeadlinePolicy::GetTypeId());
    for (const auto& app : apps)
    {
        app->GetRoundPolicy()->SetAttribute("Deadline", TimeValue(MilliSeconds(15)));
    }
    SetCompute(2, MilliSeconds(29));
    SetAll("Tolerance", TimeValue(MilliSeconds(200)));
    Connect();
    Run();
    // Learner 2's round 0 comes at 29 ms, late; it is missed at 15, heard at 29, missed at 30.
    EXPECT_EQ(GetEnds(0), (Lines{"15 end 0 [1:0]", "30 end 1 [1:1]", "45 end 2 [1:2]"}));
    // It closes as soon as it has computed, which is past the deadline already.
    EXPECT_EQ(GetEnds(2),
              (Lines{"29 end 0 [0:0 1:0]", "58 end 1 [0:1 1:1]", "87 end 2 [0:2 1:2]"}));
    EXPECT_EQ(GetRecord(0, 0).late, 1U);
    EXPECT_EQ(GetRecord(0, 1).late, 1U);
}

TEST_F(PeerApplicationTest, WaitForMissingOutlastsDeadlineAndQuorum)
{
    for (const TypeId& policy : {DeadlinePolicy::GetTypeId(), QuorumPolicy::GetTypeId()})
    {
        apps.clear();
        Build(Complete(3));
        SetPolicy("RoundPolicy", policy);
        SetPolicy("MissingPolicy", WaitForMissing::GetTypeId());
        SetAll("Rounds", UintegerValue(1));
        SetCompute(2, MilliSeconds(250)); // past the default deadline of 100 ms
        Connect();
        Run();
        EXPECT_EQ(GetEnds(0), Lines{"250 end 0 [1:0 2:0]"});
        Simulator::Destroy();
    }
}

// Patience 100 ms, tolerance 200 ms: rounds 2 and 3 wait 100 ms in vain for the learner that
// crashed in its computation of round 2; from round 4 on nobody waits.
TEST_F(PeerApplicationTest, ACrashCostsTolerance)
{
    Build(Complete(3));
    SetAll("Rounds", UintegerValue(7));
    SetAll("Patience", TimeValue(MilliSeconds(100)));
    SetAll("Tolerance", TimeValue(MilliSeconds(200)));
    Connect();
    At(MilliSeconds(25), [this] { apps[2]->Crash(); });
    Run();
    EXPECT_EQ(GetEnds(0),
              (Lines{"10 end 0 [1:0 2:0]",
                     "20 end 1 [1:1 2:1]",
                     "130 end 2 [1:2]",
                     "240 end 3 [1:3]",
                     "250 end 4 [1:4]",
                     "260 end 5 [1:5]",
                     "270 end 6 [1:6]"}));
    EXPECT_EQ(GetEnds(1).size(), 7U);
    EXPECT_EQ(GetEnds(2), (Lines{"10 end 0 [0:0 1:0]", "20 end 1 [0:1 1:1]"}));
    EXPECT_EQ(apps[2]->GetState(), State::STOPPED);
    EXPECT_EQ(GetRecord(0, 2).lost, 1U);
}

// The same with two vectors a neighbour: two messages missing are one wait.
TEST_F(PeerApplicationTest, ToleranceCountsTimeNotMessages)
{
    Build(Complete(3));
    for (const auto& app : apps)
    {
        app->GetRule()->SetAttribute("Tracker", BooleanValue(true));
    }
    SetAll("Rounds", UintegerValue(4));
    SetAll("Patience", TimeValue(MilliSeconds(100)));
    SetAll("Tolerance", TimeValue(MilliSeconds(200)));
    Connect();
    At(MilliSeconds(5), [this] { apps[2]->Crash(); });
    Run();
    EXPECT_EQ(GetEnds(0),
              (Lines{"110 end 0 [1:0 1:0t]",
                     "220 end 1 [1:1 1:1t]",
                     "230 end 2 [1:2 1:2t]",
                     "240 end 3 [1:3 1:3t]"}));
    EXPECT_EQ(GetRecord(0, 0).lost, 2U);
}

TEST_F(PeerApplicationTest, LastReceivedStandsIn)
{
    Build(Pair());
    SetPolicy("MissingPolicy", LastReceived::GetTypeId());
    SetAll("Rounds", UintegerValue(4));
    SetAll("Patience", TimeValue(MilliSeconds(100)));
    SetAll("Tolerance", TimeValue(MilliSeconds(100)));
    Connect();
    At(MilliSeconds(25), [this] { apps[1]->Crash(); });
    Run();
    EXPECT_EQ(GetEnds(0),
              (Lines{"10 end 0 [1:0]", "20 end 1 [1:1]", "130 end 2 [1:1]", "140 end 3 [1:1]"}));
    EXPECT_EQ(GetRecord(0, 3).received, 0U); // a stand-in did not arrive
    EXPECT_EQ(GetRecord(0, 3).lost, 1U);
}

// What has come early belongs to its own round and stands in for none before it.
TEST_F(PeerApplicationTest, LastReceivedNeverComesFromTheFuture)
{
    Build(Pair());
    SetPolicy("MissingPolicy", LastReceived::GetTypeId());
    SetAll("Rounds", UintegerValue(3));
    SetAll("Patience", TimeValue(MilliSeconds(100)));
    SetAll("Tolerance", TimeValue(MilliSeconds(200)));
    apps[1]->SetStartTime(Seconds(90)); // is played by a plain socket until then
    Connect();
    At(MilliSeconds(5), [this] {
        const auto socket =
            Socket::CreateSocket(m_network->GetNodes().Get(1), UdpSocketFactory::GetTypeId());
        const Bytes early =
            test::MakeFragment(1, 1, ModelVector::Constant(DIMENSION, Script(1, 1)));
        socket->SendTo(Create<Packet>(early.data(), early.size()),
                       0,
                       InetSocketAddress(m_network->GetAddress(1, 0), test::PORT));
        socket->Close();
    });
    Run(Seconds(2));
    EXPECT_EQ(GetEnds(0), (Lines{"10 end 0 []", "20 end 1 [1:1]", "130 end 2 [1:1]"}));
}

// Learner 2 crashes at 25 ms. The others are rid of it from round 4 on, see above, so they
// send round r at 10 (r + 21) ms. It comes back at 275 ms, hears round 7 at 280 ms, joins it,
// and its own message of round 7 is late (287 ms), but it is waited for again in round 8.
TEST_F(PeerApplicationTest, RestartJoinsTheNeighboursRound)
{
    Build(Complete(3));
    SetAll("Rounds", UintegerValue(12));
    SetAll("Patience", TimeValue(MilliSeconds(100)));
    SetAll("Tolerance", TimeValue(MilliSeconds(200)));
    SetCompute(2, MilliSeconds(7));
    Connect();
    std::vector<State> states;
    At(MilliSeconds(25), [this] { apps[2]->Crash(); });
    At(MilliSeconds(275), [this] { apps[2]->Restart(); });
    At(MilliSeconds(276), [this, &states] { states.push_back(apps[2]->GetState()); });
    At(MilliSeconds(281), [this, &states] { states.push_back(apps[2]->GetState()); });
    Run();
    EXPECT_EQ(states, (std::vector<State>{State::JOINING, State::TRAINING}));
    EXPECT_EQ(GetEnds(2),
              (Lines{"10 end 0 [0:0 1:0]",
                     "20 end 1 [0:1 1:1]",
                     "287 end 7 [0:7 1:7]",
                     "294 end 8 [0:8 1:8]",
                     "304 end 9 [0:9 1:9]",
                     "314 end 10 [0:10 1:10]",
                     "324 end 11 [0:11 1:11]"}));
    EXPECT_EQ(GetEnds(0)[7], "280 end 7 [1:7]");
    EXPECT_EQ(GetRecord(0, 7).late, 1U);
    EXPECT_EQ(GetEnds(0)[8], "294 end 8 [1:8 2:8]");
    EXPECT_EQ(GetEnds(0).size(), 12U);
}

TEST_F(PeerApplicationTest, RestartAloneWaitsForItsPatienceOnly)
{
    Build(Pair());
    SetAll("Patience", TimeValue(MilliSeconds(100)));
    SetAll("Tolerance", TimeValue(MilliSeconds(100)));
    Connect();
    At(MilliSeconds(15), [this] {
        apps[0]->Crash();
        apps[1]->Crash();
    });
    At(MilliSeconds(1000), [this] {
        apps[1]->Restart();
        apps[1]->Restart(); // no effect
    });
    Run();
    // Joins at 1100 in round 2 (1 was begun), computes until 1110, waits for 0 until 1210.
    EXPECT_EQ(GetEnds(1), (Lines{"10 end 0 [0:0]", "1210 end 2 []"}));
    EXPECT_EQ(apps[1]->GetState(), State::FINISHED);
}

TEST_F(PeerApplicationTest, CrashesInAnyStateAndRestarts)
{
    Build(Complete(3));
    SetAll("Rounds", UintegerValue(60));
    SetAll("Patience", TimeValue(MilliSeconds(50)));
    SetAll("Tolerance", TimeValue(MilliSeconds(100)));
    SetCompute(0, MilliSeconds(13));
    Connect();
    apps[1]->Crash();   // before the start: no effect
    apps[1]->Restart(); // the same
    std::set<State> states;
    // Learner 1 is up and down at times that meet computing, waiting and joining.
    for (uint32_t k = 0; k < 25; ++k)
    {
        At(MilliSeconds(25 + 31 * k + k % 7), [this, &states] {
            states.insert(apps[1]->GetState());
            apps[1]->Crash();
            apps[1]->Crash(); // no effect
        });
        At(MilliSeconds(25 + 31 * k + k % 7 + (k % 3 == 0 ? 24 : 4)),
           [this] { apps[1]->Restart(); });
    }
    Run();
    EXPECT_EQ(states, (std::set<State>{State::JOINING, State::TRAINING, State::EXCHANGING}));
    for (LearnerId id = 0; id < 3; ++id)
    {
        EXPECT_EQ(apps[id]->GetState(), State::FINISHED);
    }
    EXPECT_EQ(GetEnds(0).size(), 60U);
    EXPECT_LT(GetEnds(1).size(), 60U);
    EXPECT_GT(GetEnds(1).size(), 10U);
    apps[1]->Crash(); // finished: no effect
    EXPECT_EQ(apps[1]->GetState(), State::FINISHED);
}

TEST_F(PeerApplicationTest, StopTimeIsForGood)
{
    Build(Pair());
    SetAll("Rounds", UintegerValue(1000));
    SetAll("Patience", TimeValue(MilliSeconds(50)));
    SetAll("Tolerance", TimeValue(MilliSeconds(100)));
    apps[1]->SetStopTime(MilliSeconds(25));
    Connect();
    At(MilliSeconds(30), [this] { apps[1]->Restart(); });
    At(MilliSeconds(40), [this] { apps[1]->Crash(); });
    Run(Seconds(1));
    EXPECT_EQ(GetEnds(1), (Lines{"10 end 0 [0:0]", "20 end 1 [0:1]"}));
    EXPECT_EQ(apps[1]->GetState(), State::STOPPED);
    EXPECT_TRUE(apps[1]->IsDone());
    EXPECT_GT(GetEnds(0).size(), 80U); // waited 50 ms twice
}

TEST_F(PeerApplicationTest, StopsWhenTheBudgetIsSpent)
{
    Build(Pair());
    SetAll("Patience", TimeValue(MilliSeconds(100)));
    SetAll("Tolerance", TimeValue(MilliSeconds(100)));
    apps[1]->GetRule()->SetAttribute("Affordable", UintegerValue(1));
    Connect();
    Run();
    EXPECT_EQ(GetRule(1).GetLog(),
              (Lines{"0 begin 0",
                     "10 compute",
                     "10 send",
                     "10 end 0 [0:0]",
                     "10 begin 1",
                     "20 compute",
                     "20 send"}));
    EXPECT_EQ(apps[1]->GetState(), State::FINISHED);
    EXPECT_EQ(GetEnds(0), (Lines{"10 end 0 [1:0]", "120 end 1 []", "130 end 2 []"}));
}

// One fragment of two of learner 1's vector comes, from a plain socket.
TEST_F(PeerApplicationTest, PartsAreUsedWhenAskedFor)
{
    for (const bool use : {false, true})
    {
        apps.clear();
        Build(Pair());
        SetAll("Rounds", UintegerValue(1));
        SetAll("Patience", TimeValue(MilliSeconds(100)));
        SetAll("Tolerance", TimeValue(MilliSeconds(200)));
        SetAll("UsePartial", BooleanValue(use));
        apps[1]->SetStartTime(Seconds(90));
        Connect();
        At(MilliSeconds(5), [this] {
            const auto socket =
                Socket::CreateSocket(m_network->GetNodes().Get(1), UdpSocketFactory::GetTypeId());
            ModelHeader header;
            header.sender = 1;
            header.vectorLength = DIMENSION;
            header.messageLength = 4 * DIMENSION;
            header.fragmentOffset = 4;
            header.payloadLength = 4;
            const Bytes bytes = test::Seal(header, {0x40, 0x20, 0, 0}); // 2.5
            socket->SendTo(Create<Packet>(bytes.data(), bytes.size()),
                           0,
                           InetSocketAddress(m_network->GetAddress(1, 0), test::PORT));
            socket->Close();
        });
        Run(Seconds(2));
        EXPECT_EQ(GetEnds(0), Lines{use ? "110 end 0 [1:0?]" : "110 end 0 []"});
        EXPECT_EQ(GetRecord(0, 0).used, use ? 1U : 0U);
        EXPECT_EQ(GetRecord(0, 0).lost, use ? 0U : 1U);
        if (use)
        {
            const Arrival& arrival = *GetRule(0).inboxes[0].Find(1, ModelChannel::STATE);
            EXPECT_EQ(arrival.present, (std::vector<bool>{false, true, false}));
            EXPECT_EQ(arrival.values, Eigen::Vector3d(0, 2.5, 0));
        }
        Simulator::Destroy();
    }
}

// Tolerance and patience 100 ms. Learner 0 waits in round 0 until 110 ms; from then on it is
// alone and sends round r >= 1 at 110 + 10 r ms. Learner 1 starts at 505 ms with round 0,
// hears rounds 40 (510 ms) and 41 (520 ms), far beyond its two rounds ahead, and gives up
// round 0 at 615 ms to skip to 41, for which it does not wait. Learner 0 has heard it at
// 515 ms and waits for it in round 41 until 620 ms; it hears it again at 625 ms, and in round
// 42 both are together.
TEST_F(PeerApplicationTest, ALateLearnerSkipsToTheOthers)
{
    Build(Pair());
    SetAll("Rounds", UintegerValue(46));
    SetAll("Ahead", UintegerValue(2));
    SetAll("Patience", TimeValue(MilliSeconds(100)));
    SetAll("Tolerance", TimeValue(MilliSeconds(100)));
    apps[1]->SetStartTime(MilliSeconds(505));
    Connect();
    Run();
    EXPECT_EQ(GetEnds(1),
              (Lines{"615 end 0 []",
                     "625 end 41 []",
                     "635 end 42 [0:42]",
                     "645 end 43 [0:43]",
                     "655 end 44 [0:44]",
                     "665 end 45 [0:45]"}));
    const Lines ends = GetEnds(0);
    ASSERT_EQ(ends.size(), 46U);
    EXPECT_EQ(ends[0], "110 end 0 []");
    EXPECT_EQ(ends[40], "510 end 40 []");
    EXPECT_EQ(ends[41], "620 end 41 []");
    EXPECT_EQ(ends[42], "635 end 42 [1:42]");
    EXPECT_EQ(ends[43], "645 end 43 [1:43]");
    EXPECT_EQ(ends[45], "665 end 45 [1:45]");
    EXPECT_EQ(apps[1]->GetWindow().GetTally().tooEarly, 2U);
    EXPECT_EQ(GetRecord(0, 0).late, 1U);
    EXPECT_EQ(GetRecord(0, 41).late, 1U);
}

/** Writes all traces down. */
struct Traces
{
    void Connect(const Ptr<PeerApplication>& app)
    {
        app->TraceConnectWithoutContext("StateTransition", MakeCallback(&Traces::Switched, this));
        app->TraceConnectWithoutContext("RoundBegin", MakeCallback(&Traces::Began, this));
        app->TraceConnectWithoutContext("ModelTx", MakeCallback(&Traces::Sent, this));
        app->TraceConnectWithoutContext("ModelRx", MakeCallback(&Traces::Received, this));
        app->TraceConnectWithoutContext("RoundEnd", MakeCallback(&Traces::Ended, this));
    }

    std::ostream& Write()
    {
        return lines << "; ";
    }

    void Switched(State oldState, State newState)
    {
        Write() << static_cast<int>(oldState) << "->" << static_cast<int>(newState);
    }

    void Began(LearnerId learner, uint32_t round)
    {
        Write() << "begin " << learner << " " << round;
    }

    void Sent(LearnerId learner, uint32_t round)
    {
        Write() << "tx " << learner << " " << round;
    }

    void Received(LearnerId learner, LearnerId sender, uint32_t round, Verdict verdict, bool usable)
    {
        Write() << "rx " << learner << "<-" << sender << " " << round << " " << ToString(verdict)
                << (usable ? "" : " unusable");
    }

    void Ended(const RoundRecord& record)
    {
        Write() << "end " << record.node << " " << record.round << " " << record.used << "/"
                << record.expected << " " << record.closed.GetMilliSeconds() << "ms";
    }

    std::ostringstream lines;
};

TEST_F(PeerApplicationTest, TracesTellTheStory)
{
    Build(Pair());
    SetAll("Rounds", UintegerValue(2));
    SetCompute(0, MilliSeconds(3));
    Connect();
    Traces traces;
    traces.Connect(apps[1]);
    At(MilliSeconds(12), [this] {
        const auto socket =
            Socket::CreateSocket(m_network->GetNodes().Get(0), UdpSocketFactory::GetTypeId());
        const InetSocketAddress target(m_network->GetAddress(0, 1), test::PORT);
        for (const Bytes& bytes : {test::MakeFragment(0, 0, Exact(DIMENSION)),
                                   test::MakeFragment(0, 1, Exact(DIMENSION + 1))})
        {
            socket->SendTo(Create<Packet>(bytes.data(), bytes.size()), 0, target);
        }
        socket->Close();
    });
    Run();
    EXPECT_EQ(traces.lines.str(),
              "; 0->2; begin 1 0; rx 1<-0 0 on time; 2->3; tx 1 0; end 1 0 1/1 10ms; 3->2; "
              "begin 1 1; rx 1<-0 0 duplicate unusable; rx 1<-0 1 on time unusable; "
              "rx 1<-0 1 duplicate unusable; 2->3; tx 1 1; end 1 1 0/1 20ms; 3->4");
    EXPECT_EQ(GetRecord(1, 1).rejected, 1U);
}

/** Crashes a learner from within a trace. */
struct Saboteur
{
    Ptr<PeerApplication> app;
    uint32_t calls{0};

    void Crash()
    {
        ++calls;
        app->Crash();
    }

    void OnState(State, State newState)
    {
        if (newState == State::EXCHANGING)
        {
            Crash();
        }
    }

    void OnRound(LearnerId, uint32_t)
    {
        Crash();
    }

    void OnRx(LearnerId, LearnerId, uint32_t, Verdict, bool)
    {
        Crash();
    }

    void OnEnd(const RoundRecord&)
    {
        Crash();
    }
};

TEST_F(PeerApplicationTest, MayBeCrashedByWhoeverListens)
{
    for (const std::string trace :
         {"StateTransition", "RoundBegin", "ModelTx", "ModelRx", "RoundEnd"})
    {
        for (const char* transport : {"ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"})
        {
            apps.clear();
            Build(Pair(), "p2p");
            SetAll("Patience", TimeValue(MilliSeconds(20)));
            SetAll("Tolerance", TimeValue(MilliSeconds(40)));
            for (const auto& app : apps)
            {
                app->GetExchange()->SetAttribute("Transport",
                                                 TypeIdValue(TypeId::LookupByName(transport)));
            }
            Connect();
            Saboteur saboteur{apps[1]};
            const auto connect = [&](auto callback) {
                EXPECT_TRUE(apps[1]->TraceConnectWithoutContext(trace, callback));
            };
            if (trace == "StateTransition")
            {
                connect(MakeCallback(&Saboteur::OnState, &saboteur));
            }
            else if (trace == "ModelRx")
            {
                connect(MakeCallback(&Saboteur::OnRx, &saboteur));
            }
            else if (trace == "RoundEnd")
            {
                connect(MakeCallback(&Saboteur::OnEnd, &saboteur));
            }
            else
            {
                connect(MakeCallback(&Saboteur::OnRound, &saboteur));
            }
            Run(Seconds(2));
            EXPECT_EQ(saboteur.calls, 1U) << trace;
            EXPECT_EQ(apps[1]->GetState(), State::STOPPED) << trace;
            EXPECT_EQ(apps[0]->GetState(), State::FINISHED) << trace;
            EXPECT_EQ(GetEnds(1).size(), trace == "RoundEnd" ? 1U : 0U) << trace;
            Simulator::Destroy();
        }
    }
}

TEST_F(PeerApplicationTest, CarriesOnAfterAFloodOfGarbage)
{
    Build(Pair());
    SetAll("Rounds", UintegerValue(5));
    Connect();
    At(MilliSeconds(5), [this] {
        std::mt19937_64 engine(1);
        const auto socket =
            Socket::CreateSocket(m_network->GetNodes().Get(1), UdpSocketFactory::GetTypeId());
        const InetSocketAddress target(m_network->GetAddress(1, 0), test::PORT);
        for (uint32_t k = 0; k < 3000; ++k)
        {
            // Sealed by somebody who knows how, but of a round, sender or length gone wrong.
            Bytes bytes = test::MakeFragment(2 + engine() % 9, engine() % 9, Exact(DIMENSION));
            if (k % 3 == 1)
            {
                bytes = test::MakeFragment(1, 5 + engine(), Exact(DIMENSION));
            }
            if (k % 3 == 2)
            {
                bytes[engine() % bytes.size()] ^= 1 << engine() % 8;
            }
            socket->SendTo(Create<Packet>(bytes.data(), bytes.size()), 0, target);
        }
        socket->Close();
    });
    Run();
    EXPECT_EQ(GetEnds(0).size(), 5U);
    EXPECT_EQ(GetEnds(0).back(), "50 end 4 [1:4]");
    EXPECT_EQ(apps[0]->GetExchange()->GetCounters().malformed, 1000U);
    EXPECT_EQ(apps[0]->GetExchange()->GetCounters().unknownSender, 1000U);
}

// Gradients of 10 and 25 ms. Nobody waits, and of several messages the newest is used.
TEST_F(PeerApplicationTest, AsynchronousLearnersGoTheirOwnPace)
{
    Build(Pair());
    SetPolicy("RoundPolicy", AsynchronousPolicy::GetTypeId());
    apps[0]->SetAttribute("Rounds", UintegerValue(6));
    SetCompute(1, MilliSeconds(25));
    Connect();
    Run();
    EXPECT_EQ(GetEnds(0),
              (Lines{"10 end 0 []",
                     "20 end 1 []",
                     "30 end 2 [1:0]",
                     "40 end 3 []",
                     "50 end 4 []", // what 1 sends at 50 comes just after
                     "60 end 5 [1:1]"}));
    EXPECT_EQ(GetEnds(1), (Lines{"25 end 0 [0:1]", "50 end 1 [0:3]", "75 end 2 [0:5]"}));
    for (size_t round = 0; round < 3; ++round)
    {
        EXPECT_EQ(GetRecord(1, round).expected, 2U);
        EXPECT_EQ(GetRecord(1, round).received, 2U);
        EXPECT_EQ(GetRecord(1, round).used, 1U);
    }
    EXPECT_EQ(apps[1]->GetWindow().GetTally().superseded, 3U);
    EXPECT_EQ(apps[0]->GetWindow().GetTally().superseded, 0U);
}

// Learner 0 sends at 10, 40, 70 and 100 ms, learner 1 at 65, 130 and 195 ms.
TEST_F(PeerApplicationTest, AsynchronousLearnersMayTakeLastReceivedAndAPeriod)
{
    Build(Pair());
    SetPolicy("RoundPolicy", AsynchronousPolicy::GetTypeId());
    SetPolicy("MissingPolicy", LastReceived::GetTypeId());
    apps[0]->SetAttribute("Rounds", UintegerValue(4));
    SetCompute(1, MilliSeconds(65));
    apps[0]->GetRoundPolicy()->SetAttribute("Period", TimeValue(MilliSeconds(30)));
    Connect();
    Run();
    EXPECT_EQ(GetEnds(0),
              (Lines{"30 end 0 []", "60 end 1 []", "90 end 2 [1:0]", "120 end 3 [1:0]"}));
    EXPECT_EQ(GetEnds(1), (Lines{"65 end 0 [0:1]", "130 end 1 [0:3]", "195 end 2 [0:3]"}));
    EXPECT_EQ(GetRecord(0, 3).expected, 0U) << "a stand-in is no message";
}

// The crash at 30 ms costs learner 1 its round 1; back at 62 ms it goes on with its own round 2,
// whatever round the other is in.
TEST_F(PeerApplicationTest, AsynchronousLearnersRestartWhereTheyWere)
{
    Build(Pair());
    SetPolicy("RoundPolicy", AsynchronousPolicy::GetTypeId());
    SetAll("Rounds", UintegerValue(9));
    SetCompute(1, MilliSeconds(25));
    apps[1]->SetAttribute("Rounds", UintegerValue(3));
    Connect();
    At(MilliSeconds(30), [this] { apps[1]->Crash(); });
    At(MilliSeconds(62), [this] { apps[1]->Restart(); });
    Run();
    EXPECT_EQ(GetEnds(1), (Lines{"25 end 0 [0:1]", "87 end 2 [0:7]"}));
    // Of rounds 2 to 7 that it hears of, those at 30 to 60 ms found nobody; at 70 and 80 it
    // listens.
    EXPECT_EQ(GetRecord(1, 1).expected, 6U);
    EXPECT_EQ(GetRecord(1, 1).received, 2U);
    EXPECT_EQ(GetRecord(1, 1).lost, 4U);
    EXPECT_EQ(GetEnds(0).back(), "90 end 8 [1:2]");
    EXPECT_EQ(GetRecord(0, 8).lost, 1U) << "its round 1 never left";
}

TEST_F(PeerApplicationTest, AsynchronousLearnersFollowNobodyIntoTheFuture)
{
    Build(Pair());
    SetPolicy("RoundPolicy", AsynchronousPolicy::GetTypeId());
    SetAll("Rounds", UintegerValue(10000000));
    Connect();
    At(MilliSeconds(1), [this] {
        const auto socket =
            Socket::CreateSocket(m_network->GetNodes().Get(1), UdpSocketFactory::GetTypeId());
        socket->Bind();
        const Bytes bytes = test::MakeFragment(1, 5000000, Exact(DIMENSION));
        socket->SendTo(Create<Packet>(bytes.data(), bytes.size()),
                       0,
                       InetSocketAddress(m_network->GetAddress(1, 0), test::PORT));
        socket->Close();
    });
    Run(MilliSeconds(25));
    EXPECT_EQ(apps[0]->GetWindow().GetTally().tooEarly, 1U);
    EXPECT_EQ(GetEnds(0), (Lines{"10 end 0 []", "20 end 1 [1:0]"}));
}

TEST_F(PeerApplicationTest, AsynchronousLearnersRefuseToWait)
{
    const auto refuse = [this](const std::string& attribute,
                               const AttributeValue& value,
                               const std::string& message) {
        Build(Pair());
        SetPolicy("RoundPolicy", AsynchronousPolicy::GetTypeId());
        SetAll(attribute, value);
        apps[0]->GetRoundPolicy()->SetAttribute("Period", TimeValue(MilliSeconds(30)));
        ExpectRefused([this] { Connect(); }, message);
        apps.clear();
        Simulator::Destroy();
    };
    refuse(
        "MissingPolicy",
        TypeIdValue(WaitForMissing::GetTypeId()),
        "MissingPolicy must not be ns3::dlearn::WaitForMissing with an asynchronous RoundPolicy");
    refuse("UsePartial",
           BooleanValue(true),
           "UsePartial must be false with an asynchronous RoundPolicy");
    refuse("Patience",
           TimeValue(MilliSeconds(20)),
           "Patience must be at least the Period of an asynchronous RoundPolicy, +0.03s, got "
           "+0.02s");
}

TEST_F(PeerApplicationTest, RefusesPartsOfTheWrongKind)
{
    const std::string attributes[][2] = {{"Rule", "ns3::dlearn::UpdateRule"},
                                         {"RoundPolicy", "ns3::dlearn::RoundPolicy"},
                                         {"MissingPolicy", "ns3::dlearn::MissingPolicy"},
                                         {"ComputeModel", "ns3::dlearn::ComputeModel"}};
    for (const auto& [name, base] : attributes)
    {
        for (const std::string& wrong : {std::string("ns3::dlearn::UdpTransport"), base})
        {
            const auto app = CreateObject<PeerApplication>();
            Ptr<Node> node = CreateObject<Node>();
            node->AddApplication(app);
            app->SetAttribute(name, TypeIdValue(TypeId::LookupByName(wrong)));
            ExpectRefused([&] { app->SetContext(LearnerContext(), {}); },
                          "Application: " + name + " must be a concrete type derived from " + base +
                              ", got " + wrong);
        }
    }
}

TEST_F(PeerApplicationTest, RefusesToStartWithoutWhatItNeeds)
{
    Build(Pair());
    ExpectRefused([this] { CreateObject<PeerApplication>()->SetContext(GetContext(0), {}); },
                  "PeerApplication: add the application to a node first");
    ExpectRefused([this] { apps[0]->SetContext(GetContext(0), {}); },
                  "PeerApplication: learner 0 has no address of its neighbour 1");
    ExpectRefused([] { Simulator::Run(); },
                  "PeerApplication: SetContext() must be called before the start");
    EXPECT_EQ(CreateObject<PeerApplication>()->AssignStreams(3), 1); // LDP-OL's noise
}

} // namespace
} // namespace dlearn
} // namespace ns3
