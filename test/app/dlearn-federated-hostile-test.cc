/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Federations in which a client or another program sends messages that must not be trusted.
 */

#include "dlearn-federation-fixture.h"

namespace ns3::dlearn
{
namespace test
{
namespace
{

/**
 * @param sender who it says sent it
 * @param channel of the message
 * @param round of the message
 * @return the header of a vector of one entry
 */
ModelHeader
MakeHeader(LearnerId sender, ModelChannel channel, uint32_t round)
{
    ModelHeader header;
    header.sender = sender;
    header.channel = channel;
    header.round = round;
    header.vectorLength = 1;
    header.payloadLength = 4;
    header.messageLength = 4;
    return header;
}

/** By UDP and by TCP. */
class FederatedHostile : public FederationTest, public testing::WithParamInterface<const char*>
{
  protected:
    /** Three clients; what one of them does not answer costs 100 ms twice at most. */
    void BuildThree()
    {
        Build(3);
        SetTransport(GetParam());
        Set("Rounds", UintegerValue(5));
        Set("ResponseTimeout", TimeValue(MilliSeconds(100)));
        Set("SuspicionTimeout", TimeValue(MilliSeconds(150)));
    }

    void ExpectDone(double model)
    {
        EXPECT_EQ(m_server->GetState(), State::FINISHED);
        EXPECT_EQ(m_server->GetRecords().size(), 5U);
        EXPECT_DOUBLE_EQ(GetModel(), model);
    }
};

INSTANTIATE_TEST_SUITE_P(Transports,
                         FederatedHostile,
                         testing::Values("ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"));

// Client 3 believes in a model of three entries. It refuses the server's; where it sends one of
// its own kind, the server refuses that.
TEST_P(FederatedHostile, AClientOfAnotherDimension)
{
    BuildThree();
    Connect();
    // Behind the helper's back, which would refuse it.
    const auto attacker = CreateObject<FederatedClient>();
    attacker->SetAttribute("Rule", TypeIdValue(ScriptedClient::GetTypeId()));
    attacker->GetExchange()->SetAttribute("Transport",
                                          TypeIdValue(TypeId::LookupByName(GetParam())));
    m_network->GetNodes().Get(3)->AddApplication(attacker);
    m_federation.clients[2]->SetStartTime(Seconds(90));
    attacker->SetContext(3,
                         {{0, m_network->GetAddress(3, 0)}},
                         CreateObject<FixedData>(Eigen::MatrixXd::Zero(3, 1)),
                         3);
    At(MilliSeconds(5), [attacker] {
        attacker->GetExchange()->Send(0, {ModelChannel::UPDATE, {0}, ModelVector::Ones(3)});
    });
    Run(Seconds(80));
    ExpectDone(5 * 5.5);
    EXPECT_EQ(m_server->GetExchange()->GetCounters().wrongLength, 1U);
    EXPECT_EQ(m_server->GetRecords()[0].rejected, 1U);
    EXPECT_EQ(m_server->GetRecords()[0].closed.GetMilliSeconds(), 15) << "refused, not lost";
    EXPECT_EQ(m_server->GetRecords()[1].lost, 1U);
    std::map<std::string, uint64_t> own;
    attacker->Finish(own);
    EXPECT_EQ(own["models_unusable"], 5U);
    EXPECT_EQ(attacker->GetRecords().size(), 0U);
}

// The clients' updates are finite, their sum is not: 2 x 3e38 does not fit a 32-bit number. The
// clients refuse what the server then sends, and the run ends in good time.
TEST_P(FederatedHostile, AModelThatIsNoNumber)
{
    BuildThree();
    m_server->GetRule()->SetAttribute("LearningRate", DoubleValue(2));
    Connect();
    for (LearnerId id = 1; id <= 3; ++id)
    {
        Script(id).delta = 3e38;
    }
    Run();
    EXPECT_EQ(m_server->GetState(), State::FINISHED);
    ASSERT_EQ(m_server->GetRecords().size(), 5U);
    EXPECT_EQ(totals["models_unusable"], 3U * 4);
    EXPECT_EQ(m_server->GetRecords().back().lost, 3U);
    EXPECT_EQ(m_server->GetRecords().back().closed.GetMilliSeconds(), 15 + 4 * 105);
    EXPECT_EQ(Script(1).log.size(), 1U);
}

// The clients' side: models that are old, doubled, of another channel or of another server.
TEST_F(FederationTest, ModelsThatAreNotNeeded)
{
    Build(2);
    Connect();
    const auto send = [this](Time when, LearnerId sender, ModelChannel channel, uint32_t round) {
        InjectAt(when, 0, 1, Seal(MakeHeader(sender, channel, round), {0x41, 0, 0, 0}));
    };
    send(MilliSeconds(18), 0, ModelChannel::MODEL, 0); // late
    send(MilliSeconds(18), 0, ModelChannel::MODEL, 1); // duplicate, while it trains
    send(MilliSeconds(27), 0, ModelChannel::MODEL, 1); // duplicate, while it is idle
    send(MilliSeconds(18), 0, ModelChannel::UPDATE, 1);
    send(MilliSeconds(18), 2, ModelChannel::MODEL, 1);
    Run();
    EXPECT_EQ(GetRounds().back(), "45 2/2 0 0");
    EXPECT_DOUBLE_EQ(GetModel(), 3 * 5.5);
    EXPECT_EQ(totals["models_late"], 1U);
    EXPECT_EQ(totals["duplicate"], 2U);
    EXPECT_EQ(totals["unexpected"], 1U);
    EXPECT_EQ(totals["wrong_sender"], 1U);
    EXPECT_EQ(Script(1).log.size(), 3U);
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
