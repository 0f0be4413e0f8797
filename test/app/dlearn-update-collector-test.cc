/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-greedy-policy.h"
#include "dlearn-net-test-support.h"

#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-update-collector.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using test::Exact;
using Disposition = MessageDisposition;

/** A rule that asks as often as told, and adds the answers to the updates. */
class CuriousServer : public FedAvgServer
{
  public:
    Outbox Ask(uint32_t step, std::vector<ClientUpdate>& updates, const Replies& replies) override
    {
        for (ClientUpdate& update : updates)
        {
            const auto answer = replies.find(update.client);
            update.values += answer == replies.end() ? ModelVector::Zero(2) : answer->second.values;
        }
        return step <= m_steps
                   ? Outbox{{ModelChannel::REQUEST, {1, 2, 3}, ModelVector::Constant(3, 4)}}
                   : Outbox{};
    }

    bool CountsClientsOnce() const override { return m_once; }

    Outbox GetModels(const std::vector<LearnerId>& clients) const override
    {
        return {{ModelChannel::MODEL, clients, m_given}};
    }

    uint32_t m_steps{0}; //!< later steps of a round
    bool m_once{false};  //!< whether a client counts once
    ModelVector m_given; //!< what clients get
};

/** Server 0 of clients 1, 2 and 3, which a test plays; models have two entries. */
class UpdateCollectorTest : public testing::Test
{
  protected:
    UpdateCollectorTest()
        : m_net("ideal",
                test::Complete(4),
                2,
                "ns3::dlearn::UdpTransport",
                32,
                {},
                std::nullopt,
                [](auto& exchange) { exchange.SetLength(ModelChannel::REQUEST, 3); })
    {
        m_net.Open();
        ServerContext context;
        context.samples = {{1, 1}, {2, 1}, {3, 1}};
        context.initialModel = ModelVector::Zero(2);
        m_rule->Setup(context);
    }

    ~UpdateCollectorTest() override { m_collector.Stop(); }

    /**
     * @param schedule with attributes
     * @param staleness type of the policy
     * @param usePartial whether parts of updates are used
     */
    void Setup(const ObjectFactory& schedule, const std::string& staleness, bool usePartial = false)
    {
        UpdateCollector::Settings settings;
        settings.rule = m_rule;
        settings.schedule = schedule.Create<ServerSchedule>();
        settings.schedule->Setup({1, 2, 3});
        settings.schedule->AssignStreams(1);
        settings.staleness = ObjectFactory("ns3::dlearn::" + staleness).Create<StalenessPolicy>();
        settings.stalenessLimit = 2;
        settings.usePartial = usePartial;
        settings.timeouts = m_timeouts;
        UpdateCollector::Listener listener;
        listener.expired = [this](LearnerId /* client */) { Note("expired"); };
        listener.suspected = [this](LearnerId client) {
            Note("suspected " + std::to_string(client));
        };
        listener.partial = [this](const MessageSource& source, uint32_t) {
            Note("partial " + std::to_string(source.first));
        };
        listener.asked = [this](uint32_t, const ModelVector&) { Note("asked"); };
        listener.collected = [this](std::vector<ClientUpdate> updates) { m_collected = updates; };
        m_collector.Setup({1, 2, 3}, m_net.exchanges[0], settings, listener);
    }

    /** Rounds in lock-step that close when a share of the clients has answered. */
    void SetupSynchronous(const std::string& staleness, double quorum = 1)
    {
        Setup(ObjectFactory(
                  "ns3::dlearn::SynchronousSchedule",
                  "RoundPolicy",
                  ObjectFactoryValue(
                      ObjectFactory("ns3::dlearn::QuorumPolicy", "Fraction", DoubleValue(quorum)))),
              staleness);
    }

    void Note(const std::string& what)
    {
        m_notes.push_back(std::to_string(Simulator::Now().GetMilliSeconds()) + " " + what);
    }

    /** Open a round with a model whose entries tell its number, and give it to clients. */
    void Open(uint32_t round)
    {
        m_clock.BeginRound();
        m_rule->m_given = Exact(2, round);
        m_collector.Open(round, m_rule->m_given);
        m_collector.GiveAtOpening();
    }

