/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-uplink.h"

#include "ns3/double.h"
#include "ns3/mobility-model.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/qos-txop.h"
#include "ns3/simulator.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-utils.h"
#include "ns3/yans-wifi-channel.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

constexpr double LONGEST_FRAME = 5.484e-3; //!< seconds
// Seconds of an access besides the data: AIFS, back-off, RTS, CTS, preambles, acknowledgement.
constexpr double ACCESS = 250e-6;
constexpr double LEAST_WINDOW = 15; //!< of best effort in the standard
constexpr double MOST_WINDOW = 1023;

/** @return watts of noise of each radio, whose attribute RxNoiseFigure can only be set */
double
GetNoise(const WifiPhy& phy)
{
    constexpr double KT = 1.3803e-23 * 290; // as in ns-3
    TypeId::AttributeInformation figure;
    WifiPhy::GetTypeId().LookupAttributeByName("RxNoiseFigure", &figure);
    const double decibels = dynamic_cast<const DoubleValue&>(*figure.initialValue).Get();
    return KT * 1e6 * phy.GetChannelWidth() * std::pow(10, decibels / 10);
}

/** @return the largest frame, with all that is aggregated, in bits */
double
GetLargestFrame(const WifiNetDevice& radio)
{
    uint64_t bytes = 1500;
    for (const char* name : {"BE_MaxAmpduSize", "BE_MaxAmsduSize"})
    {
        UintegerValue value;
        radio.GetMac()->GetAttribute(name, value);
        bytes =
            std::max(bytes, radio.GetRemoteStationManager()->GetHtSupported() ? value.Get() : 0);
    }
    return 8.0 * static_cast<double>(bytes);
}

/** @return a device of a channel with an address; null: none */
Ptr<WifiNetDevice>
FindDevice(const Channel& channel, const Address& address)
{
    for (size_t k = 0; k < channel.GetNDevices(); ++k)
    {
        if (channel.GetDevice(k)->GetAddress() == address)
        {
            return DynamicCast<WifiNetDevice>(channel.GetDevice(k));
        }
    }
    return nullptr;
}

} // namespace

/** CWmin of a station, which it keeps when a beacon says otherwise. */
class WifiUplinks::ContentionWindow : public SimpleRefCount<ContentionWindow>
{
  public:
    explicit ContentionWindow(const Ptr<WifiMac>& mac)
        : m_queue(mac->GetQosSupported() ? Ptr<Txop>(mac->GetQosTxop(AC_BE)) : mac->GetTxop())
    {
    }

    void Set(uint32_t slots)
    {
        m_slots = slots;
        m_queue->SetMinCw(slots);
    }

    /** The station takes the window of the beacon after this. */
    void HandleBeacon(Time /* time */)
    {
        if (m_slots > 0)
        {
            Simulator::ScheduleNow([queue = m_queue, slots = m_slots] { queue->SetMinCw(slots); });
        }
    }

  private:
    Ptr<Txop> m_queue;
    uint32_t m_slots{0}; //!< 0: that of beacons
};

void
WifiUplinks::FindRates(const Ptr<WifiNetDevice>& radio)
{
    const Ptr<WifiPhy> phy = radio->GetPhy();
    const Ptr<WifiMac> mac = radio->GetMac();
    const auto manager = radio->GetRemoteStationManager();
    const bool high = manager->GetHtSupported();
    const auto highest = mac->GetHeSupported()        ? WIFI_MOD_CLASS_HE
                         : manager->GetVhtSupported() ? WIFI_MOD_CLASS_VHT
                                                      : WIFI_MOD_CLASS_HT;
    StringValue constant; // a rate that adapts to nothing
    const bool adapts = !manager->GetAttributeFailSafe("DataMode", constant);
    DoubleValue errors(1e-6);
    manager->GetAttributeFailSafe("BerThreshold", errors);
    for (const WifiMode& mode : high ? phy->GetMcsList(highest) : phy->GetModeList())
    {
        if (!adapts && mode.GetUniqueName() != constant.Get())
        {
            continue;
        }
        const bool fixed = !high || highest == WIFI_MOD_CLASS_HT; // streams of a mode
        const uint8_t own = high && fixed ? mode.GetMcsValue() / 8 + 1 : 1;
        for (uint8_t streams = own;
             streams <= (fixed || !adapts ? own : phy->GetMaxSupportedTxSpatialStreams());
             ++streams)
        {
            WifiTxVector vector;
            vector.SetChannelWidth(phy->GetChannelWidth());
            vector.SetNss(streams);
            vector.SetMode(mode);
            if (mode.IsAllowed(vector) && streams <= phy->GetMaxSupportedTxSpatialStreams())
            {
                // Antennas beyond the streams add up what they receive.
                const double spare = std::max(1.0, 1.0 * phy->GetNumberOfAntennas() / streams);
                m_rates.push_back({static_cast<double>(mode.GetDataRate(vector)),
                                   phy->CalculateSnr(vector, errors.Get()) / spare});
            }
        }
    }
    std::sort(m_rates.begin(), m_rates.end(), [](const Rate& a, const Rate& b) {
        return a.snr < b.snr;
    });
}

