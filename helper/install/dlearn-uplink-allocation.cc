/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-uplink-allocation.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"

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
DLEARN_TYPE_WITHOUT_ATTRIBUTES(UplinkPower, Object);
NS_OBJECT_ENSURE_REGISTERED(HighestRatePower);
NS_OBJECT_ENSURE_REGISTERED(MinimalEnergyPower);

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

/** Sets the uplinks of the clients of one server. */
class UplinkAllocator : public SimpleRefCount<UplinkAllocator>
{
  public:
    UplinkAllocator(const Federation& federation,
                    Ptr<Network> network,
                    Ptr<UplinkAllocation> allocation,
                    Ptr<UplinkPower> power)
        : m_server(PeekPointer(federation.server)),
          m_network(std::move(network)),
          m_allocation(std::move(allocation)),
          m_power(std::move(power))
    {
        for (const auto& client : federation.clients)
        {
            const LearnerId id = client->GetLearnerId();
            m_clients[id] = PeekPointer(client);
            const Uplink uplink = m_network->FindUplink(id);
            Require(!m_power || uplink.modes.back().watts > 0,
                    "uplink-power needs radios, as those of network wifi-infra; client {} of "
                    "network {} has none",
                    id,
                    m_network->GetName());
        }
    }

    void HandleRound(LearnerId /* server */, uint32_t /* round */)
    {
        const std::vector<LearnerId>& clients = m_server->GetPlan().clients;
        if (clients.empty())
        {
            return;
        }
        std::vector<Uplink> uplinks;
        std::transform(clients.begin(),
                       clients.end(),
                       std::back_inserter(uplinks),
                       [this](LearnerId id) { return m_network->FindUplink(id); });
        const std::vector<UplinkNeed> needs = DescribeNeeds(clients, uplinks);
        const std::vector<double> shares =
            m_allocation ? m_allocation->Share(needs) : EqualAllocation().Share(needs);
        std::vector<UplinkGrant> grants;
        for (size_t k = 0; k < clients.size(); ++k)
        {
            const auto& modes = uplinks[k].modes;
            grants.push_back(
                {clients[k],
                 m_allocation ? shares[k] : 0,
                 m_power ? m_power->Choose(needs[k], shares[k], modes) : modes.back()});
        }
        m_network->GrantUplinks(grants);
    }

  private:
    /** The model and the update have the time of one after the other on the client's link; on a
     *  shared medium, the models of all clients come first. */
    std::vector<UplinkNeed> DescribeNeeds(const std::vector<LearnerId>& clients,
                                          const std::vector<Uplink>& uplinks) const
    {
        constexpr double HEADERS = 30; // of IP, UDP and PPP; TCP's differ by less than 1 %
        const auto countBits = [](const MessageExchange::MessageSize& size) {
            return 8 * (static_cast<double>(size.bytes) + HEADERS * size.packets);
        };
        const double model =
            countBits(m_server->GetExchange()->GetMessageSize(ModelChannel::MODEL));
        const double all = std::accumulate(
            uplinks.begin(),
            uplinks.end(),
            0.0,
            [model](double sum, const auto& u) { return sum + model / u.modes.back().rate; });
        std::vector<UplinkNeed> needs;
        for (size_t k = 0; k < clients.size(); ++k)
        {
            const FederatedClient& client = *m_clients.at(clients[k]);
            const double rate = uplinks[k].modes.back().rate;
            const auto update = client.GetExchange()->GetMessageSize(ModelChannel::UPDATE);
            needs.push_back({countBits(update),
                             rate,
                             (m_network->HasBroadcast() ? all : model / rate) +
                                 (uplinks[k].delay + client.GetTrainingTime()).GetSeconds()});
        }
        return needs;
    }

    FederatedServer* m_server;
    Ptr<Network> m_network;
    Ptr<UplinkAllocation> m_allocation; //!< null: none
    Ptr<UplinkPower> m_power;           //!< null: none
    std::map<LearnerId, const FederatedClient*> m_clients;
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

TypeId
HighestRatePower::GetTypeId()
{
    static TypeId tid = MakeTypeId<HighestRatePower, UplinkPower>("ns3::dlearn::HighestRatePower")
                            .AddAttribute("Margin",
                                          "Decibels of power above the least for a rate",
                                          DoubleValue(1),
                                          MakeDoubleAccessor(&HighestRatePower::m_margin),
                                          MakeDoubleChecker<double>(0, 100));
    return tid;
}

UplinkMode
HighestRatePower::Choose(const UplinkNeed& need,
                         double share,
                         const std::vector<UplinkMode>& modes) const
{
    UplinkMode mode = Pick(need, share, modes);
    mode.watts = std::min(mode.watts * std::pow(10, m_margin / 10), modes.back().watts);
    return mode;
}

UplinkMode
HighestRatePower::Pick(const UplinkNeed& /* need */,
                       double /* share */,
                       const std::vector<UplinkMode>& modes) const
{
    return *std::find_if(modes.begin(), modes.end(), [&modes](const UplinkMode& mode) {
        return mode.rate == modes.back().rate;
    });
}

TypeId
MinimalEnergyPower::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<MinimalEnergyPower, HighestRatePower>("ns3::dlearn::MinimalEnergyPower")
            .AddAttribute("Deadline",
                          "Time after the opening of a round by which updates arrive if possible",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&MinimalEnergyPower::m_deadline),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

UplinkMode
MinimalEnergyPower::Pick(const UplinkNeed& need,
                         double share,
                         const std::vector<UplinkMode>& modes) const
{
    UplinkMode best = HighestRatePower::Pick(need, share, modes);
    for (const UplinkMode& mode : modes)
    {
        const bool inTime = need.begin + need.bits / (share * mode.rate) <= m_deadline.GetSeconds();
        if (inTime && mode.watts / mode.rate < best.watts / best.rate)
        {
            best = mode;
        }
    }
    return best;
}

void
AllocateUplinks(const Federation& federation,
                Ptr<Network> network,
                Ptr<UplinkAllocation> allocation,
                Ptr<UplinkPower> power)
{
    Require(federation.server->GetSchedule()->IsSynchronous(),
            "uplink-allocation and uplink-power need synchronous rounds (mode sync), in which "
            "clients send at the same time");
    Require(federation.edges.empty(),
            "uplink-allocation and uplink-power need clients of one server, without tiers and "
            "aggregate-at");
    const auto allocator = Create<UplinkAllocator>(federation, network, allocation, power);
    federation.server->TraceConnectWithoutContext(
        "RoundBegin",
        MakeCallback(&UplinkAllocator::HandleRound, allocator));
}

} // namespace ns3::dlearn