    /** @return number of the model that was given last */
    uint32_t GetRequestId() const { return m_collector.GetLastRequestId(); }

    /**
     * Open round 0 of a schedule that takes updates of any age.
     *
     * @param bufferSize updates that make a model
     * @param once whether a client counts once
     * @return number of the model that all clients got
     */
    uint32_t BeginBuffered(uint32_t bufferSize, bool once)
    {
        m_rule->m_once = once;
        Setup(
            ObjectFactory("ns3::dlearn::BufferedSchedule", "BufferSize", UintegerValue(bufferSize)),
            "ConstantStaleness");
        Open(0);
        return GetRequestId();
    }

    /** A message comes from a client, with values that tell its number. */
    Disposition Offer(LearnerId client,
                      uint32_t requestId,
                      uint32_t next,
                      ModelChannel channel = ModelChannel::UPDATE)
    {
        const MessageSource source{client, channel};
        const Disposition expected = m_collector.Classify(source, requestId);
        std::optional<Arrival> arrival{Arrival{Exact(2, client), requestId, {}}};
        const Disposition disposition = m_collector.Offer(source, requestId, arrival, next);
        EXPECT_EQ(disposition, expected);
        return disposition;
    }

    bool ShouldClose() const { return m_collector.ShouldClose(m_clock.GetElapsed()); }

    /** @return clients of the updates that were collected, with the staleness of each */
    std::vector<std::pair<LearnerId, uint32_t>> GetCollected() const
    {
        std::vector<std::pair<LearnerId, uint32_t>> clients;
        for (const ClientUpdate& update : m_collected.value_or(std::vector<ClientUpdate>()))
        {
            EXPECT_EQ(update.values, Exact(2, update.client));
            clients.emplace_back(update.client, update.staleness);
        }
        return clients;
    }

    using Clients = std::vector<std::pair<LearnerId, uint32_t>>; //!< see GetCollected()

    /** Let time pass. */
    void Wait(Time time)
    {
        Simulator::Stop(time);
        Simulator::Run();
    }

    test::ExchangeNet m_net;                                  //!< 0 is the server
    Ptr<CuriousServer> m_rule{CreateObject<CuriousServer>()}; //!< of the server
    LearnerClock m_clock;                                     //!< of the server
    std::vector<std::string> m_notes;                         //!< what happened, with its time
    std::optional<std::vector<ClientUpdate>> m_collected;     //!< the last time
    ResponseTimeouts m_timeouts{{Seconds(5), Seconds(8)}};    //!< to wait, and to suspect
    UpdateCollector m_collector;                              //!< under test
};

TEST_F(UpdateCollectorTest, CollectsTheUpdatesOfARoundInTheOrderOfTheClients)
{
    SetupSynchronous("DiscardStale");
    Open(0);
    Wait(Seconds(1));
    for (const LearnerId client : {1, 2, 3})
    {
        const auto& entries = m_net.recorders[client].entries;
        ASSERT_EQ(entries.size(), 1U);
        EXPECT_EQ(entries[0].source, (test::Recorder::Source{0, ModelChannel::MODEL}));
        EXPECT_EQ(entries[0].round, GetRequestId());
        EXPECT_EQ(entries[0].arrival->values, Exact(2, 0));
    }
    for (const LearnerId client : {3, 1, 2})
    {
        EXPECT_FALSE(ShouldClose());
        EXPECT_EQ(Offer(client, GetRequestId(), 0), Disposition::ON_TIME);
    }
    EXPECT_TRUE(ShouldClose());
    EXPECT_FALSE(m_collected);
    m_collector.Close(m_clock);
    EXPECT_EQ(GetCollected(), (Clients{{1, 0}, {2, 0}, {3, 0}}));
    const RoundRecord& record = m_collector.GetRequests().GetRecords().back();
    EXPECT_EQ(record.expected, 3U);
    EXPECT_EQ(record.used, 3U);
    EXPECT_TRUE(m_notes.empty());
}

