/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-network.h"

#include "dlearn-wifi-stalls.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/he-configuration.h"
#include "ns3/log.h"
#include "ns3/mobility-helper.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-phy.h"
#include "ns3/yans-wifi-phy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnWifiNetwork");

namespace
{

constexpr double NO_POWER_DBM = -1000;

/** @return whether a node is a vehicle that is not on the roads now */
bool
IsAbsent(const Ptr<MobilityModel>& place)
{
    const auto vehicle = dynamic_cast<const VehicleMobility*>(PeekPointer(place));
    return vehicle && !vehicle->IsPresent();
}

/**
 * Last of a chain of propagation loss models: there is no power from or to a vehicle that is not on
 * the roads. Refuses a received power that is NaN or infinitely large, which some models return
 * outside the range of their formula, and with which ns-3's radios crash.
 */
class ReceivedPowerCheck : public PropagationLossModel
{
  public:
    static TypeId GetTypeId()
    {
        // Without a constructor, users cannot choose it.
        static TypeId tid = TypeId("ns3::dlearn::ReceivedPowerCheck")
                                .SetParent<PropagationLossModel>()
                                .SetGroupName("Dlearn");
        return tid;
    }

  private:
    double DoCalcRxPower(double power,
                         Ptr<MobilityModel> from,
                         Ptr<MobilityModel> to) const override
    {
        Require(power < std::numeric_limits<double>::infinity(),
                // nor NaN
                "path-loss and fading must give a power for all places; between ",
                from->GetPosition(),
                " and ",
                to->GetPosition(),
                " the received power is ",
                power,
                " dBm, as heights, distance or attributes are outside of what the model is made "
                "for");
        return IsAbsent(from) || IsAbsent(to) ? NO_POWER_DBM : power;
    }

    int64_t DoAssignStreams(int64_t /* stream */) override { return 0; }
};

NS_OBJECT_ENSURE_REGISTERED(ReceivedPowerCheck);

/** An IEEE 802.11 standard. */
struct Standard
{
    std::string name;
    WifiStandard value;
    std::string band;      //!< name of the band in ns-3
    uint32_t widest;       //!< largest channel width, in MHz
    std::string dataMode;  //!< for unicast, with the range of preambles
    std::string groupMode; //!< for broadcast: the fastest mode of all stations with that range
    std::string basicMode; //!< for control frames

    static constexpr const char* OPTION = "wifi-standard";
};

/** @return a standard at 5 GHz */
Standard
At5Ghz(const char* name, WifiStandard value, uint32_t widest, const char* dataMode)
{
    return {name, value, "BAND_5GHZ", widest, dataMode, "OfdmRate24Mbps", "OfdmRate6Mbps"};
}

const std::vector<Standard> STANDARDS{At5Ghz("a", WIFI_STANDARD_80211a, 20, "OfdmRate24Mbps"),
                                      {"g",
                                       WIFI_STANDARD_80211g,
                                       "BAND_2_4GHZ",
                                       20,
                                       "ErpOfdmRate24Mbps",
                                       "ErpOfdmRate24Mbps",
                                       "ErpOfdmRate6Mbps"},
                                      At5Ghz("n", WIFI_STANDARD_80211n, 40, "HtMcs3"),
                                      At5Ghz("ac", WIFI_STANDARD_80211ac, 160, "VhtMcs3"),
                                      At5Ghz("ax", WIFI_STANDARD_80211ax, 160, "HeMcs3"),
                                      // the usual rate between vehicles
                                      {"p",
                                       WIFI_STANDARD_80211p,
                                       "BAND_5GHZ",
                                       10,
                                       "OfdmRate6MbpsBW10MHz",
                                       "OfdmRate6MbpsBW10MHz",
                                       "OfdmRate6MbpsBW10MHz"}};

/** A preset of transmission parameters. */
struct Preset
{
    std::string name;
    std::string standard; //!< name of the standard
    uint32_t width;       //!< channel width, in MHz
    std::string rates;    //!< one of GetRateManagerFamily()