WifiUplinks::WifiUplinks(const ObjectFactory& pathLoss)
    : m_pathLoss(pathLoss)
{
}

WifiUplinks::~WifiUplinks() = default;

Uplink
WifiUplinks::Find(LearnerId client, const Ptr<WifiNetDevice>& radio)
{
    Station& station = m_stations[client];
    if (!station.radio)
    {
        station.radio = radio;
        station.watts = DbmToW(radio->GetPhy()->GetTxPowerEnd());
        station.window = Create<ContentionWindow>(radio->GetMac());
        radio->GetMac()->TraceConnectWithoutContext(
            "BeaconArrival",
            MakeCallback(&ContentionWindow::HandleBeacon, station.window));
    }
    if (m_rates.empty())
    {
        FindRates(radio);
    }
    const auto mac = DynamicCast<StaWifiMac>(radio->GetMac());
    const auto access =
        mac && mac->IsAssociated() ? FindDevice(*radio->GetChannel(), mac->GetBssid(0)) : nullptr;
    const double noise = GetNoise(*radio->GetPhy());
    double gain = 0; // as far as is known without an access point
    if (access)
    {
        const auto loss = m_pathLoss.Create<PropagationLossModel>();
        loss->AssignStreams(client); // for a random path loss
        gain = DbmToW(30 + loss->CalcRxPower(0,
                                             radio->GetNode()->GetObject<MobilityModel>(),
                                             access->GetNode()->GetObject<MobilityModel>()));
    }
    const double largest = GetLargestFrame(*radio);
    const auto getRate = [largest](double bits) {
        const double frame = std::min(largest, bits * LONGEST_FRAME);
        return frame / (frame / bits + ACCESS);
    };
    Uplink uplink;
    for (const Rate& rate : m_rates)
    {
        const double watts = std::max(rate.snr * noise, DbmToW(WIFI_THRESHOLD_DBM)) / gain;
        const double bits = getRate(rate.bits);
        if (watts > station.watts || (!uplink.modes.empty() && bits <= uplink.modes.back().rate))
        {
            continue;
        }
        if (!uplink.modes.empty() && uplink.modes.back().watts == watts)
        {
            uplink.modes.pop_back();
        }
        uplink.modes.push_back({bits, watts});
    }
    uplink.modes.push_back(
        {uplink.modes.empty() ? getRate(m_rates.front().bits) : uplink.modes.back().rate,
         station.watts});
    return uplink;
}

void
WifiUplinks::Grant(const std::vector<UplinkGrant>& grants)
{
    std::vector<double> windows; // relative
    for (const UplinkGrant& grant : grants)
    {
        const double frame = GetLargestFrame(*m_stations.at(grant.client).radio);
        windows.push_back(std::min(frame / grant.mode.rate, LONGEST_FRAME + ACCESS) / grant.share);
    }
    const double least = *std::min_element(windows.begin(), windows.end());
    for (size_t k = 0; k < grants.size(); ++k)
    {
        const Station& station = m_stations.at(grants[k].client);
        if (grants[k].share > 0)
        {
            station.window->Set(static_cast<uint32_t>(
                std::min(std::round(LEAST_WINDOW * windows[k] / least), MOST_WINDOW)));
        }
        const auto phy = station.radio->GetPhy();
        const double power = WToDbm(grants[k].mode.watts);
        const auto mac = DynamicCast<StaWifiMac>(station.radio->GetMac());
        if (power < phy->GetTxPowerEnd() && mac->IsAssociated())
        {
            // Let `ideal` begin with the slowest rate. Else it repeats frames without RTS, such as
            // acknowledgements of TCP, at the rate of the former power.
            WifiMacHeader header(WIFI_MAC_DATA);
            header.SetAddr1(mac->GetBssid(0));
            const auto manager = station.radio->GetRemoteStationManager();
            manager->ReportRtsOk(header, 0, manager->GetDefaultMode(), 0);
        }
        for (const char* name : {"TxPowerStart", "TxPowerEnd"})
        {
            phy->SetAttribute(name, DoubleValue(power));
        }
    }
}

} // namespace ns3::dlearn