TEST_F(UpdateCollectorTest, OtherMessagesThanFirstAnswersChangeNothing)
{
    SetupSynchronous("DiscardStale");
    Open(0);
    const uint32_t requestId = GetRequestId();
    EXPECT_EQ(Offer(1, requestId, 0), Disposition::ON_TIME);
    EXPECT_EQ(Offer(1, requestId, 0), Disposition::DUPLICATE);
    EXPECT_EQ(Offer(2, requestId + 1, 0), Disposition::UNEXPECTED);
    EXPECT_EQ(Offer(2, requestId, 0, ModelChannel::STATE), Disposition::UNEXPECTED);
    EXPECT_NE(Offer(2, requestId, 0, ModelChannel::ANSWER), Disposition::ON_TIME) << "not asked";
    EXPECT_EQ(m_collector.CountWaitable(), 2U);
    m_collector.Close(m_clock);
    EXPECT_EQ(GetCollected(), (Clients{{1, 0}}));
}

TEST_F(UpdateCollectorTest, AnUpdateThatCanNotBeUsedIsAnAnswerAllTheSame)
{
    SetupSynchronous("DiscardStale");
    Open(0);
    Offer(1, GetRequestId(), 0);
    Offer(2, GetRequestId(), 0);
    std::optional<Arrival> nothing;
    EXPECT_EQ(m_collector.Offer({3, ModelChannel::UPDATE}, GetRequestId(), nothing, 0),
              Disposition::ON_TIME);
    EXPECT_TRUE(ShouldClose());
    m_collector.Close(m_clock);
    EXPECT_EQ(GetCollected(), (Clients{{1, 0}, {2, 0}}));
    EXPECT_EQ(m_collector.GetRequests().GetRecords().back().rejected, 1U);
}

TEST_F(UpdateCollectorTest, ClosesWhateverThePolicySaysWhenNoUpdateMayCome)
{
    Setup(
        ObjectFactory("ns3::dlearn::SynchronousSchedule",
                      "RoundPolicy",
                      ObjectFactoryValue(ObjectFactory(test::GreedyPolicy::GetTypeId().GetName()))),
        "DiscardStale");
    Open(0);
    Offer(1, GetRequestId(), 0);
    Offer(2, GetRequestId(), 0);
    EXPECT_FALSE(ShouldClose());
    Wait(Seconds(6)); // the third is not waited for any longer
    EXPECT_TRUE(ShouldClose());
}

TEST_F(UpdateCollectorTest, WaitsForAClientForALimitedTime)
{
    SetupSynchronous("DiscardStale");
    Open(0);
    Offer(1, GetRequestId(), 0);
    Offer(2, GetRequestId(), 0);
    Wait(MilliSeconds(4999));
    EXPECT_FALSE(ShouldClose());
    Wait(MilliSeconds(2));
    EXPECT_TRUE(ShouldClose());
    m_collector.Close(m_clock);
    EXPECT_EQ(GetCollected(), (Clients{{1, 0}, {2, 0}}));
    Open(1);
    Offer(1, GetRequestId(), 1);
    Offer(2, GetRequestId(), 1);
    Wait(Seconds(9));
    EXPECT_EQ(m_notes,
              (std::vector<std::string>{"5000 expired", "10001 suspected 3", "10001 expired"}));
}

// A round that two of three clients close; the third one answers the model of round 0 in round 1.
TEST_F(UpdateCollectorTest, WhatComesAfterItsRoundCountsInTheNextIfItIsWorthSomething)
{
    SetupSynchronous("ConstantStaleness", 0.5);
    Open(0);
    const uint32_t old = GetRequestId();
    Offer(1, old, 0);
    EXPECT_FALSE(ShouldClose());
    Offer(2, old, 0);
    EXPECT_TRUE(ShouldClose());
    m_collector.Close(m_clock);
    Open(1);
    EXPECT_GT(GetRequestId(), old);
    EXPECT_EQ(Offer(3, old, 1), Disposition::LATE);
    EXPECT_FALSE(ShouldClose()) << "no client has answered the model of this round";
    Offer(1, GetRequestId(), 1);
    Offer(2, GetRequestId(), 1);
    m_collector.Close(m_clock);
    EXPECT_EQ(GetCollected(), (Clients{{1, 0}, {2, 0}, {3, 1}}));
    m_collector.Settle();
    EXPECT_EQ(m_collector.GetStaleness(), (std::map<uint32_t, uint64_t>{{0, 4}, {1, 1}}));
    std::map<std::string, uint64_t> totals;
    m_collector.Count(totals);
    EXPECT_EQ(totals.at("updates_late_used"), 1U);
    EXPECT_EQ(totals.at("updates_unanswered"), 0U);
    EXPECT_EQ(totals.count("updates_partial"), 0U) << "parts are not used";
}