    static constexpr const char* OPTION = "wifi";
};

const std::vector<Preset> PRESETS{{"n", "n", 20, "ideal"},
                                  {"ac", "ac", 80, "ideal"},
                                  {"ax", "ax", 80, "ideal"},
                                  {"legacy", "n", 20, "constant-rate"},
                                  {"p", "p", 10, "constant-rate"}};

/** Slots that an access category waits after SIFS outside the context of a BSS, where there are no
 *  TXOP: IEEE Std 802.11-2012, table 8-106. The contention windows are the usual ones. */
const std::map<std::string, uint8_t> VEHICLE_AIFSN{{"BK", 9}, {"BE", 6}, {"VI", 3}, {"VO", 2}};

constexpr uint32_t MODERN_AMPDU = 65535; //!< bytes
constexpr uint32_t MODERN_STREAMS = 2;   //!< as in phones

/** Attributes of radios; the last one is the number of transmitted streams. */
const std::vector<const char*> STREAM_ATTRIBUTES{"Antennas",
                                                 "MaxSupportedRxSpatialStreams",
                                                 "MaxSupportedTxSpatialStreams"};

template <typename Entry>
std::string
ListNames(const std::vector<Entry>& entries)
{
    std::vector<std::string> names;
    for (const Entry& entry : entries)
    {
        names.push_back(entry.name);
    }
    return JoinNames(names);
}

/** @return the preset or standard with a name */
template <typename Entry>
const Entry&
Find(const std::vector<Entry>& entries, const std::string& name)
{
    const auto entry =
        std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.name == name; });
    Require(entry != entries.end(),
            Entry::OPTION,
            " must be one of " + ListNames(entries) + "; got '" + name + "'");
    return *entry;
}

/** @return the default of an attribute, if a user has changed it */
std::optional<uint64_t>
FindChosenNumber(const TypeId& type, const std::string& name)
{
    const auto chosen = DynamicCast<const UintegerValue>(FindChosenDefault(type, name));
    return chosen ? std::optional(chosen->Get()) : std::nullopt;
}

/** @return the number of streams, if a user has changed one of the attributes */
std::optional<uint64_t>
FindChosenStreams()
{
    std::optional<uint64_t> streams;
    for (const char* name : STREAM_ATTRIBUTES)
    {
        if (const auto chosen = FindChosenNumber(YansWifiPhy::GetTypeId(), name))
        {
            streams = std::string(name) == STREAM_ATTRIBUTES.back() ? *chosen : 1;
        }
    }
    return streams;
}

/** @return whether a standard has neither aggregation nor block acknowledgement */
bool
IsOld(const std::string& standard)
{
    return standard == "a" || standard == "g" || standard == "p";
}

/** Refuse a rate manager that would abort the program. */
void
RequireRates(const TypeId& rates, const Standard& standard)
{
    // ns-3 reports it only by aborting. Managers of users and of later versions are not checked.
    static const std::set<std::string> old{"ns3::AarfWifiManager",
                                           "ns3::AarfcdWifiManager",
                                           "ns3::AmrrWifiManager",
                                           "ns3::AparfWifiManager",
                                           "ns3::ArfWifiManager",
                                           "ns3::CaraWifiManager",
                                           "ns3::MinstrelWifiManager",
                                           "ns3::OnoeWifiManager",
                                           "ns3::ParfWifiManager",
                                           "ns3::RraaWifiManager",
                                           "ns3::RrpaaWifiManager"};
    Require(old.count(rates.GetName()) == 0 || IsOld(standard.name),
            "rate-manager " + rates.GetName() +
                " needs wifi-standard a, g or p, as it does not know the rates of later ones; got ",
            standard.name);
}

} // namespace

std::string
GetWifiStandardNames()
{
    return ListNames(STANDARDS);
}

const ComponentFamily&
GetRateManagerFamily()
{
    static const ComponentFamily family{"rate-manager",
                                        WifiRemoteStationManager::GetTypeId(),
                                        {"WifiManager"},
                                        true,
                                        {},
                                        {},
                                        "ns3::"};
    return family;
}

