/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-radio.h"

#include "dlearn-placement.h"
#include "dlearn-wifi-stalls.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"
#include "ns3/he-configuration.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/yans-wifi-phy.h"

#include <algorithm>
#include <limits>
#include <set>

namespace ns3::dlearn
{

namespace
{

/**
 * Last of a chain of propagation loss models: changes nothing, and refuses a received power that is
 * not a number or infinitely large, which some models give for places or attributes beyond their
 * formula, and which makes radios of ns-3 crash.
 */
class ReceivedPowerCheck : public PropagationLossModel
{
  public:
    static TypeId GetTypeId()
    {
        // No constructor: not for users to choose.
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
        return power;
    }

    int64_t DoAssignStreams(int64_t /* stream */) override { return 0; }
};

NS_OBJECT_ENSURE_REGISTERED(ReceivedPowerCheck);

/** A standard of IEEE 802.11. */
struct Standard
{
    std::string name;      //!< as users write it
    WifiStandard value;    //!< of ns-3
    std::string band;      //!< in which it is used here
    uint32_t widest;       //!< channel, in MHz
    std::string dataMode;  //!< of unicast, at which frames reach as far as preambles
    std::string groupMode; //!< of broadcast: the fastest that all stations know, which does, too
    std::string basicMode; //!< of all other frames

    static constexpr const char* OPTION = "wifi-standard";
};

/** @return a standard of 5 GHz with a mode for data */
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
                                      At5Ghz("ax", WIFI_STANDARD_80211ax, 160, "HeMcs3")};

/** Everything that a user gets by one word. */
struct Preset
{
    std::string name;     //!< as users write it
    std::string standard; //!< as users write it
    uint32_t width;       //!< of the channel, in MHz
    std::string rates;    //!< one of GetRateManagerFamily()