// As FedBuff: two updates make a model, and who has answered gets the newest one at once.
TEST_F(UpdateCollectorTest, OutOfLockStepClientsWorkOnDifferentModels)
{
    const uint32_t first = BeginBuffered(2, false);
    Offer(2, first, 0);
    m_collector.GiveAgain();
    const uint32_t second = GetRequestId();
    EXPECT_GT(second, first);
    EXPECT_FALSE(ShouldClose());
    Offer(2, second, 0);
    EXPECT_TRUE(ShouldClose());
    m_collector.Close(m_clock);
    EXPECT_EQ(GetCollected(), (Clients{{2, 0}, {2, 0}})) << "a client may have several";
    Open(1);
    EXPECT_EQ(Offer(1, first, 1), Disposition::ON_TIME) << "its model is still worked on";
    Offer(2, GetRequestId(), 1);
    m_collector.Close(m_clock);
    EXPECT_EQ(GetCollected(), (Clients{{1, 1}, {2, 0}}));
    EXPECT_EQ(m_collector.CountWaitable(), 3U) << "who is idle is about to get a model";
    Wait(Seconds(1));
    EXPECT_EQ(m_net.recorders[2].GetVectors(),
              (std::vector<ModelVector>{Exact(2, 0), Exact(2, 0), Exact(2, 1)}));
    EXPECT_EQ(m_net.recorders[3].GetVectors(), std::vector<ModelVector>{Exact(2, 0)});
}

// A fast client, which may be an attacker, must not own the buffer of a robust rule.
TEST_F(UpdateCollectorTest, WhereAClientCountsOnceItsNewestUpdateIsTaken)
{
    const uint32_t first = BeginBuffered(2, true);
    Offer(2, first, 0);
    m_collector.GiveAgain();
    EXPECT_EQ(GetRequestId(), first) << "client 2 has done its part";
    EXPECT_FALSE(ShouldClose());
    Offer(1, first, 0);
    EXPECT_TRUE(ShouldClose());
    m_collector.Close(m_clock);
    EXPECT_EQ(GetCollected(), (Clients{{1, 0}, {2, 0}}));
    Open(1);
    const uint32_t second = GetRequestId();
    Offer(3, first, 1);
    m_collector.GiveAgain();
    EXPECT_GT(GetRequestId(), second) << "client 3 worked on an old model";
    Offer(3, GetRequestId(), 1);
    EXPECT_FALSE(ShouldClose());
    Offer(1, second, 1);
    EXPECT_TRUE(ShouldClose());
    m_collector.Close(m_clock);
    EXPECT_EQ(GetCollected(), (Clients{{1, 0}, {3, 0}}));
    const RoundRecord& record = m_collector.GetRequests().GetRecords().back();
    EXPECT_EQ(record.used, 2U);
    EXPECT_EQ(record.rejected, 1U);
    record.CheckConservation();
    std::map<std::string, uint64_t> totals;
    m_collector.Count(totals);
    EXPECT_EQ(totals.at("updates_superseded"), 1U);
}

TEST_F(UpdateCollectorTest, OfTwoAnswersToOneModelThatOfTheNewerRequestIsTaken)
{
    const uint32_t lost = BeginBuffered(2, true);
    m_collector.Drop(); // the server crashes in the round, which begins again
    Open(0);
    const uint32_t given = GetRequestId();
    Offer(1, given, 0);
    EXPECT_EQ(Offer(1, lost, 0), Disposition::LATE);
    Offer(2, lost, 0);
    Offer(2, given, 0);
    m_collector.Close(m_clock);
    EXPECT_EQ(GetCollected(), (Clients{{1, 0}, {2, 0}}));
    EXPECT_EQ(m_collected->at(0).round, given);
    EXPECT_EQ(m_collected->at(1).round, given);
    m_collector.GetRequests().GetRecords().back().CheckConservation();
}