const ComponentFamily&
GetPathLossFamily()
{
    static const ComponentFamily family{"path-loss",
                                        PropagationLossModel::GetTypeId(),
                                        {"PropagationLossModel", "LossModel"},
                                        true,
                                        {},
                                        {},
                                        "ns3::",
                                        {},
                                        true}; // the others need buildings or other objects
    return family;
}

NS_OBJECT_ENSURE_REGISTERED(WifiNetwork);

TypeId
WifiNetwork::GetTypeId()
{
    static TypeId tid =
        AddAttributes(MakeTypeId<WifiNetwork, Network>("ns3::dlearn::WifiNetwork"),
                      {"Loss", "Mtu", "QueueSize", "Side", "Mobility", "Speed"})
            .AddAttribute(
                "Preset",
                "Transmission parameters: n (20 MHz), ac, ax (80 MHz): two streams, A-MPDU, block "
                "acknowledgement, ideal rates; legacy: 802.11n at a constant rate without A-MPDU; "
                "p: "
                "802.11p of vehicles, 10 MHz, 6 Mbit/s, only in wifi-adhoc; empty: n in "
                "wifi-infra, otherwise legacy. There is no OFDMA, so ax is not faster "
                "with many stations, no MU-MIMO and no 802.11be",
                StringValue(""),
                MakeStringAccessor(&WifiNetwork::m_preset),
                MakeStringChecker())
            .AddAttribute("Standard",
                          "Letter of the IEEE 802.11 standard, see GetWifiStandardNames(); empty: "
                          "that of the preset",
                          StringValue(""),
                          MakeStringAccessor(&WifiNetwork::m_standard),
                          MakeStringChecker())
            .AddAttribute(
                "Width",
                "Channel width in MHz: 20, 40, 80 or 160, with p 10; 0: that of the preset",
                UintegerValue(0),
                MakeUintegerAccessor(&WifiNetwork::m_width),
                MakeUintegerChecker<uint32_t>(0, 160))
            .AddAttribute("RateManager",
                          "Rate manager, one of GetRateManagerFamily(); empty: that of the preset",
                          StringValue(""),
                          MakeStringAccessor(&WifiNetwork::m_rateManager),
                          MakeStringChecker())
            .AddAttribute("PathLoss",
                          "Path loss model, one of GetPathLossFamily()",
                          StringValue("log-distance"),
                          MakeStringAccessor(&WifiNetwork::m_pathLoss),
                          MakeStringChecker())
            .AddAttribute("Fading",
                          "Additional fading: none, or one of GetPathLossFamily()",
                          StringValue("none"),
                          MakeStringAccessor(&WifiNetwork::m_fading),
                          MakeStringChecker());
    return tid;
}

void
WifiNetwork::CheckFits(const Graph& graph) const
{
    SharedNetwork::CheckFits(graph);
    CheckPositions(GetName(), m_placement, graph.GetSize(), GetFixedLearner());
}

NetDeviceContainer
WifiNetwork::MakeDevices()
{
    const auto fixed = GetFixedLearner();
    m_positions = PlaceLearners(m_placement, m_nodes.GetN(), fixed);
    CompleteRadio();
    InstallMobility(GetName(), m_nodes, m_positions, m_placement, fixed, GetReadyTime());
    m_air = CreateChannel();
    m_devices = InstallDevices(MakeWifiHelper(), MakePhyHelper());
    std::vector<Ptr<WifiNetDevice>> radios;
    for (uint32_t k = 0; k < m_devices.GetN(); ++k)
    {
        const double loss = k < m_nodes.GetN() ? GetLink(k).loss : m_loss;
        const auto device = GetRadio(k);
        if (!device)
        {
            AddLoss(m_devices.Get(k), loss);
            continue;
        }
        Configure(device);
        radios.push_back(device);
        if (loss > 0)
        {
            device->GetPhy()->SetPostReceptionErrorModel(MakeLossModel(loss));
        }
    }
    AddWarnings(CheckWifi(GetName(), radios, CanLeave(), true));
    Simulator::Schedule(GetReadyTime(), [name = GetName()] { EnterBlockAcks(name); });
    return m_devices;
}

