/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-check.h"

#include "dlearn-block-ack.h"

#include "ns3/dlearn-check.h"
#include "ns3/ht-configuration.h"
#include "ns3/multi-user-scheduler.h"
#include "ns3/node.h"
#include "ns3/qos-txop.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/yans-wifi-phy.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

const Time LONG_FRAME_LIFE = Seconds(5);            //!< more blocks a queue for longer
const Time LEAST_ADDBA_TIMEOUT = MilliSeconds(100); //!< less gives up while the medium is busy

/** Settings of best effort, which learners use. */
struct BestEffort
{
    uint64_t ampdu;      //!< BE_MaxAmpduSize
    uint64_t amsdu;      //!< BE_MaxAmsduSize
    uint64_t inactivity; //!< BE_BlockAckInactivityTimeout
    Time response;       //!< AddBaResponseTimeout
    Time life;           //!< MaxDelay of its queue
};

/** @return the settings of a radio of 802.11n or later */
BestEffort
ReadBestEffort(const Ptr<WifiMac>& mac)
{
    const auto read = [&mac](const std::string& name) {
        UintegerValue value;
        mac->GetAttribute(name, value);
        return value.Get();
    };
    const Ptr<QosTxop> txop = mac->GetQosTxop(AC_BE);
    return {read("BE_MaxAmpduSize"),
            read("BE_MaxAmsduSize"),
            txop->GetBlockAckInactivityTimeout(),
            txop->GetAddBaResponseTimeout(),
            txop->GetWifiMacQueue()->GetMaxDelay()};
}

/** @return whether the rates of a radio are those of minstrel-ht */
bool
HasMinstrel(const Ptr<WifiNetDevice>& radio)
{
    return radio->GetRemoteStationManager()->GetInstanceTypeId().GetName() ==
           "ns3::MinstrelHtWifiManager";
}

/** Refuse what stalls, or worse. */
void
RefuseStalls(const std::string& name, const Ptr<WifiNetDevice>& radio, bool kept)
{
    const BestEffort own = ReadBestEffort(radio->GetMac());
    Require(own.amsdu <= LONGEST_AMSDU || !HasMinstrel(radio),
            name,
            ": ns3::WifiMac::BE_MaxAmsduSize must be at most ",
            LONGEST_AMSDU,
            " with minstrel-ht, as a larger frame that no longer fits a slow rate blocks its queue "
            "for ever; got ",
            own.amsdu,
            ", ",
            SAFE_AMSDU,
            " is a good value");
    Require(!DynamicCast<YansWifiPhy>(radio->GetPhy()) ||
                !radio->GetMac()->GetObject<MultiUserScheduler>(),
            name,
            ": a scheduler of OFDMA needs a SpectrumWifiPhy; on the YansWifiPhy of node ",
            radio->GetNode()->GetId(),
            " nothing would be delivered");
    Require(kept || own.ampdu == 0,
            name,
            ": node ",
            radio->GetNode()->GetId(),
            " uses A-MPDU, whose set-up in this ns-3 can stall and corrupts memory when stations "
            "compete; call PrepareWifi() of the network, or set ns3::WifiMac::BE_MaxAmpduSize to "
            "0");
}

/** Warn of what may stall. */
void
WarnOfStalls(std::vector<std::string>& warnings,
             const Ptr<WifiNetDevice>& radio,
             bool canLeave,
             bool kept)
{
    const auto warn = [&warnings](bool when, const std::string& text) {
        if (when && std::find(warnings.begin(), warnings.end(), text) == warnings.end())
        {
            warnings.push_back(text);
        }
    };
    const BestEffort own = ReadBestEffort(radio->GetMac());
    warn(!kept && UsesBlockAcks(radio),
         "Wi-Fi may stall for ever: in this ns-3 the two sides of 802.11ac or ax may disagree on "
         "block acknowledgement, also without A-MPDU; call PrepareWifi() of the network, or use "
         "802.11n without A-MPDU");
    warn(canLeave && own.life > LONG_FRAME_LIFE && (UsesBlockAcks(radio) || HasMinstrel(radio)),
         "Wi-Fi may stall: what waits for a station that is out of range or switched off is sent "
         "again until it is older than ns3::WifiMacQueue::MaxDelay, and frames to others wait "
         "behind it; set it to 1s");
    warn(!kept && UsesBlockAcks(radio) && own.response < LEAST_ADDBA_TIMEOUT,
         "Wi-Fi may stall: block acknowledgement is given up before its set-up is answered when "
         "stations compete; set ns3::QosTxop::AddBaResponseTimeout to 1s");
    warn(own.inactivity > 0,
         "Wi-Fi may stall: block acknowledgement ends after ns3::WifiMac::"
         "BE_BlockAckInactivityTimeout and is set up again while stations compete; set it to 0");
}

} // namespace

std::vector<std::string>
CheckWifi(const std::string& name,
          const std::vector<Ptr<WifiNetDevice>>& radios,
          bool canLeave,
          bool kept)
{
    kept = kept || !BLOCK_ACKS_MAY_DISAGREE;
    std::vector<std::string> warnings;
    for (const auto& radio : radios)
    {
        if (radio->GetHtConfiguration())
        {
            RefuseStalls(name, radio, kept);
            WarnOfStalls(warnings, radio, canLeave, kept);
        }
    }
    return warnings;
}

void
RepairWifi(const std::vector<Ptr<WifiNetDevice>>& radios)
{
    for (const auto& radio : radios)
    {
        if (!radio->GetHtConfiguration())
        {
            continue;
        }
        const Ptr<WifiMac> mac = radio->GetMac();
        const BestEffort own = ReadBestEffort(mac);
        const Ptr<QosTxop> txop = mac->GetQosTxop(AC_BE);
        mac->SetAttribute("BE_MaxAmsduSize",
                          UintegerValue(std::min<uint64_t>(own.amsdu, SAFE_AMSDU)));
        mac->SetAttribute("BE_BlockAckInactivityTimeout", UintegerValue(0));
        txop->SetAttribute("AddBaResponseTimeout", TimeValue(Max(own.response, Seconds(1))));
        txop->GetWifiMacQueue()->SetAttribute("MaxDelay", TimeValue(SHORT_FRAME_LIFE));
        KeepBlockAcks(radio);
    }
}

} // namespace ns3::dlearn
