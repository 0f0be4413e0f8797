/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-warnings.h"

#include "ns3/dlearn-trace-connections.h"
#include "ns3/dlearn-wifi-stalls.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-remote-station-manager.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

namespace ns3::dlearn
{

std::string
NameLearners(const std::set<LearnerId>& learners)
{
    constexpr size_t MOST = 10; // ranges in a line
    std::string text;
    size_t ranges = 0;
    for (auto first = learners.begin(); first != learners.end();)
    {
        auto last = first;
        while (std::next(last) != learners.end() && *std::next(last) == *last + 1)
        {
            ++last;
        }
        if (++ranges > MOST)
        {
            text += ", ...";
            break;
        }
        text += (text.empty() ? "" : ", ") + std::to_string(*first);
        text += first == last ? "" : "-" + std::to_string(*last);
        first = std::next(last);
    }
    return (learners.size() == 1 ? "learner " : "learners ") + text;
}

std::string
NameTime(Time time)
{
    const double seconds = time.GetSeconds();
    std::ostringstream text;
    text.precision(4);
    const auto [factor, unit] = seconds >= 1 || seconds == 0 ? std::pair(1.0, " s")
                                : seconds >= 0.001           ? std::pair(1e3, " ms")
                                                             : std::pair(1e6, " us");
    text << seconds * factor << unit;
    return text.str();
}

std::string
RunWarnings::Write(const Entry& entry)
{
    const std::string who = entry.learners.empty() ? "" : NameLearners(entry.learners);
    return entry.before + who + entry.after;
}

void
RunWarnings::Tell(size_t index)
{
    Entry& entry = m_entries[index];
    entry.told = Write(entry);
    if (m_listener)
    {
        m_listener(entry.told);
    }
}

RunWarnings::~RunWarnings()
{
    for (EventId& call : m_calls)
    {
        call.Cancel();
    }
}

void
RunWarnings::Add(const std::string& warning)
{
    m_entries.push_back({"", warning, "", {}, ""});
    Tell(m_entries.size() - 1);
}

void
RunWarnings::Add(const std::string& kind,
                 LearnerId learner,
                 const std::string& before,
                 const std::string& after)
{
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& entry) {
        return entry.kind == kind;
    });
    if (found != m_entries.end())
    {
        found->learners.insert(learner); // named with all others at the end
        return;
    }
    m_entries.push_back({kind, before, after, {learner}, ""});
    m_calls.push_back(Simulator::ScheduleNow(&RunWarnings::Tell, this, m_entries.size() - 1));
}

std::vector<std::string>
RunWarnings::Finish()
{
    std::vector<std::string> warnings;
    for (size_t k = 0; k < m_entries.size(); ++k)
    {
        Entry& entry = m_entries[k];
        if (entry.told.empty())
        {
            Tell(k);
        }
        else if (Write(entry) != entry.told)
        {
            entry.told = Write(entry);
            if (m_listener)
            {
                m_listener("by the end, " + entry.before + NameLearners(entry.learners));
            }
        }
        warnings.push_back(m_entries[k].told);
    }
    return warnings;
}

namespace
{

constexpr int64_t PATIENCE = 5; //!< seconds without a delivery that are a stall

/** @return `node 3` for the node with an address, else the address */
std::string
NameNodeAt(Mac48Address address)
{
    for (const auto& radio : ListRadios())
    {
        if (radio->GetMac()->GetAddress() == address)
        {
            return "node " + std::to_string(radio->GetNode()->GetId());
        }
    }
    std::ostringstream text;
    text << address;
    return text.str();
}

} // namespace

class WifiWatch::Radio
{
  public:
    Radio(WifiWatch& watch, Ptr<WifiNetDevice> device)
        : m_watch(watch),
          m_device(device)
    {
        const auto mac = device->GetMac();
        m_traces.Add(mac->GetTxopQueue(AC_BE),
                     "Enqueue",
                     MakeCallback(&Radio::HandleEnqueue, this));
        m_traces.Add(mac, "AckedMpdu", MakeCallback(&Radio::HandleAcked, this));
        m_traces.Add(mac, "DroppedMpdu", MakeCallback(&Radio::HandleDropped, this));
        const auto stations = device->GetRemoteStationManager();
        m_traces.Add(stations, "MacTxRtsFailed", MakeCallback(&Radio::HandleFailure, this));
        m_traces.Add(stations, "MacTxDataFailed", MakeCallback(&Radio::HandleFailure, this));
    }

    ~Radio() { m_check.Cancel(); }