    static constexpr const char* OPTION = "wifi";
};

const std::vector<Preset> PRESETS{{"n", "n", 20, "ideal"},
                                  {"ac", "ac", 80, "ideal"},
                                  {"ax", "ax", 80, "ideal"},
                                  {"legacy", "n", 20, "constant-rate"}};

constexpr uint32_t MODERN_AMPDU = 65535; //!< bytes
constexpr uint32_t MODERN_STREAMS = 2;   //!< as phones have

/** Of radios; the last one says how many streams are sent. */
const std::vector<const char*> STREAM_ATTRIBUTES{"Antennas",
                                                 "MaxSupportedRxSpatialStreams",
                                                 "MaxSupportedTxSpatialStreams"};

/** @return the names of presets or standards */
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

/** @return the default of an attribute that a user has chosen; nothing: none */
std::optional<uint64_t>
FindChosenNumber(const TypeId& type, const std::string& name)
{
    const auto chosen = DynamicCast<const UintegerValue>(FindChosenDefault(type, name));
    return chosen ? std::optional(chosen->Get()) : std::nullopt;
}

/** @return how many streams a user wants, who has changed one of the attributes; nothing: none */
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

/** Refuse a rate manager that would end the program. */
void
RequireRates(const TypeId& rates, const Standard& standard)
{
    // ns-3 tells only by ending the program. Own ones, and those to come, are left to it.
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
    Require(old.count(rates.GetName()) == 0 || standard.name == "a" || standard.name == "g",
            "rate-manager " + rates.GetName() +
                " needs wifi-standard a or g, as it does not know the rates of later ones; got ",
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
                                        true}; // the others need buildings or conditions set up
    return family;
}

WifiRadio
WifiRadio::Parse(const std::string& usual,
                 const std::string& preset,
                 const std::string& standard,
                 uint32_t width,
                 const std::string& rates,
                 const std::string& pathLoss,
                 const std::string& fading)
{
    const Preset& own = Find(PRESETS, preset.empty() ? usual : preset);
    const Standard& found = Find(STANDARDS, standard.empty() ? own.standard : standard);
    WifiRadio radio;
    radio.preset = own.name;
    radio.standard = found.name;
    radio.width = width == 0 ? own.width : width;
    Require(radio.width == 20 || radio.width == 40 || radio.width == 80 || radio.width == 160,
            "wifi-width must be 20, 40, 80 or 160; got ",
            width);
    Require(radio.width <= found.widest,
            "wifi-width must be at most ",
            found.widest,
            " with wifi-standard ",
            found.name,
            "; got ",
            radio.width);
    Require(rates == GetComponentName(rates),
            "rate-manager takes no attributes, which are set as --ns3::TYPE::ATTRIBUTE=VALUE, got "
            "'" +
                rates + "'");
    radio.rates =
        ParseComponent(GetRateManagerFamily(), rates.empty() ? own.rates : rates).GetTypeId();
    RequireRates(radio.rates, found);
    radio.pathLoss = ParseComponent(GetPathLossFamily(), pathLoss);
    if (fading != "none")
    {
        ComponentFamily family = GetPathLossFamily();
        family.option = "fading";
        radio.fading = ParseComponent(family, fading);
    }
    return radio;
}

std::string
WifiRadio::Describe(bool canJoin) const
{
    const auto names = GetComponentNames(GetRateManagerFamily());
    const auto name = std::find_if(names.begin(), names.end(), [this](const std::string& one) {
        return ParseComponent(GetRateManagerFamily(), one).GetTypeId() == rates;
    });
    const bool legacy = preset == "legacy";
    const uint64_t streams = FindChosenStreams().value_or(legacy ? 1 : MODERN_STREAMS);
    const bool joins = canJoin && standard != "a" && standard != "g" &&
                       FindChosenNumber(WifiMac::GetTypeId(), "BE_MaxAmpduSize")
                               .value_or(legacy ? 0 : MODERN_AMPDU) > 0;
    return "Wi-Fi " + preset + " (802.11" + standard + ", " + std::to_string(width) + " MHz, " +
           std::to_string(streams) + (streams == 1 ? " stream, " : " streams, ") + "rates by " +
           (name == names.end() ? rates.GetName() : *name) + (joins ? ", A-MPDU)" : ", no A-MPDU)");
}

WifiStandard
WifiRadio::GetStandard() const
{
    return Find(STANDARDS, standard).value;
}

Ptr<YansWifiChannel>
WifiRadio::CreateChannel() const
{
    YansWifiChannelHelper helper;
    helper.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    const Ptr<YansWifiChannel> channel = helper.Create();
    const auto loss = pathLoss.Create<PropagationLossModel>();
    Ptr<PropagationLossModel> last = loss;
    if (fading.IsTypeIdSet())
    {
        last = fading.Create<PropagationLossModel>();
        loss->SetNext(last);
    }
    last->SetNext(CreateObject<ReceivedPowerCheck>());
    channel->SetPropagationLossModel(loss);
    return channel;
}

WifiHelper
WifiRadio::MakeWifiHelper(const LinkQueues& queues) const
{
    WifiHelper wifi;
    if (!queues.HasDisc())
    {
        wifi.DisableFlowControl(); // else the interface drops what does not fit, without a trace
    }
    wifi.SetStandard(GetStandard());
    wifi.SetRemoteStationManager(rates.GetName());
    return wifi;
}

std::string
WifiRadio::GetChannelSettings() const
{
    return "{" + std::string(standard == "n" && width == 20 ? "36" : "0") + ", " +
           std::to_string(width) + ", " + Find(STANDARDS, standard).band + ", 0}";
}

YansWifiPhyHelper
WifiRadio::MakePhyHelper(Ptr<YansWifiChannel> channel) const
{
    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.Set("ChannelSettings", StringValue(GetChannelSettings()));
    phy.SetErrorRateModel("ns3::TableBasedErrorRateModel");
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel",
                                  "MinimumRssi",
                                  DoubleValue(WIFI_THRESHOLD_DBM)); // of RadioGraph()
    if (preset != "legacy" && !FindChosenStreams())
    {
        for (const char* name : STREAM_ATTRIBUTES)
        {
            phy.Set(name, UintegerValue(MODERN_STREAMS));
        }
    }
    return phy;
}

