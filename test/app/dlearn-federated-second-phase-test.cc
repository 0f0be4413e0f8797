/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * A second phase that is not noise recovery: rules of a user that ask and answer with vectors of
 * their own.
 */

#include "dlearn-federation-fixture.h"
#include "support/dlearn-expect-refused.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace test
{
namespace
{

/** Asks for a vote on the sum of the updates, and takes the sum of the votes for its model. */
class VotingServer : public ServerRule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::VotingServer")
                                .SetParent<ServerRule>()
                                .AddConstructor<VotingServer>();
        return tid;
    }

    std::optional<ModelVector> GetRequest(const std::vector<ClientUpdate>& updates) const override
    {
        ModelVector request = ModelVector::Zero(length);
        for (const ClientUpdate& update : updates)
        {
            request[0] += update.values[0];
        }
        return request;
    }

    size_t GetRequestLength() const override { return 2; }

    void UseAnswers(const std::map<LearnerId, ModelVector>& answers,
                    std::vector<ClientUpdate>& updates) const override
    {
        for (ClientUpdate& update : updates)
        {
            const auto found = answers.find(update.client);
            update.values = found == answers.end() ? ModelVector::Zero(1) : found->second;
        }
    }

    double GetFlops(size_t /* updates */) const override { return 0; }

    Eigen::Index length{2}; //!< of the request that it makes

  protected:
    void CheckAttributes() const override {}

    ModelVector Move(const std::vector<ClientUpdate>& updates) override
    {
        ModelVector sum = ModelVector::Zero(1);
        for (const ClientUpdate& update : updates)
        {
            sum += update.values;
        }
        return sum;
    }
};

/** Votes with its update divided by the sum that it is asked about. */
class VotingClient : public ScriptedClient
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::VotingClient")
                                .SetParent<ScriptedClient>()
                                .AddConstructor<VotingClient>();
        return tid;
    }

    ModelVector Answer(const ModelVector& request) override
    {
        return delta == 100 ? ModelVector() : ModelVector::Constant(1, delta / request[0]);
    }

    size_t GetRequestLength(uint32_t /* clients */) const override { return 2; }
};

class FederatedSecondPhase : public FederationTest
{
  protected:
    void BuildVoters(uint32_t clients)
    {
        Build(clients, "ideal", VotingClient::GetTypeId());
        Choose<VotingServer>("Rule");
        Set("ResponseTimeout", TimeValue(Seconds(2)));
        m_server->TraceConnectWithoutContext("Request",
                                             MakeCallback(&FederatedSecondPhase::Record, this));
    }

    void Record(uint32_t round, const ModelVector& request)
    {
        requests.emplace_back(round, request[0]);
    }

    std::vector<std::pair<uint32_t, double>> requests; //!< round and sum
};

// The updates are 1 and 10 each time; three rounds.
TEST_F(FederatedSecondPhase, AsksAndUsesTheAnswersInEveryRound)
{
    BuildVoters(2);
    Connect();
    Run();
    EXPECT_NEAR(GetModel(), 1, 1e-6); // single precision on the wire
    EXPECT_EQ(requests,
              (std::vector<std::pair<uint32_t, double>>{{0, 11.0}, {1, 11.0}, {2, 11.0}}));
    EXPECT_EQ(totals.at("corrections_used"), 6U);
    EXPECT_EQ(totals.at("rosters_answered"), 6U);
}

// Client 3, whose update is 100, does not answer: the round goes on after the ResponseTimeout.
TEST_F(FederatedSecondPhase, GoesOnWithoutAClientThatDoesNotAnswer)
{
    BuildVoters(3);
    Set("Rounds", UintegerValue(1));
    Connect();
    Run();
    EXPECT_NEAR(GetModel(), 11.0 / 111, 1e-6);
    EXPECT_EQ(totals.at("corrections_lost"), 1U);
    EXPECT_EQ(totals.at("rosters_missed"), 1U);
    EXPECT_GE(m_server->GetRecords()[0].closed, Seconds(2));
}

// Client 3 is too slow for the deadline. Its updates come while client 1 does not answer in the
// second phase; they are not of the round that comes next.
TEST_F(FederatedSecondPhase, AnUpdateThatComesMeanwhileIsOld)
{
    BuildVoters(3);
    ChoosePolicy<DeadlinePolicy>()->SetAttribute("Deadline", TimeValue(MilliSeconds(100)));
    Set("Rounds", UintegerValue(2));
    SetCompute(3, MilliSeconds(150));
    Connect();
    Script(1).delta = 100;
    Script(3).delta = 1;
    Run();
    EXPECT_EQ(requests, (std::vector<std::pair<uint32_t, double>>{{0, 110.0}, {1, 110.0}}));
    EXPECT_EQ(totals.at("updates_discarded_stale"), 2U);
}

TEST_F(FederatedSecondPhase, IsForRoundsInLockStep)
{
    BuildVoters(2);
    SetBuffered(2);
    Connect();
    Run();
    EXPECT_TRUE(requests.empty());
    EXPECT_EQ(GetModel(), 11);
}

TEST_F(FederatedSecondPhase, RefusesARequestOfAnotherLength)
{
    BuildVoters(2);
    DynamicCast<VotingServer>(m_server->GetRule())->length = 3;
    Connect();
    ExpectRefused([&] { Run(); }, "FederatedServer: request must have 2 entries, got 3");
}

/** Crashes the server from within its first request. */
struct RequestSaboteur
{
    Ptr<FederatedServer> server;

    void Crash(uint32_t round, const ModelVector&)
    {
        if (round == 0)
        {
            server->Crash();
            EXPECT_EQ(server->GetState(), LearnerApplication::State::EXCHANGING);
        }
    }
};

TEST_F(FederatedSecondPhase, MayBeCrashedByAListener)
{
    BuildVoters(2);
    Connect();
    RequestSaboteur saboteur{m_server};
    m_server->TraceConnectWithoutContext("Request",
                                         MakeCallback(&RequestSaboteur::Crash, &saboteur));
    At(Seconds(1), [this] {
        EXPECT_EQ(m_server->GetState(), State::STOPPED);
        m_server->Restart();
    });
    Run();
    EXPECT_EQ(m_server->GetState(), State::FINISHED);
    EXPECT_NEAR(GetModel(), 1, 1e-6);
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
