/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-table.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-host-tcp-socket.h"
#include "ns3/dlearn-results-summary.h"
#include "ns3/dlearn-run-warnings.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>

namespace ns3::dlearn
{

namespace
{

/** @return a number with three significant digits */
std::string
WriteShort(double number)
{
    std::ostringstream text;
    text << std::setprecision(3) << number;
    return text.str();
}

/** @return a number of bytes with a suitable unit */
std::string
WriteBytes(uint64_t bytes)
{
    const auto number = static_cast<double>(bytes);
    return bytes >= 1000000 ? WriteShort(number / 1e6) + " MB"
           : bytes >= 10000 ? WriteShort(number / 1e3) + " kB"
                            : std::to_string(bytes) + " bytes";
}

} // namespace

void
RunForecast::Kind::AddWay(const Transport& transport, uint64_t packets, double packetLoss)
{
    loss = std::max(loss, packetLoss);
    whole = std::min(whole, transport.GetWholeShare(packets, packetLoss));
}

RunForecast::RunForecast(const std::vector<Ptr<LearnerApplication>>& learners,
                         const Network& network)
    : m_ofNetwork(network.GetWarnings())
{
    for (const auto& learner : learners)
    {
        const Node& node = *learner->GetNode();
        if (DynamicCast<const TcpTransport>(learner->GetExchange()->GetTransport()) &&
            node.GetObject<HostTcpSocketFactory>())
        {
            m_tcpObstacle = HostTcpSocketFactory::FindObstacle(node);
        }
        m_parameters = std::max<size_t>(m_parameters, learner->GetLearnerRule()->GetModel().size());
        if (const auto peer = DynamicCast<PeerApplication>(learner))
        {
            AddPeer(*peer, network);
            m_peers.push_back(peer);
        }
        else if (const auto server = DynamicCast<FederatedServer>(learner))
        {
            AddFederation(*server, learners, network);
            m_server = server;
        }
        if (!learner->IsByzantine() && learner->GetTrainingTime().IsStrictlyPositive())
        {
            m_trainings.push_back(learner->GetTrainingTime());
        }
    }
    std::sort(m_trainings.begin(), m_trainings.end());
}

void
RunForecast::AddPeer(PeerApplication& peer, const Network& network)
{
    if (m_kinds.empty())
    {
        m_kinds.push_back({"message", {}, 0, 1, true});
    }
    Kind& kind = m_kinds.front();
    BooleanValue partial;
    peer.GetAttribute("UsePartial", partial);
    kind.partial = kind.partial && partial.Get();
    const auto transport = peer.GetExchange()->GetTransport();
    for (const RuleChannel& channel : peer.GetRule()->GetChannels())
    {
        const auto size = peer.GetExchange()->GetMessageSize(channel.channel);
        kind.size = size.bytes > kind.size.bytes ? size : kind.size;
        double loss = 0;
        for (const auto& [receiver, weight] : channel.neighbors.out)
        {
            loss = std::max(loss, network.GetLoss(peer.GetLearnerId(), receiver));
        }
        kind.AddWay(*transport, size.packets, loss);
    }
}

void
RunForecast::AddFederation(FederatedServer& server,
                           const std::vector<Ptr<LearnerApplication>>& learners,
                           const Network& network)
{
    const LearnerId self = network.GetHost(server.GetLearnerId());
    const auto transport = server.GetExchange()->GetTransport();
    Kind model{"model", server.GetExchange()->GetMessageSize(ModelChannel::MODEL), 0, 1, false};
    BooleanValue partial;
    server.GetAttribute("UsePartial", partial);
    Kind update{"update", {}, 0, 1, partial.Get()};
    for (const LearnerId client : server.GetClients())
    {
        const auto exchange = learners[client]->GetExchange();
        const auto size = exchange->GetMessageSize(ModelChannel::UPDATE);
        update.size = size.bytes > update.size.bytes ? size : update.size;
        const LearnerId host = network.GetHost(client);
        model.AddWay(*transport, model.size.packets, network.GetLoss(self, host));
        update.AddWay(*exchange->GetTransport(), size.packets, network.GetLoss(host, self));
    }
    m_kinds = {model, update};
}

void
RunForecast::Describe(std::ostream& title) const
{
    title << m_parameters << " parameters";
    const bool alike = m_kinds.size() == 2 && m_kinds[0].size.bytes == m_kinds[1].size.bytes &&
                       m_kinds[0].whole == m_kinds[1].whole;
    for (size_t k = 0; k < (alike ? 1 : m_kinds.size()); ++k)
    {
        const Kind& kind = m_kinds[k];
        title << ", " << (alike ? "message" : kind.name) << " of " << WriteBytes(kind.size.bytes)
              << " in " << kind.size.packets << " packet" << (kind.size.packets == 1 ? "" : "s");
        if (kind.whole < 1)
        {
            title << " (whole with probability " << WriteShort(kind.whole) << ")";
        }
    }
    if (!m_trainings.empty())
    {
        const std::string fastest = NameTime(m_trainings.front());
        const std::string slowest = NameTime(m_trainings.back());
        title << ", training of " << (fastest == slowest ? fastest : fastest + " to " + slowest);
    }
}

std::vector<std::string>
RunForecast::FindWarnings() const
{
    std::vector<std::string> warnings = m_ofNetwork;
    if (!m_tcpObstacle.empty())
    {
        warnings.push_back(
            "tcp-stack is host, which does not have " + m_tcpObstacle +
            ": the TCP of ns-3 is used, which on short paths takes several times as long as that "
            "of hosts where packets are lost");
    }
    for (const Kind& kind : m_kinds)
    {
        if (kind.whole < LEAST_WHOLE && !kind.partial)
        {
            const bool one = kind.size.packets == 1;
            warnings.push_back("every " + kind.name + " is " + std::to_string(kind.size.packets) +
                               (one ? " packet" : " packets") +
                               ", and arrives whole with probability " + WriteShort(kind.whole) +
                               " where " + WriteShort(kind.loss) +
                               " of the packets are lost; use transport tcp" +
                               (one ? "" : ", compress, or a smaller task"));
        }
    }
    if (!m_trainings.empty() && m_server)
    {
        AddServerWarnings(warnings);
    }
    if (!m_trainings.empty() && !m_peers.empty())
    {
        AddPeerWarnings(warnings);
    }
    return warnings;
}

void
RunForecast::AddServerWarnings(std::vector<std::string>& warnings) const
{
    const Time timeout = m_server->GetResponseTimeout();
    const auto late = std::count_if(m_trainings.begin(), m_trainings.end(), [&](Time training) {
        return training > timeout; // the default is as long as the slowest trains
    });
    if (late > 0)
    {
        warnings.push_back("timeout is " + NameTime(timeout) + ", but " + std::to_string(late) +
                           " of " + std::to_string(m_trainings.size()) +
                           " clients train longer, and the server does not wait for them; it must "
                           "be more than " +
                           NameTime(m_trainings.back()));
    }
    const Time deadline = m_server->GetSchedule()->GetDeadline();
    if (deadline.IsStrictlyPositive() && deadline <= m_trainings.front())
    {
        warnings.push_back("deadline is " + NameTime(deadline) +
                           ", but all clients train longer, and no update comes in time; it must "
                           "be more than " +
                           NameTime(m_trainings.front()));
    }
}

void
RunForecast::AddPeerWarnings(std::vector<std::string>& warnings) const
{
    const auto policy = m_peers.front()->GetRoundPolicy();
    const Time deadline = policy->GetDeadline();
    PointerValue missing;
    m_peers.front()->GetAttribute("MissingPolicy", missing);
    const bool waits = !missing.Get<MissingPolicy>()->MayClose();
    if (!policy->IsAsynchronous() && !waits && deadline.IsStrictlyPositive() &&
        deadline <= m_trainings.front())
    {
        warnings.push_back("deadline is " + NameTime(deadline) +
                           ", but all learners train longer, and rounds close before messages "
                           "come; it must be more than " +
                           NameTime(m_trainings.front()));
    }
    const Time timeout = m_peers.front()->GetResponseTimeout();
    const Time difference = m_trainings.back() - m_trainings.front();
    if (!policy->IsAsynchronous() && difference >= timeout)
    {
        warnings.push_back("timeout is " + NameTime(timeout) +
                           ", but the slowest learner trains longer than the fastest by " +
                           NameTime(difference) +
                           ", and is not waited for; it must be more than that");
    }
}

namespace
{

/**
 * @param table gets a column with the number in four significant digits, or a dash for NaN
 * @param value the number
 * @param width of the column
 */
void
PrintCell(std::ostream& table, double value, int width)
{
    table << std::setw(width) << FormatRounded(value);
}

/**
 * @param table gets a column with the number, or a dash for NaN
 * @param value the number
 * @param width of the column
 * @param decimals digits after the point
 */
void
PrintFixedCell(std::ostream& table, double value, int width, int decimals)
{
    std::ostringstream text; // keeps the format of the table
    text << std::fixed << std::setprecision(decimals) << value;
    table << std::setw(width) << (std::isnan(value) ? "-" : text.str());
}

/** @return name of a run, with its end if it is incomplete: `private (interrupted)` */
std::string
GetTitle(const NamedRun& run)
{
    const std::string& status = run.results.status;
    return run.name + (status == "complete" ? "" : " (" + status + ")");
}

} // namespace

void
PrintEnergy(std::ostream& table, const RunResults& results)
{
    if (results.energy.empty())
    {
        return;
    }
    table << "\n"
          << FormatRounded(results.GetTotalEnergy()) << " J spent by " << results.energy.size()
          << (results.energy.size() == 1 ? " learner" : " learners");
    for (const auto& [learner, joules] : results.energy)
    {
        if (results.roles.at(learner) == "server")
        {
            table << ", " << FormatRounded(joules) << " J of it by the server";
        }
    }
    const auto& battery = results.battery;
    const auto least =
        std::min_element(battery.begin(), battery.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
    if (least != battery.end())
    {
        table << "; learner " << least->first << " has the least left, "
              << FormatRounded(least->second) << " J";
    }
    table << std::endl;
}

void
PrintEvents(std::ostream& table, const RunResults& results)
{
    std::map<std::string, size_t> counts;
    for (const RunEvent& event : results.timeline)
    {
        ++counts[event.event];
    }
    std::string text;
    for (const auto& [event, count] : counts)
    {
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + event;
    }
    if (!text.empty())
    {
        table << "\nEvents: " << text << std::endl;
    }
}

void
PrintRoundTitles(std::ostream& table)
{
    table << "  time (s)  round  learners        loss  accuracy       error     epsilon  "
             "delivered\n";
}

void
PrintRound(std::ostream& table, const RoundSummary& summary)
{
    PrintFixedCell(table, summary.time.GetSeconds(), 10, 3);
    table << std::setw(7) << summary.round << std::setw(10) << summary.learners;
    PrintCell(table, summary.mean.loss, 12);
    PrintFixedCell(table, summary.mean.accuracy, 10, 4);
    PrintCell(table, summary.mean.error, 12);
    PrintCell(table, summary.epsilon, 12);
    PrintFixedCell(table, 100 * summary.delivered, 10, 1);
    table << (std::isnan(summary.delivered) ? "" : "%") << std::endl;
}

void
PrintComparison(std::ostream& table, const std::vector<NamedRun>& runs)
{
    const std::vector<std::string> metrics{"loss", "accuracy", "error"};
    const bool measured = std::any_of(runs.begin(), runs.end(), [](const NamedRun& run) {
        return !run.results.energy.empty();
    });
    size_t width = 12;
    for (const NamedRun& run : runs)
    {
        width = std::max(width, GetTitle(run).size() + 2);
    }
    table << "\n" << std::setw(static_cast<int>(width)) << "run";
    for (const char* column : {"time (s)", "rounds", "loss", "accuracy", "error", "epsilon"})
    {
        table << std::setw(10) << column;
    }
    table << (measured ? "  energy (J)" : "");
    for (const NamedRun& run : runs)
    {
        const ResultsSummary summary = Summarize(run.results);
        const EvaluatedRound& last = summary.last;
        table << "\n" << std::setw(static_cast<int>(width)) << GetTitle(run);
        PrintCell(table, last.time.GetSeconds(), 10);
        table << std::setw(10) << summary.rounds;
        for (const std::string& metric : metrics)
        {
            const auto found = last.metrics.find(metric);
            const bool there = found != last.metrics.end();
            PrintCell(table, there ? found->second.GetMean() : Evaluation::NONE, 10);
        }
        PrintCell(table, summary.epsilonMax, 10);
        if (measured)
        {
            PrintCell(table, run.results.GetTotalEnergy(), 12);
        }
    }
    table << std::endl;
}

} // namespace ns3::dlearn