void
WifiNetwork::SetPowers(const std::vector<double>& powers)
{
    RequireSize(GetName(), "powers", powers.size(), m_nodes.GetN());
    for (LearnerId id = 0; id < powers.size(); ++id)
    {
        const auto radio = GetRadio(id);
        Check(radio != nullptr, "learner ", id, " is wired and has no power");
        radio->GetPhy()->SetAttribute("TxPowerStart", DoubleValue(powers[id]));
        radio->GetPhy()->SetAttribute("TxPowerEnd", DoubleValue(powers[id]));
    }
}

void
WifiNetwork::SwitchOffAmsdu() const
{
    for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
    {
        if (const auto radio = GetRadio(id))
        {
            radio->GetMac()->SetAttribute("BE_MaxAmsduSize", UintegerValue(0));
        }
    }
}

double
WifiNetwork::GetPower(LearnerId id) const
{
    DoubleValue power;
    GetRadio(id)->GetPhy()->GetAttribute("TxPowerEnd", power);
    return power.Get();
}

Ptr<NetDevice>
WifiNetwork::AddListener(double x, double y, int64_t stream)
{
    Check(m_devices.GetN() > 0, "AddListener() needs Build() first");
    Check(std::isfinite(x) && std::isfinite(y),
          "a listener needs a place in metres, got ",
          x,
          ", ",
          y);
    NodeContainer node;
    node.Create(1);
    const auto place = CreateObject<ConstantPositionMobilityModel>();
    place->SetPosition(Vector(x, y, 0));
    node.Get(0)->AggregateObject(place);
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac"); // does not associate, acknowledges only frames for itself
    const NetDeviceContainer device = MakeWifiHelper().Install(MakePhyHelper(), mac, node);
    WifiHelper().AssignStreams(device, stream);
    return device.Get(0);
}

int64_t
WifiNetwork::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    int64_t next = stream;
    next += Network::AssignStreams(next);
    next += WifiHelper().AssignStreams(m_devices, next);
    next += MobilityHelper().AssignStreams(m_nodes, next);
    next += m_air->AssignStreams(next);
    return next - stream;
}

void
WifiNetwork::CompleteRadio()
{
    const Preset& own = Find(PRESETS, m_preset.empty() ? m_usualPreset : m_preset);
    const Standard& found = Find(STANDARDS, m_standard.empty() ? own.standard : m_standard);
    m_preset = own.name;
    m_standard = found.name;
    m_width = m_width == 0 ? own.width : m_width;
    const bool vehicles = m_standard == "p";
    Require(vehicles ? m_width == 10
                     : m_width == 20 || m_width == 40 || m_width == 80 || m_width == 160,
            "wifi-width must be ",
            vehicles ? "10 with wifi-standard p" : "20, 40, 80 or 160",
            "; got ",
            m_width);
    Require(!vehicles || GetName() == "wifi-adhoc",
            "wifi p and wifi-standard p are for network wifi-adhoc, as vehicles do not associate; "
            "got ",
            GetName());
    Require(m_width <= found.widest,
            "wifi-width must be at most ",
            found.widest,
            " with wifi-standard ",
            found.name,
            "; got ",
            m_width);
    Require(m_rateManager == GetComponentName(m_rateManager),
            "rate-manager takes no attributes, which are set as --ns3::TYPE::ATTRIBUTE=VALUE, got "
            "'" +
                m_rateManager + "'");
    const std::string& rates = m_rateManager.empty() ? own.rates : m_rateManager;
    const TypeId manager = ParseComponent(GetRateManagerFamily(), rates).GetTypeId();
    RequireRates(manager, found);
    m_rateManager = manager.GetName();
    m_pathLossFactory = ParseComponent(GetPathLossFamily(), m_pathLoss);
    if (m_fading != "none")
    {
        ComponentFamily family = GetPathLossFamily();
        family.option = "fading";
        m_fadingFactory = ParseComponent(family, m_fading);
    }
}

