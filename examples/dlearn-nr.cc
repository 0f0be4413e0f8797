// SPDX-License-Identifier: GPL-2.0-only
// FedAvg over 5G New Radio: phones of one cell, and their server behind the core network.
// It needs the module nr (5G-LENA) 4.1 in an ns-3 source tree.
#include "ns3/core-module.h"
#include "ns3/dlearn-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/nr-module.h"
using namespace ns3;

int
main(int argc, char* argv[])
{
    dlearn::RunSpec spec = dlearn::FedAvgPreset("dlearn-nr");
    spec.data = "glyphs";
    spec.learners = 6;
    // The module's radio link control holds 10 kB, less than a model.
    Config::SetDefault("ns3::NrRlcUm::MaxTxBufferSize", UintegerValue(10000000));
    dlearn::RunProgram program(spec);
    // When helpers of the module nr end, so do the nodes that they made.
    Ptr<NrPointToPointEpcHelper> core;
    Ptr<NrHelper> nr;
    program.SetNetwork([&core, &nr](uint32_t learners) {
        NodeContainer station(1), phones(learners - 1);
        MobilityHelper mobility;
        mobility.SetPositionAllocator("ns3::UniformDiscPositionAllocator", "rho", DoubleValue(100));
        mobility.Install(phones);
        mobility.Install(station);
        station.Get(0)->GetObject<MobilityModel>()->SetPosition(Vector(0, 0, 10));
        core = CreateObject<NrPointToPointEpcHelper>();
        nr = CreateObject<NrHelper>();
        auto beams = CreateObject<IdealBeamformingHelper>();
        beams->SetBeamformingMethod(DirectPathBeamforming::GetTypeId());
        nr->SetBeamformingHelper(beams);
        nr->SetEpcHelper(core);
        nr->SetGnbPhyAttribute("TxPower", DoubleValue(30)); // in dBm, the module's own is 4
        nr->SetUePhyAttribute("TxPower", DoubleValue(23));
        // One carrier of 20 MHz at 3.5 GHz in a street of a city (3GPP TR 38.901).
        CcBwpCreator::SimpleOperationBandConf carrier(3.5e9, 20e6, 1);
        auto band = CcBwpCreator().CreateOperationBandContiguousCc(carrier);
        auto channels = CreateObject<NrChannelHelper>();
        channels->ConfigureFactories("UMi", "Default", "ThreeGpp");
        channels->AssignChannelsToBands({band});
        const auto parts = CcBwpCreator::GetAllBwps({band});
        const auto base = nr->InstallGnbDevice(station, parts);
        const auto radios = nr->InstallUeDevice(phones, parts);
        InternetStackHelper().Install(phones);
        const auto [server, address] = core->SetupRemoteHost("10Gb/s", 1500, MilliSeconds(5));
        core->AssignUeIpv4Address(radios);
        nr->AttachToClosestGnb(radios, base);
        auto network = CreateObject<dlearn::ExistingNetwork>(NodeContainer(server, phones));
        network->SetReadyTime(MilliSeconds(400)); // when phones have a connection
        return network;
    });
    return program.Main(argc, argv, __FILE__);
}
