/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * lte with several base stations: they cover more than one does, clients attach to the nearest, and
 * one that moves is handed over to another.
 */

#include "dlearn-network-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-network.h"
#include "ns3/mobility-model.h"

namespace ns3::dlearn
{
namespace
{

/** Skips everything where ns-3 has no LTE. */
class BaseStationsTest : public NetworkTest
{
  protected:
    void SetUp() override
    {
        NetworkTest::SetUp();
        try
        {
            CreateNetwork("lte");
        }
        catch (const std::invalid_argument& error)
        {
            GTEST_SKIP() << error.what();
        }
        m_handovers = 0;
    }

    /** Sink of the trace source HandoverEndOk of all base stations. */
    static void CountHandover(uint64_t /* imsi */, uint16_t /* cell */, uint16_t /* rnti */)
    {
        ++m_handovers;
    }

    /** Sink of the trace source ConnectionEstablished of all base stations. */
    static void NoteCell(uint64_t imsi, uint16_t cell, uint16_t /* rnti */)
    {
        m_cells[imsi] = cell;
    }

    static uint32_t m_handovers;                 //!< so far
    static std::map<uint64_t, uint16_t> m_cells; //!< of clients, when they attached
};

uint32_t BaseStationsTest::m_handovers = 0;
std::map<uint64_t, uint16_t> BaseStationsTest::m_cells;

/** Server 4 and clients near the corners of a square of 2 km with four base stations. */
NetworkOptions
FourBaseStations()
{
    NetworkOptions options;
    options.server = 4;
    options.side = 2000;
    options.baseStations = 4;
    options.positions = {{200, 200}, {1800, 200}, {200, 1800}, {1800, 1800}, {0, 0}};
    return options;
}

TEST_F(BaseStationsTest, CoverMoreThanOne)
{
    const auto network = Make("lte", Star(5, 4), FourBaseStations());
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/LteEnbRrc/ConnectionEstablished",
                                  MakeCallback(&BaseStationsTest::NoteCell));
    UdpMesh mesh(*network);
    mesh.BurstToNeighbors(Star(5, 4), 20);
    Simulate(3);
    for (LearnerId client = 0; client < 4; ++client)
    {
        EXPECT_EQ((mesh.received[{client, 4}]), 20U) << client;
        EXPECT_EQ((mesh.received[{4, client}]), 20U) << client;
        EXPECT_EQ(m_cells[client + 1], client + 1) << "cells are numbered as on the grid";
    }
}

// It drives from one base station to the other, 1 km, in 25 s, and has all that is sent to it and
// sends all it has to, but for what is under way during the handover.
TEST_F(BaseStationsTest, AClientThatMovesIsHandedOver)
{
    NetworkOptions options;
    options.server = 0;
    options.side = 1000;
    options.baseStations = 2;
    options.positions = {{0, 0}, {250, 500}, {250, 400}};
    const auto network = Make("lte", Star(3, 0), options);
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/LteEnbRrc/HandoverEndOk",
                                  MakeCallback(&BaseStationsTest::CountHandover));
    UdpMesh mesh(*network);
    const auto model = network->GetNodes().Get(1)->GetObject<MobilityModel>();
    constexpr uint32_t STEPS = 250;
    for (uint32_t k = 0; k < STEPS; ++k)
    {
        const Time when = Seconds(1 + k * 0.1);
        Simulator::Schedule(when, [=] { model->SetPosition(Vector(250 + 2 * k, 500, 0)); });
        mesh.Burst(0, network->GetAddress(0, 1), 1, 1000, when);
        mesh.Burst(1, network->GetAddress(1, 0), 1, 1000, when);
        mesh.Burst(2, network->GetAddress(2, 0), 1, 1000, when);
    }
    Simulate(30);
    EXPECT_EQ(m_handovers, 1U);
    EXPECT_GE((mesh.received[{0, 1}]), STEPS - 2);
    EXPECT_GE((mesh.received[{1, 0}]), STEPS - 2);
    EXPECT_EQ((mesh.received[{2, 0}]), STEPS);
}

TEST_F(BaseStationsTest, RefusesMoreThanSixteenAndTooLargeASquare)
{
    for (const uint32_t count : {0, 17})
    {
        NetworkOptions options = FourBaseStations();
        options.baseStations = count;
        ExpectRefused([&] { Make("lte", Star(5, 4), options); },
                      "lte: base stations must be from 1 to 16, got " + std::to_string(count));
    }
    NetworkOptions options = FourBaseStations();
    options.baseStations = 2;
    ExpectRefused([&] { Make("lte", Star(5, 4), options); },
                  "lte: side must be at most 1000 m, which the base stations cover, got 2000");
}

} // namespace
} // namespace ns3::dlearn