std::string
WifiNetwork::Describe() const
{
    const auto names = GetComponentNames(GetRateManagerFamily());
    const auto name = std::find_if(names.begin(), names.end(), [this](const std::string& one) {
        return ParseComponent(GetRateManagerFamily(), one).GetTypeId().GetName() == m_rateManager;
    });
    const uint64_t streams = FindChosenStreams().value_or(IsModern() ? MODERN_STREAMS : 1);
    const bool joins = m_canJoin && !IsOld(m_standard) &&
                       FindChosenNumber(WifiMac::GetTypeId(), "BE_MaxAmpduSize")
                               .value_or(IsModern() ? MODERN_AMPDU : 0) > 0;
    return "Wi-Fi " + m_preset + " (802.11" + m_standard + ", " + std::to_string(m_width) +
           " MHz, " + std::to_string(streams) + (streams == 1 ? " stream, " : " streams, ") +
           "rates by " + (name == names.end() ? m_rateManager : *name) +
           (joins ? ", A-MPDU)" : ", no A-MPDU)");
}

bool
WifiNetwork::IsModern() const
{
    return m_preset != "legacy" && m_preset != "p";
}

WifiStandard
WifiNetwork::GetStandard() const
{
    return Find(STANDARDS, m_standard).value;
}

Ptr<YansWifiChannel>
WifiNetwork::CreateChannel() const
{
    YansWifiChannelHelper helper;
    helper.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    const Ptr<YansWifiChannel> channel = helper.Create();
    const auto loss = m_pathLossFactory.Create<PropagationLossModel>();
    Ptr<PropagationLossModel> last = loss;
    if (m_fadingFactory.IsTypeIdSet())
    {
        last = m_fadingFactory.Create<PropagationLossModel>();
        loss->SetNext(last);
    }
    last->SetNext(CreateObject<ReceivedPowerCheck>());
    channel->SetPropagationLossModel(loss);
    return channel;
}

WifiHelper
WifiNetwork::MakeWifiHelper() const
{
    WifiHelper wifi;
    if (!GetQueues().HasDisc())
    {
        wifi.DisableFlowControl(); // else the interface drops packets without a trace
    }
    wifi.SetStandard(GetStandard());
    wifi.SetRemoteStationManager(m_rateManager);
    return wifi;
}

std::string
WifiNetwork::GetChannelSettings() const
{
    return "{" + std::string(m_standard == "n" && m_width == 20 ? "36" : "0") + ", " +
           std::to_string(m_width) + ", " + Find(STANDARDS, m_standard).band + ", 0}";
}

YansWifiPhyHelper
WifiNetwork::MakePhyHelper() const
{
    YansWifiPhyHelper phy;
    phy.SetChannel(m_air);
    phy.Set("ChannelSettings", StringValue(GetChannelSettings()));
    phy.SetErrorRateModel("ns3::TableBasedErrorRateModel");
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel",
                                  "MinimumRssi",
                                  DoubleValue(WIFI_THRESHOLD_DBM)); // as in RadioGraph()
    if (IsModern() && !FindChosenStreams())
    {
        for (const char* name : STREAM_ATTRIBUTES)
        {
            phy.Set(name, UintegerValue(MODERN_STREAMS));
        }
    }
    return phy;
}