  private:
    void HandleEnqueue(Ptr<const WifiMpdu> mpdu)
    {
        const WifiMacHeader& header = mpdu->GetHeader();
        if (!header.IsQosData() || header.GetAddr1().IsGroup() || m_watch.m_stalled)
        {
            return;
        }
        m_failed.try_emplace(header.GetAddr1(), 0);
        if (m_check.IsExpired())
        {
            m_since = Simulator::Now();
            m_check = Simulator::Schedule(Seconds(PATIENCE), &Radio::Check, this);
        }
    }

    void HandleAcked(Ptr<const WifiMpdu> mpdu)
    {
        if (mpdu->GetHeader().IsQosData())
        {
            m_since = Simulator::Now();
            m_failed[mpdu->GetHeader().GetAddr1()] = 0;
        }
    }

    void HandleDropped(WifiMacDropReason reason, Ptr<const WifiMpdu> mpdu)
    {
        const Time life = m_device->GetMac()->GetTxopQueue(AC_BE)->GetMaxDelay();
        if (reason == WIFI_MAC_DROP_EXPIRED_LIFETIME && mpdu->GetHeader().IsQosData() &&
            life < Seconds(1) && !m_watch.m_expired)
        {
            m_watch.m_expired = true;
            m_watch.m_warnings.Add(
                "Wi-Fi drops frames that have waited for longer than " + NameTime(life) +
                ", as those of a burst do; set ns3::WifiMacQueue::MaxDelay to 1s");
        }
    }

    void HandleFailure(Mac48Address receiver) { ++m_failed[receiver]; }

    void Check()
    {
        const uint32_t frames = m_device->GetMac()->GetTxopQueue(AC_BE)->GetNPackets();
        if (frames == 0 || m_watch.m_stalled || IsSwitchedOff(*m_device->GetPhy()))
        {
            m_failed.clear();
            return;
        }
        const Time next = m_since + Seconds(PATIENCE) - Simulator::Now();
        if (next.IsStrictlyPositive())
        {
            m_check = Simulator::Schedule(next, &Radio::Check, this);
            return;
        }
        m_watch.m_stalled = true;
        m_watch.m_warnings.Add("Wi-Fi stalls: node " +
                               std::to_string(m_device->GetNode()->GetId()) +
                               " has delivered nothing for " + std::to_string(PATIENCE) + " s at " +
                               NameTime(Simulator::Now()) + ", while " + std::to_string(frames) +
                               (frames == 1 ? " frame waits" : " frames wait") + ": " + Explain());
    }

    std::string Explain() const
    {
        const auto queue = m_device->GetMac()->GetTxopQueue(AC_BE);
        auto worst = m_failed.end();
        for (auto peer = m_failed.begin(); peer != m_failed.end(); ++peer)
        {
            const auto head = queue->PeekByTidAndAddress(0, peer->first);
            if (!head)
            {
                continue;
            }
            if (head->GetHeader().IsQosAmsdu() && head->GetSize() > LONGEST_AMSDU)
            {
                return "the first, for " + NameNodeAt(peer->first) + ", joins packets to " +
                       std::to_string(head->GetSize()) +
                       " bytes, which last too long at a slow rate, so that it is never sent; set "
                       "ns3::WifiMac::BE_MaxAmsduSize to 3839";
            }
            if (worst == m_failed.end() || peer->second > worst->second)
            {
                worst = peer;
            }
        }
        if (worst != m_failed.end() && worst->second > 0)
        {
            return NameNodeAt(worst->first) + " has not answered " + std::to_string(worst->second) +
                   " attempts: it is out of range, switched off, or the medium is too busy; set "
                   "ns3::WifiMacQueue::MaxDelay to 1s, so that frames to others do not wait behind "
                   "those to it for longer";
        }
        return "nothing was sent; other radios may keep the medium busy, or the rate manager may "
               "choose rates that never arrive: use rate-manager ideal";
    }

    WifiWatch& m_watch;
    Ptr<WifiNetDevice> m_device;
    std::map<Mac48Address, uint32_t> m_failed; //!< attempts since the last acknowledgement
    Time m_since; //!< when frames began to wait, or the last acknowledgement
    EventId m_check;
    TraceConnections m_traces;
};

WifiWatch::WifiWatch(RunWarnings& warnings)
    : m_warnings(warnings)
{
    for (const auto& device : ListRadios())
    {
        if (device->GetMac()->GetQosSupported())
        {
            m_radios.push_back(std::make_unique<Radio>(*this, device));
        }
    }
}

WifiWatch::~WifiWatch() = default;

} // namespace ns3::dlearn
