/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-uplink-allocation.h"

#include "ns3/data-rate.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(UplinkAllocation, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(EqualAllocation, UplinkAllocation);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(ProportionalAllocation, UplinkAllocation);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(MinimalTimeAllocation, UplinkAllocation);
NS_OBJECT_ENSURE_REGISTERED(MinimalEnergyAllocation);

namespace
{

/** @return the values of each client over their sum */
std::vector<double>
Normalize(const std::vector<UplinkNeed>& needs,
          const std::function<double(const UplinkNeed&)>& getValue)
{
    std::vector<double> shares;
    std::transform(needs.begin(), needs.end(), std::back_inserter(shares), getValue);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares)
    {
        share /= sum;
    }
    return shares;
}

/**
 * @param low a number at which a decreasing function is at least 1
 * @param high one at which it is at most 1
 * @return where it is 1, to the last bits
 */
double
FindOne(const std::function<double(double)>& getValue, double low, double high)
{
    for (int k = 0; k < 200 && low < high; ++k)
    {
        const double middle = low + (high - low) / 2;
        (getValue(middle) > 1 ? low : high) = middle;
    }
    return high;
}

/** Sets the rates of the clients of one server. */
class UplinkAllocator : public SimpleRefCount<UplinkAllocator>
{
  public:
    UplinkAllocator(const Federation& federation, Ptr<UplinkAllocation> allocation)
        : m_server(PeekPointer(federation.server)),
          m_allocation(std::move(allocation))
    {
        for (const auto& client : federation.clients)
        {
            AddClient(*client);
        }
    }

    void HandleRound(LearnerId /* server */, uint32_t /* round */)
    {
        const std::vector<LearnerId>& clients = m_server->GetPlan().clients;
        if (clients.empty())
        {
            return;
        }
        std::vector<UplinkNeed> needs;
        for (const LearnerId client : clients)
        {
            needs.push_back(DescribeNeed(m_uplinks.at(client)));
        }
        const std::vector<double> shares = m_allocation->Share(needs);
        for (size_t k = 0; k < clients.size(); ++k)
        {
            const Uplink& uplink = m_uplinks.at(clients[k]);
            const double rate = std::max(1.0, shares[k] * uplink.rate.GetBitRate());
            uplink.device->SetDataRate(DataRate(std::llround(rate)));
        }
    }

  private:
    struct Uplink
    {
        const FederatedClient* client{nullptr};
        Ptr<PointToPointNetDevice> device;
        DataRate rate; //!< with the whole band
        Time delay;
    };

    void AddClient(const FederatedClient& client)
    {
        Uplink uplink;
        uplink.client = &client;
        const Ptr<Node> node = client.GetNode();
        for (uint32_t k = 0; k < node->GetNDevices() && !uplink.device; ++k)
        {
            uplink.device = DynamicCast<PointToPointNetDevice>(node->GetDevice(k));
        }
        Require(uplink.device != nullptr,
                "uplink-allocation needs a point-to-point link of each client, as network p2p and "
                "tree have; client {} has none",
                client.GetLearnerId());
        DataRateValue rate;
        uplink.device->GetAttribute("DataRate", rate);
        uplink.rate = rate.Get();
        TimeValue delay;
        uplink.device->GetChannel()->GetAttribute("Delay", delay);
        uplink.delay = delay.Get();
        m_uplinks[client.GetLearnerId()] = uplink;
    }

    /** The model and the update have the time of one after the other on the client's link. */
    UplinkNeed DescribeNeed(const Uplink& uplink) const
    {
        constexpr double HEADERS = 30; // of IP, UDP and PPP; TCP's differ by less than 1 %
        const auto countBits = [](const MessageExchange::MessageSize& size) {
            return 8 * (static_cast<double>(size.bytes) + HEADERS * size.packets);
        };
        const double rate = uplink.rate.GetBitRate();
        const auto model = m_server->GetExchange()->GetMessageSize(ModelChannel::MODEL);
        const auto update = uplink.client->GetExchange()->GetMessageSize(ModelChannel::UPDATE);
        return {countBits(update),
                rate,
                countBits(model) / rate +
                    (uplink.delay + uplink.client->GetTrainingTime()).GetSeconds()};
    }

