/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cellular-network.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-enb-rrc.h"
#include "ns3/lte-helper.h"
#include "ns3/lte-radio-bearer-info.h"
#include "ns3/lte-rlc.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-phy.h"
#include "ns3/lte-ue-power-control.h"
#include "ns3/lte-ue-rrc.h"
#include "ns3/point-to-point-epc-helper.h"
#include "ns3/propagation-loss-model.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/** Places for sounding signals reserved for failed attempts to attach. */
constexpr uint32_t SPARE_PLACES = 40;

/** @return period of the sounding signals in ms, equal to the number of places for them */
uint32_t
ChooseSoundingPeriod(uint32_t clients)
{
    const uint32_t places = clients + std::min(clients, SPARE_PLACES);
    // Periods of the standard from ns-3's default, 40, on.
    const std::initializer_list<uint32_t> periods{40, 80, 160, 320};
    return *std::lower_bound(periods.begin(), periods.end(), places);
}

/** Set dlearn's defaults of the radio where a user has not changed those of ns-3. */
void
SetRadioDefaults(LteHelper& radio)
{
    const std::pair<const char*, double> losses[] = {{"Exponent", 3.76},
                                                     {"ReferenceDistance", 1},
                                                     {"ReferenceLoss", 15.3}};
    for (const auto& [name, value] : losses)
    {
        if (!FindChosenDefault(LogDistancePropagationLossModel::GetTypeId(), name))
        {
            radio.SetPathlossModelAttribute(name, DoubleValue(value));
        }
    }
    for (const char* width : {"DlBandwidth", "UlBandwidth"})
    {
        if (!FindChosenDefault(LteEnbNetDevice::GetTypeId(), width))
        {
            radio.SetEnbDeviceAttribute(width, UintegerValue(50));
        }
    }
}

/**
 * LTE: ns3::LteHelper with its core network (EPC).
 *
 * A cell: a base station (eNB) with 10 MHz (50 resource blocks) in each direction around 2.1 GHz,
 * 43 dBm and a noise figure of 5 dB. Clients (UE): up to 23 dBm with power control, noise figure
 * 9 dB. Antennas are isotropic; there is no fading. Path loss: 128.1 dB + 37.6 log10(distance in
 * km), the urban macro cell of 3GPP TR 36.942 at 2 GHz. Round-robin scheduling: all active clients
 * have equal shares of the resources. Near the base station the cell carries about 29 Mbit/s down
 * and 30 Mbit/s up for all clients together; at 707 m, in the corners of the largest square, a
 * single client receives 18 Mbit/s and sends 2 Mbit/s. Beyond about 850 m clients appear connected
 * but cannot transfer data; Radio::side excludes that.
 *
 * Clients attach at intervals of 4 ms, because most simultaneous attempts collide; see
 * GetReadyTime(). A moving client is handed over (X2) to a base station that it has received 3 dB
 * better for 0.256 s, see ns3::A3RsrpHandoverAlgorithm. Radio::clients follows from the 320 places
 * for sounding signals (SRS) of a base station, some of which failed attempts to attach occupy for
 * a while. A simulated second takes about 0.3 s with ten clients, 5 s with a hundred.
 */
class LteNetwork : public CellularNetwork
{
  public:
    static TypeId GetTypeId();

    std::string GetName() const override { return "lte"; }

  protected:
    Radio GetRadio() const override { return {1000, 280, {"ns3::LteRlcAm", "ns3::LteRlcUm"}}; }

    void CheckFits(const Graph& graph) const override
    {
        CellularNetwork::CheckFits(graph);
        const TypeId client = LteUePhy::GetTypeId();
        const auto control = FindChosenDefault(client, "EnableUplinkPowerControl");
        Check(!FindChosenDefault(client, "TxPower") ||
                  (control && !dynamic_cast<const BooleanValue&>(*control).Get()),
              "ns3::LteUePhy::TxPower has no effect, as clients control their power, of which "
              "ns3::LteUePowerControl::Pcmax is the most; set "
              "ns3::LteUePhy::EnableUplinkPowerControl=false");
    }

    void InstallRadio() override
    {
        const auto core = CreateObject<PointToPointEpcHelper>();
        const auto radio = CreateObject<LteHelper>();
        radio->SetEpcHelper(core);
        radio->SetSchedulerType("ns3::RrFfMacScheduler");
        radio->SetPathlossModelType(LogDistancePropagationLossModel::GetTypeId());
        SetRadioDefaults(*radio);
        if (m_baseStationNumber > 1)
        {
            radio->SetHandoverAlgorithmType("ns3::A3RsrpHandoverAlgorithm");
        }
        const auto stations = radio->InstallEnbDevice(m_baseStations);
        for (uint32_t k = 0; k < stations.GetN(); ++k)
        {
            const auto device = DynamicCast<LteEnbNetDevice>(stations.Get(k));
            SetOwnDefault(device->GetPhy(), "TxPower", DoubleValue(43));
            device->GetRrc()->SetAttribute("SrsPeriodicity",
                                           UintegerValue(ChooseSoundingPeriod(m_clients.GetN())));
        }
        const auto clients = radio->InstallUeDevice(m_clients);
        if (m_baseStationNumber > 1)
        {
            radio->AddX2Interface(m_baseStations);
        }
        UseRadio<LteUeNetDevice, LteEnbNetDevice, LteDataRadioBearerInfo>(
            radio,
            core,
            stations,
            clients,
            [=] {
                for (uint32_t k = 0; k < clients.GetN(); ++k)
                {
                    Simulator::Schedule(MilliSeconds(k * ATTACH_GAP),
                                        [radio, client = clients.Get(k), stations] {
                                            radio->AttachToClosestEnb(client, stations);
                                        });
                }
            });
    }
};

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LteNetwork, CellularNetwork);

} // namespace

} // namespace ns3::dlearn