TEST_F(UpdateCollectorTest, ABufferLargerThanTheClientsClosesWithOneUpdateOfEach)
{
    const uint32_t first = BeginBuffered(10, true);
    Offer(2, first, 0);
    Offer(1, first, 0);
    EXPECT_FALSE(ShouldClose());
    EXPECT_EQ(m_collector.CountWaitable(), 1U);
    Wait(Seconds(6)); // client 3 has not answered, and is asked again
    m_collector.GiveAgain();
    EXPECT_FALSE(ShouldClose());
    Wait(Seconds(6));
    EXPECT_EQ(m_collector.CountWaitable(), 0U) << "client 3 is suspected";
    EXPECT_TRUE(ShouldClose());
}

TEST_F(UpdateCollectorTest, NothingIsLeftOfARoundThatIsDropped)
{
    SetupSynchronous("ConstantStaleness");
    Open(0);
    const uint32_t dropped = GetRequestId();
    Offer(1, dropped, 0);
    m_collector.Drop();
    Open(1);
    EXPECT_EQ(Offer(1, dropped, 1), Disposition::DUPLICATE);
    Offer(2, GetRequestId(), 1);
    Offer(3, GetRequestId(), 1);
    m_collector.Close(m_clock);
    EXPECT_EQ(GetCollected(), (Clients{{2, 0}, {3, 0}}));
    m_collector.Settle();
    EXPECT_EQ(m_collector.GetStaleness(), (std::map<uint32_t, uint64_t>{{0, 2}}));
    const RoundRecord& record = m_collector.GetRequests().GetRecords().back();
    EXPECT_EQ(record.used, 2U);
    EXPECT_EQ(record.rejected, 1U) << "what was dropped was of no use";
    std::map<std::string, uint64_t> totals;
    m_collector.Count(totals);
    EXPECT_EQ(totals.at("updates_lost_in_crash"), 1U);
    Wait(Seconds(20));
    EXPECT_TRUE(m_notes.empty()) << "no client is waited for any more";
}

TEST_F(UpdateCollectorTest, NoModelFromBeforeIsUsedOnceForgotten)
{
    Setup(ObjectFactory("ns3::dlearn::BufferedSchedule", "BufferSize", UintegerValue(1)),
          "ConstantStaleness");
    Open(0);
    const uint32_t old = GetRequestId();
    m_collector.Forget();
    m_clock.BeginRound();
    m_rule->m_given = Exact(2, 1);
    m_collector.Open(0, m_rule->m_given); // as a server that crashed in this round
    EXPECT_EQ(Offer(1, old, 0), Disposition::ON_TIME);
    EXPECT_FALSE(ShouldClose());
    m_collector.GiveAgain();
    Offer(1, GetRequestId(), 0);
    EXPECT_TRUE(ShouldClose());
    m_collector.Close(m_clock);
    EXPECT_EQ(GetCollected(), (Clients{{1, 0}}));
}

TEST_F(UpdateCollectorTest, ACrashOfTheServerSaysNothingOfTheClients)
{
    m_timeouts = ResponseTimeouts({Time(0), Seconds(8), Time(0), {}, true, 3});
    SetupSynchronous("ConstantStaleness");
    Open(0);
    const uint32_t dropped = GetRequestId();
    Wait(MilliSeconds(4900));
    m_collector.Drop();
    Open(1);
    Wait(MilliSeconds(4900));
    m_collector.Drop();
    EXPECT_TRUE(m_notes.empty()) << "suspected after 8 s";
    Open(2);
    Wait(Seconds(2));
    EXPECT_EQ(Offer(1, dropped, 2), Disposition::LATE); // its time says nothing either
    Wait(Seconds(27));
    EXPECT_TRUE(m_notes.empty()) << "expired after 30 s";
}