    FederatedServer* m_server;
    Ptr<UplinkAllocation> m_allocation;
    std::map<LearnerId, Uplink> m_uplinks; //!< by client
};

} // namespace

std::vector<double>
EqualAllocation::Share(const std::vector<UplinkNeed>& needs) const
{
    return Normalize(needs, [](const UplinkNeed& /* need */) { return 1; });
}

std::vector<double>
ProportionalAllocation::Share(const std::vector<UplinkNeed>& needs) const
{
    return Normalize(needs, [](const UplinkNeed& need) { return need.bits / need.rate; });
}

std::vector<double>
MinimalTimeAllocation::Share(const std::vector<UplinkNeed>& needs) const
{
    double last = 0;  // when the last one is ready
    double whole = 0; // time of all updates, one after the other
    for (const UplinkNeed& need : needs)
    {
        last = std::max(last, need.begin);
        whole += need.bits / need.rate;
    }
    const auto sum = [&needs](double end) {
        return std::accumulate(needs.begin(), needs.end(), 0.0, [end](double sum, const auto& n) {
            return sum + n.bits / (n.rate * (end - n.begin));
        });
    };
    const double end = FindOne(sum, last, last + whole);
    return Normalize(needs, [end](const UplinkNeed& need) {
        return need.bits / (need.rate * (end - need.begin));
    });
}

TypeId
MinimalEnergyAllocation::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<MinimalEnergyAllocation, UplinkAllocation>(
            "ns3::dlearn::MinimalEnergyAllocation")
            .AddAttribute("Deadline",
                          "Time after the opening of a round by which updates arrive if possible",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&MinimalEnergyAllocation::m_deadline),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

std::vector<double>
MinimalEnergyAllocation::Share(const std::vector<UplinkNeed>& needs) const
{
    const double deadline = m_deadline.GetSeconds();
    const auto getLeast = [deadline](const UplinkNeed& need) {
        return need.bits / (need.rate * (deadline - need.begin));
    };
    double least = 0;
    for (const UplinkNeed& need : needs)
    {
        const double share = getLeast(need);
        least += share > 0 && std::isfinite(share) ? share : 2; // it is too late
    }
    if (least > 1)
    {
        return CreateObject<MinimalTimeAllocation>()->Share(needs);
    }
    const auto getShare = [&getLeast](const UplinkNeed& need, double factor) {
        return std::max(getLeast(need), factor * std::sqrt(need.bits / need.rate));
    };
    const auto sum = [&](double inverse) {
        return std::accumulate(needs.begin(), needs.end(), 0.0, [&](double sum, const auto& need) {
            return sum + getShare(need, 1 / inverse);
        });
    };
    double most = 0; // of the inverse of the factor: then the roots alone have the sum 1
    for (const UplinkNeed& need : needs)
    {
        most += std::sqrt(need.bits / need.rate);
    }
    // At least the roots' own sum, as the lower bounds only add.
    double high = most;
    while (sum(high) > 1 && high < 1e6 * most)
    {
        high *= 2;
    }
    const double factor = 1 / FindOne(sum, most, high);
    return Normalize(needs, [&](const UplinkNeed& need) { return getShare(need, factor); });
}

void
AllocateUplinks(const Federation& federation, Ptr<UplinkAllocation> allocation)
{
    Require(federation.server->GetSchedule()->IsSynchronous(),
            "uplink-allocation needs synchronous rounds (mode sync), in which clients send at the "
            "same time");
    Require(federation.edges.empty(),
            "uplink-allocation needs clients of one server, without tiers and aggregate-at");
    const auto allocator = Create<UplinkAllocator>(federation, allocation);
    federation.server->TraceConnectWithoutContext(
        "RoundBegin",
        MakeCallback(&UplinkAllocator::HandleRound, allocator));
}

} // namespace ns3::dlearn
