/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Federations whose updates add up on the air. What a slot does to them is tested in
 * wire/dlearn-multiple-access-channel-test.cc.
 */

#include "dlearn-federation-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-energy-meter.h"
#include "ns3/pointer.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace test
{
namespace
{

/** A channel without fading, on which an entry takes 1 ms. */
class FederatedAir : public FederationTest
{
  protected:
    void BuildAir(uint32_t clients, TypeId rule = ScriptedClient::GetTypeId())
    {
        Build(clients, "ideal", rule);
        m_air = CreateObject<MultipleAccessChannel>();
        m_air->SetAttribute("Bandwidth", DoubleValue(1000));
        m_air->SetAttribute("Clip", DoubleValue(1000));
        m_air->SetAttribute("Fading", StringValue(""));
        m_air->SetAttribute("PowerControl",
                            StringValue("ns3::dlearn::ChannelInversion[Truncation=1]"));
        m_air->SetAttribute("NoiseFigure", DoubleValue(-300));
        for (const auto& learner : m_federation.GetLearners())
        {
            const auto place = CreateObject<ConstantPositionMobilityModel>();
            place->SetPosition({10.0 * learner->GetNode()->GetId(), 0, 0});
            learner->GetNode()->AggregateObject(place);
            learner->GetExchange()->SetAttribute("Air", PointerValue(m_air));
        }
    }

    Ptr<MultipleAccessChannel> m_air;
};

// A slot of 1 ms between the training, 10 and 20 ms, and the server's 5 ms. The update is the mean
// of 1 and 10.
TEST_F(FederatedAir, ARoundTakesOneSlot)
{
    BuildAir(2);
    SetCompute(2, MilliSeconds(20));
    Connect();
    Run();
    EXPECT_EQ(GetRounds(), (Lines{"26 2/2 0 0", "52 2/2 0 0", "78 2/2 0 0"}));
    EXPECT_NEAR(GetModel(), 16.5, 1e-9);
    EXPECT_EQ(Script(1).ends, (Lines{"out", "out", "out"}));
    EXPECT_EQ(Get(1)->GetRecords().at(1).txBytes, 0U);
    EXPECT_EQ(m_server->GetRecords().at(1).truncated, 0);
    EXPECT_EQ(totals.at("air_slots"), 3U);
    EXPECT_EQ(m_server->GetStaleness(), (std::map<uint32_t, uint64_t>{{0, 6}}));
}

// Clients with 2, 3 and 4 samples.
TEST_F(FederatedAir, ALoudChannelIsAsGoodAsPackets)
{
    ModelVector models[2];
    for (const bool air : {false, true})
    {
        if (air)
        {
            BuildAir(3, LocalSgd::GetTypeId());
        }
        else
        {
            Build(3, "ideal", LocalSgd::GetTypeId());
        }
        SetFloatBits(64);
        std::vector<Ptr<LocalData>> data;
        for (uint32_t k = 0; k < 3; ++k)
        {
            data.push_back(
                CreateObject<FixedData>(Eigen::MatrixXd::NullaryExpr(4, 2 + k, [k](auto i, auto j) {
                    return std::sin(1.0 + 3 * i + 5 * j + 7 * k);
                })));
        }
        Connect(data, ModelVector::LinSpaced(4, -1, 2));
        Run();
        models[air] = m_server->GetRule()->GetModel();
        Simulator::Destroy();
    }
    EXPECT_LT((models[0] - models[1]).norm(), 1e-9);
}

// Client 2 has lost 20 dB by fading, and keeps silent; the round does not wait for it.
TEST_F(FederatedAir, ATruncatedUpdateIsLost)
{
    BuildAir(3);
    const auto fading = CreateObject<MatrixPropagationLossModel>();
    fading->SetDefaultLoss(0);
    fading->SetLoss(Get(2)->GetNode()->GetObject<MobilityModel>(),
                    Get(0)->GetNode()->GetObject<MobilityModel>(),
                    20);
    m_air->SetAttribute("Fading", PointerValue(fading));
    Connect();
    Run();
    EXPECT_EQ(GetRounds(), (Lines{"16 2/3 0 1", "32 2/3 0 1", "48 2/3 0 1"}));
    EXPECT_NEAR(GetModel(), 3 * 50.5, 1e-9); // of 1 and 100
    EXPECT_EQ(Script(2).ends, (Lines{"kept", "kept", "kept"}));
    EXPECT_EQ(m_server->GetRecords().at(1).truncated, 1);
    EXPECT_TRUE(m_server->GetRequests().GetSuspected().empty());
}

// Client 2 is down from the beginning: the first slot waits for the timeout, later ones do not.
TEST_F(FederatedAir, AFailedClientIsWaitedForOnce)
{
    BuildAir(3);
    Set("ResponseTimeout", TimeValue(MilliSeconds(100)));
    Set("SuspicionTimeout", TimeValue(MilliSeconds(100)));
    Connect();
    At(MilliSeconds(1), [this] { Get(2)->Crash(); });
    Run();
    EXPECT_EQ(GetRounds(), (Lines{"105 2/3 0 1", "121 2/3 0 1", "137 2/3 0 1"}));
    EXPECT_NEAR(GetModel(), 3 * 50.5, 1e-9);
}

// Client 2 takes 50 ms: the slot is over then.
TEST_F(FederatedAir, ADeadlineClosesTheSlot)
{
    BuildAir(2);
    SetCompute(2, MilliSeconds(50));
    ChoosePolicy<DeadlinePolicy>()->SetAttribute("Deadline", TimeValue(MilliSeconds(30)));
    Connect();
    Run();
    EXPECT_EQ(GetRounds(), (Lines{"35 1/2 0 1", "70 1/2 0 1", "105 1/2 0 1"}));
    EXPECT_NEAR(GetModel(), 3, 1e-9);
    EXPECT_EQ(Script(2).ends.front(), "kept");
}

// 20 dBm for 1 ms, with an update of the norm of the clip; computing and the bits of the model cost
// nothing.
TEST_F(FederatedAir, TheMeterCountsWhatIsRadiated)
{
    BuildAir(1);
    m_air->SetAttribute("Clip", DoubleValue(1));
    Connect();
    const auto meter = CreateObject<EnergyMeter>();
    for (const char* cost : {"JoulesPerOperation", "TxJoulesPerBit", "RxJoulesPerBit"})
    {
        meter->SetAttribute(cost, DoubleValue(0));
    }
    meter->Install(Get(1), nullptr);
    Run();
    EXPECT_NEAR(meter->GetSpent(), 3 * 0.1 * 1e-3, 1e-12);
}

TEST_F(FederatedAir, RefusesWhatNeedsSingleUpdates)
{
    BuildAir(2);
    Choose<FedAsyncServer>("Rule");
    ExpectRefused(
        [this] { Connect(); },
        "FederatedServer: on the air the server gets one sum of all updates, so that Rule "
        "must be ns3::dlearn::FedAvgServer, or one that takes means; "
        "ns3::dlearn::FedAsyncServer needs the update of each client");
    BuildAir(2);
    SetBuffered(2);
    ExpectRefused([this] { Connect(); }, "so that Schedule must have synchronous rounds");
    BuildAir(2);
    m_federation.clients[0]->SetAttribute("Reports", StringValue("samples"));
    ExpectRefused([this] { Connect(); }, "on the air updates have no figures, got samples");
    BuildAir(2);
    Get(1)->GetExchange()->SetAttribute("Compressor", StringValue("ns3::dlearn::TopKCompressor"));
    ExpectRefused([this] { Connect(); },
                  "on the air updates are not encoded, so that Compressor must be none");
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