void
WifiRadio::Configure(Ptr<WifiNetDevice> device,
                     uint32_t retryLimit,
                     const LinkQueues& queues,
                     bool canLeave) const
{
    const Standard& own = Find(STANDARDS, standard);
    SetOwnDefault(device->GetPhy(), "TxPowerStart", DoubleValue(WIFI_POWER_DBM));
    SetOwnDefault(device->GetPhy(), "TxPowerEnd", DoubleValue(WIFI_POWER_DBM));
    const Ptr<WifiRemoteStationManager> manager = device->GetRemoteStationManager();
    // RTS/CTS before frames of two packets or more: among 60 nodes that all have a burst to
    // send, collisions then cost a short frame each instead of 2.5 ms.
    const auto threshold = SetOwnDefault(manager, "RtsCtsThreshold", UintegerValue(2000));
    LimitRtsRetries(manager, dynamic_cast<const UintegerValue&>(*threshold).Get());
    SetOwnDefault(manager, "NonUnicastMode", StringValue(own.groupMode));
    SetOwnDefault(manager, "DataMode", StringValue(own.dataMode)); // of a constant rate
    SetOwnDefault(manager, "ControlMode", StringValue(own.basicMode));
    if (device->GetHeConfiguration() && preset != "legacy")
    {
        SetOwnDefault(device->GetHeConfiguration(), "GuardInterval", TimeValue(NanoSeconds(800)));
    }
    const Ptr<WifiMac> mac = device->GetMac();
    if (HasTwoRetryCounters())
    {
        SetOwnDefault(manager, "MaxSsrc", UintegerValue(retryLimit));
        SetOwnDefault(manager, "MaxSlrc", UintegerValue(retryLimit));
    }
    else
    {
        SetOwnDefault(mac, "FrameRetryLimit", UintegerValue(retryLimit));
    }
    for (const std::string category : {"BE", "BK", "VI", "VO"})
    {
        PointerValue pointer;
        if (mac->GetAttributeFailSafe(category + "_Txop", pointer) && mac->GetQosSupported())
        {
            ConfigureQueue(device, category, pointer.Get<QosTxop>(), queues, canLeave);
        } // else it is of 802.11a or g
    }
    KeepBlockAcks(device);
}

void
WifiRadio::ConfigureQueue(const Ptr<WifiNetDevice>& device,
                          const std::string& category,
                          const Ptr<QosTxop>& txop,
                          const LinkQueues& queues,
                          bool canLeave) const
{
    const Ptr<WifiMac> mac = device->GetMac();
    const bool constant = rates.GetName() == "ns3::ConstantRateWifiManager";
    const bool mesh = mac->GetInstanceTypeId().GetName() == "ns3::MeshWifiInterfaceMac";
    const bool joins = preset != "legacy" && !mesh && category == "BE"; // learners use no other
    const auto aggregate =
        SetOwnDefault(mac, category + "_MaxAmpduSize", UintegerValue(joins ? MODERN_AMPDU : 0));
    const uint64_t bytes = dynamic_cast<const UintegerValue&>(*aggregate).Get();
    Require(bytes == 0 || !mesh,
            "ns3::WifiMac::" + category +
                "_MaxAmpduSize must be 0 in mesh networks, whose frames it does not join, got " +
                std::to_string(bytes));
    // A constant rate sends the largest frame always; others may have to send it again at a rate at
    // which it lasts too long, and then ns-3 never sends it.
    SetOwnDefault(mac,
                  category + "_MaxAmsduSize",
                  UintegerValue(preset == "legacy" && constant ? 7935 : SAFE_AMSDU));
    // Of block ack agreements: with the 1 ms of ns-3.37, a sender under contention gives up an
    // agreement that its receiver considers established.
    SetOwnDefault(txop, "AddBaResponseTimeout", TimeValue(Seconds(1)));
    const Ptr<WifiMacQueue> queue = txop->GetWifiMacQueue();
    // Half a second, the default, is less than a burst of models takes to get through. But only age
    // ends the repetitions of a BlockAckReq, and those of an RTS with minstrel-ht.
    const bool repeats = UsesBlockAcks(device) || !constant;
    SetOwnDefault(queue,
                  "MaxDelay",
                  TimeValue(canLeave && repeats ? SHORT_FRAME_LIFE : Time(Hours(24))));
    if (queues.size && !queues.HasDisc())
    {
        queue->SetMaxSize(*queues.size);
    }
}

} // namespace ns3::dlearn
