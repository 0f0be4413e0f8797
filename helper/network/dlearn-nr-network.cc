/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cellular-network.h"

#include "ns3/cc-bwp-helper.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/ideal-beamforming-algorithm.h"
#include "ns3/ideal-beamforming-helper.h"
#include "ns3/nr-channel-helper.h"
#include "ns3/nr-gnb-net-device.h"
#include "ns3/nr-gnb-phy.h"
#include "ns3/nr-gnb-rrc.h"
#include "ns3/nr-helper.h"
#include "ns3/nr-point-to-point-epc-helper.h"
#include "ns3/nr-radio-bearer-info.h"
#include "ns3/nr-rlc.h"
#include "ns3/nr-ue-net-device.h"
#include "ns3/nr-ue-phy.h"
#include "ns3/nr-ue-rrc.h"
#include "ns3/uniform-planar-array.h"

namespace ns3::dlearn
{

namespace
{

/**
 * 5G New Radio: ns3::NrHelper of the module nr (5G-LENA), with its core network.
 *
 * A cell: a base station (gNB), 10 m high, with one carrier for both directions in turn, by default
 * of 20 MHz at 3.5 GHz with a spacing of 15 kHz (ns3::NrGnbPhy::Numerology), 30 dBm and 4x4
 * antennas that point at the client; phones 1.5 m high with 23 dBm and one antenna. Path loss,
 * shadowing, line of sight and fading are those of a street canyon (UMi) in 3GPP TR 38.901, unless
 * attributes of ns3::NrChannelHelper say otherwise.
 */
class NrNetwork : public CellularNetwork
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeTypeId<NrNetwork, CellularNetwork>("ns3::dlearn::NrNetwork")
                                .AddAttribute("Frequency",
                                              "Frequency in the middle of the carrier, in Hz",
                                              DoubleValue(3.5e9),
                                              MakeDoubleAccessor(&NrNetwork::m_frequency),
                                              MakeDoubleChecker<double>(0.5e9, 100e9))
                                .AddAttribute("Bandwidth",
                                              "Width of the carrier in Hz",
                                              DoubleValue(20e6),
                                              MakeDoubleAccessor(&NrNetwork::m_bandwidth),
                                              MakeDoubleChecker<double>(5e6, 400e6));
        return tid;
    }

    std::string GetName() const override { return "nr"; }

  protected:
    Radio GetRadio() const override
    {
        return {200, 280, {"ns3::NrRlcAm", "ns3::NrRlcUm"}, 1.5, 10};
    }

    void InstallRadio() override
    {
        const auto core = CreateObject<NrPointToPointEpcHelper>();
        const auto radio = CreateObject<NrHelper>();
        const auto beams = CreateObject<IdealBeamformingHelper>();
        SetOwnDefault(beams, "BeamformingMethod", TypeIdValue(DirectPathBeamforming::GetTypeId()));
        radio->SetBeamformingHelper(beams);
        radio->SetEpcHelper(core);
        for (const char* size : {"NumRows", "NumColumns"})
        {
            if (!FindChosenDefault(UniformPlanarArray::GetTypeId(), size))
            {
                radio->SetUeAntennaAttribute(size, UintegerValue(1));
            }
        }
        const auto channels = CreateObject<NrChannelHelper>();
        SetOwnDefault(channels, "Scenario", StringValue("UMi"));
        const auto get = [&channels](const char* name) {
            StringValue text;
            channels->GetAttribute(name, text);
            return text.Get();
        };
        channels->ConfigureFactories(get("Scenario"), get("ChannelCondition"), get("ChannelModel"));
        auto band = CcBwpCreator().CreateOperationBandContiguousCc({m_frequency, m_bandwidth, 1});
        channels->AssignChannelsToBands({band});
        const auto parts = CcBwpCreator::GetAllBwps({band});
        const auto stations = radio->InstallGnbDevice(m_baseStations, parts);
        const auto clients = radio->InstallUeDevice(m_clients, parts);
        for (uint32_t k = 0; k < stations.GetN(); ++k)
        {
            SetOwnDefault(NrHelper::GetGnbPhy(stations.Get(k), 0), "TxPower", DoubleValue(30));
        }
        for (uint32_t k = 0; k < clients.GetN(); ++k)
        {
            SetOwnDefault(NrHelper::GetUePhy(clients.Get(k), 0), "TxPower", DoubleValue(23));
        }
        UseRadio<NrUeNetDevice, NrGnbNetDevice, NrDataRadioBearerInfo>(
            radio,
            core,
            stations,
            clients,
            // At once: slots of clients count from time 0, with the numerology of the base station.
            [=] { radio->AttachToClosestGnb(clients, stations); });
    }

  private:
    double m_frequency{3.5e9};
    double m_bandwidth{20e6};
};

NS_OBJECT_ENSURE_REGISTERED(NrNetwork);

} // namespace

} // namespace ns3::dlearn