void
WifiNetwork::Configure(Ptr<WifiNetDevice> device) const
{
    const Standard& own = Find(STANDARDS, m_standard);
    SetOwnDefault(device->GetPhy(), "TxPowerStart", DoubleValue(WIFI_POWER_DBM));
    SetOwnDefault(device->GetPhy(), "TxPowerEnd", DoubleValue(WIFI_POWER_DBM));
    const Ptr<WifiRemoteStationManager> manager = device->GetRemoteStationManager();
    // RTS/CTS before frames of two or more packets: with bursts of 60 nodes, each collision then
    // costs a short frame instead of 2.5 ms.
    const auto threshold = SetOwnDefault(manager, "RtsCtsThreshold", UintegerValue(2000));
    LimitRtsRetries(manager, dynamic_cast<const UintegerValue&>(*threshold).Get());
    SetOwnDefault(manager, "NonUnicastMode", StringValue(own.groupMode));
    SetOwnDefault(manager, "DataMode", StringValue(own.dataMode)); // for a constant rate
    SetOwnDefault(manager, "ControlMode", StringValue(own.basicMode));
    if (device->GetHeConfiguration() && IsModern())
    {
        SetOwnDefault(device->GetHeConfiguration(), "GuardInterval", TimeValue(NanoSeconds(800)));
    }
    const Ptr<WifiMac> mac = device->GetMac();
    if (HasTwoRetryCounters())
    {
        SetOwnDefault(manager, "MaxSsrc", UintegerValue(m_retryLimit));
        SetOwnDefault(manager, "MaxSlrc", UintegerValue(m_retryLimit));
    }
    else
    {
        SetOwnDefault(mac, "FrameRetryLimit", UintegerValue(m_retryLimit));
    }
    for (const std::string category : {"BE", "BK", "VI", "VO"})
    {
        PointerValue pointer;
        if (mac->GetAttributeFailSafe(category + "_Txop", pointer) && mac->GetQosSupported())
        {
            ConfigureQueue(device, category, pointer.Get<QosTxop>());
        } // else 802.11a or g
    }
    KeepBlockAcks(device);
}

void
WifiNetwork::ConfigureQueue(const Ptr<WifiNetDevice>& device,
                            const std::string& category,
                            const Ptr<QosTxop>& txop) const
{
    const Ptr<WifiMac> mac = device->GetMac();
    const bool constant = m_rateManager == "ns3::ConstantRateWifiManager";
    const bool mesh = mac->GetInstanceTypeId().GetName() == "ns3::MeshWifiInterfaceMac";
    const bool joins = IsModern() && !mesh && category == "BE"; // learners use only BE
    if (m_standard == "p")
    {
        txop->SetAifsn(VEHICLE_AIFSN.at(category));
        txop->SetTxopLimit(Time(0));
    }
    const auto aggregate =
        SetOwnDefault(mac, category + "_MaxAmpduSize", UintegerValue(joins ? MODERN_AMPDU : 0));
    const uint64_t bytes = dynamic_cast<const UintegerValue&>(*aggregate).Get();
    Require(bytes == 0 || !mesh,
            "ns3::WifiMac::" + category +
                "_MaxAmpduSize must be 0 in mesh networks, whose frames it does not join, got " +
                std::to_string(bytes));
    // A constant rate can always send the largest frame; other rate managers may have to retransmit
    // it at a rate at which it lasts too long, and then ns-3 never sends it.
    SetOwnDefault(mac,
                  category + "_MaxAmsduSize",
                  UintegerValue(!IsModern() && constant ? 7935 : SAFE_AMSDU));
    // With the 1 ms of ns-3.37, a sender under contention gives up a block-ack agreement that its
    // receiver considers established.
    SetOwnDefault(txop, "AddBaResponseTimeout", TimeValue(Seconds(1)));
    const Ptr<WifiMacQueue> queue = txop->GetWifiMacQueue();
    // The default of half a second is shorter than the transmission of a burst of models. But
    // repetitions of a BlockAckReq, and of an RTS with minstrel-ht, end only when the frame
    // expires.
    const bool repeats = UsesBlockAcks(device) || !constant;
    SetOwnDefault(queue,
                  "MaxDelay",
                  TimeValue(CanLeave() && repeats ? SHORT_FRAME_LIFE : Time(Hours(24))));
    if (GetQueues().size && !GetQueues().HasDisc())
    {
        queue->SetMaxSize(*GetQueues().size);
    }
}

} // namespace ns3::dlearn