/** Nothing is chosen: 30 s before the first answer, then four times the slowest. */
class FollowingCollectorTest : public UpdateCollectorTest
{
  protected:
    FollowingCollectorTest()
    {
        m_timeouts = ResponseTimeouts({Time(0), Time(0), Time(0), {}, true, 3});
        SetupSynchronous("DiscardStale");
        Open(0);
    }
};

TEST_F(FollowingCollectorTest, TheFirstAnswerMakesTheWaitForTheOthersShorter)
{
    Wait(MilliSeconds(500));
    Offer(1, GetRequestId(), 0);
    Wait(Seconds(40));
    EXPECT_EQ(m_notes, (std::vector<std::string>{"2000 expired", "2000 expired"}));
}

TEST_F(FollowingCollectorTest, ASlowClientMakesTheWaitLonger)
{
    Wait(Seconds(1));
    Offer(1, GetRequestId(), 0);
    Wait(Seconds(2)); // at 3 s, of the 4 s that follow from the first one
    Offer(2, GetRequestId(), 0);
    Wait(Seconds(40));
    EXPECT_EQ(m_notes, std::vector<std::string>{"12000 expired"});
    EXPECT_EQ(m_collector.CountWaitable(), 0U);
    m_collector.Close(m_clock);
    Open(1);
    Wait(Seconds(40));
    EXPECT_EQ(m_notes.at(3), "55000 suspected 3") << "12 s, twice";
}

TEST_F(UpdateCollectorTest, ARuleMayAskThoseThatAnsweredOnceMore)
{
    m_rule->m_steps = 1;
    SetupSynchronous("DiscardStale", 0.5);
    Open(0);
    const uint32_t requestId = GetRequestId();
    Offer(1, requestId, 0);
    Offer(2, requestId, 0);
    m_collector.Close(m_clock);
    EXPECT_FALSE(m_collected) << "before the answers are there";
    EXPECT_TRUE(m_collector.HasClosed());
    EXPECT_EQ(m_notes, std::vector<std::string>{"0 asked"});
    EXPECT_FALSE(ShouldClose());
    EXPECT_EQ(Offer(3, requestId, 0, ModelChannel::ANSWER), Disposition::UNEXPECTED);
    EXPECT_EQ(Offer(1, requestId, 0, ModelChannel::ANSWER), Disposition::ON_TIME);
    EXPECT_FALSE(ShouldClose());
    EXPECT_EQ(Offer(2, requestId, 0, ModelChannel::ANSWER), Disposition::ON_TIME);
    EXPECT_TRUE(ShouldClose());
    m_collector.Close(m_clock);
    ASSERT_TRUE(m_collected && m_collected->size() == 2);
    for (const ClientUpdate& update : *m_collected)
    {
        EXPECT_EQ(update.values, 2 * Exact(2, update.client)) << "with what it answered";
    }
    Wait(MilliSeconds(10));
    EXPECT_EQ(m_net.recorders[1].entries.back().source.second, ModelChannel::REQUEST);
    EXPECT_EQ(m_net.recorders[3].entries.back().source.second, ModelChannel::MODEL);
}

// Three clients are asked, the first of which did not answer in the step before.
TEST_F(UpdateCollectorTest, WhoMissesAStepIsLeftOutOfTheRestOfTheRound)
{
    m_rule->m_steps = 2;
    SetupSynchronous("DiscardStale");
    Open(0);
    const uint32_t first = GetRequestId();
    for (const LearnerId client : {1, 2, 3})
    {
        Offer(client, first, 0);
    }
    m_collector.Close(m_clock);
    EXPECT_EQ(GetRequestId(), first) << "of the model";
    for (const LearnerId client : {2, 3})
    {
        EXPECT_EQ(Offer(client, first, 0, ModelChannel::ANSWER), Disposition::ON_TIME);
    }
    EXPECT_FALSE(ShouldClose());
    Wait(MilliSeconds(5001));
    EXPECT_EQ(GetRequestId(), first + 1);
    EXPECT_FALSE(m_collected);
    EXPECT_EQ(Offer(1, first, 0, ModelChannel::ANSWER), Disposition::UNEXPECTED);
    EXPECT_EQ(Offer(1, first + 1, 0, ModelChannel::ANSWER), Disposition::UNEXPECTED);
    EXPECT_EQ(Offer(3, first + 1, 0, ModelChannel::ANSWER), Disposition::ON_TIME);
    Wait(MilliSeconds(4000));
    EXPECT_FALSE(m_collected);
    Wait(MilliSeconds(1001));
    ASSERT_TRUE(m_collected && m_collected->size() == 3);
    for (const ClientUpdate& update : *m_collected) // one answer of 2, two of 3
    {
        EXPECT_EQ(update.values, update.client * Exact(2, update.client)) << update.client;
    }
    m_collector.Settle();
    Open(1);
    EXPECT_EQ(GetRequestId(), first + 2);
    Wait(Seconds(1));
    std::map<std::string, uint64_t> totals;
    m_collector.Count(totals);
    EXPECT_EQ(totals["corrections_asked"], 5U);
    EXPECT_EQ(totals["corrections_used"], 3U);
    EXPECT_EQ(totals["corrections_lost"], 2U);
}

TEST_F(UpdateCollectorTest, AnAnswerAfterTheLaterStepIsLateAndChangesNothing)
{
    m_rule->m_steps = 1;
    SetupSynchronous("DiscardStale", 0.5);
    Open(0);
    const uint32_t first = GetRequestId();
    Offer(1, first, 0);
    Offer(2, first, 0);
    m_collector.Close(m_clock);
    Offer(1, first, 0, ModelChannel::ANSWER);
    Wait(Seconds(6));
    ASSERT_TRUE(m_collected);
    EXPECT_EQ(Offer(2, first, 0, ModelChannel::ANSWER), Disposition::LATE);
    EXPECT_EQ(Offer(2, first, 0, ModelChannel::ANSWER), Disposition::DUPLICATE);

    // It does not get into the next one either, whose time is its own.
    m_collected.reset();
    Open(1);
    Offer(1, GetRequestId(), 1);
    Offer(2, GetRequestId(), 1);
    m_collector.Close(m_clock);
    EXPECT_EQ(Offer(2, first, 1, ModelChannel::ANSWER), Disposition::UNEXPECTED);
    std::optional<Arrival> nothing;
    EXPECT_EQ(m_collector.Offer({1, ModelChannel::ANSWER}, GetRequestId(), nothing, 1),
              Disposition::ON_TIME);
    Wait(MilliSeconds(4999));
    EXPECT_FALSE(m_collected);
    Wait(MilliSeconds(2));
    EXPECT_EQ(GetCollected(), (Clients{{1, 0}, {2, 0}})) << "without answers";
    std::map<std::string, uint64_t> totals;
    m_collector.Count(totals);
    EXPECT_EQ(totals["corrections_asked"], 4U);
    EXPECT_EQ(totals["corrections_used"], 1U);
    EXPECT_EQ(totals["corrections_unusable"], 1U);
    EXPECT_EQ(totals["corrections_late"], 1U);
    EXPECT_EQ(totals["corrections_lost"], 1U);
}

TEST_F(UpdateCollectorTest, NothingIsLeftOfALaterStepThatIsDropped)
{
    m_rule->m_steps = 1;
    SetupSynchronous("DiscardStale", 0.5);
    Open(0);
    Offer(1, GetRequestId(), 0);
    Offer(2, GetRequestId(), 0);
    m_collector.Close(m_clock);
    Offer(1, GetRequestId(), 0, ModelChannel::ANSWER);
    m_collector.Drop();
    EXPECT_FALSE(m_collector.HasClosed());
    EXPECT_EQ(Offer(2, GetRequestId(), 0, ModelChannel::ANSWER), Disposition::LATE);
    Wait(Seconds(9));
    EXPECT_FALSE(m_collected);
    std::map<std::string, uint64_t> totals;
    m_collector.Count(totals);
    EXPECT_EQ(totals["corrections_used"], 0U);
    EXPECT_EQ(totals["corrections_unusable"], 1U);
    EXPECT_EQ(totals["corrections_late"], 1U);
}

} // namespace
} // namespace ns3::dlearn
