/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federation-rounds.h"

#include <algorithm>
#include <functional>

namespace ns3::dlearn
{

namespace
{

/** @return how many rounds of a server are such as a predicate says, and of how many; else empty */
std::string
CountRounds(const FederatedServer& server, const std::function<bool(const RoundRecord&)>& predicate)
{
    const auto& rounds = server.GetRecords();
    const auto count = std::count_if(rounds.begin(), rounds.end(), predicate);
    return count == 0 ? "" : std::to_string(count) + " of " + std::to_string(rounds.size());
}

/** @return a warning of clients that never trained; empty when there are none */
std::string
DescribeSilentClients(const FederatedServer& server,
                      const std::vector<Ptr<LearnerApplication>>& learners,
                      const Graph& graph)
{
    const auto& clients = server.GetClients();
    std::vector<LearnerId> silent;
    for (const auto& learner : learners)
    {
        const LearnerId id = learner->GetLearnerId();
        if (learner->GetRecords().empty() && std::count(clients.begin(), clients.end(), id) > 0)
        {
            silent.push_back(id);
        }
    }
    return silent.empty()
               ? ""
               : std::to_string(silent.size()) + " of " + std::to_string(clients.size()) +
                     " clients never trained on a model: " + ListLearners(graph, silent);
}

} // namespace

std::vector<std::string>
DescribeFederationRounds(const FederatedServer& server,
                         const std::vector<Ptr<LearnerApplication>>& learners,
                         const Graph& graph)
{
    std::vector<std::string> warnings;
    const auto add = [&warnings](const std::string& what, const std::string& rest) {
        if (!what.empty())
        {
            warnings.push_back(what + rest);
        }
    };
    add(CountRounds(server, [](const RoundRecord& round) { return round.received == 0; }),
        " rounds closed without any update in time");
    add(CountRounds(server,
                    [](const RoundRecord& round) { return round.received > 0 && round.used == 0; }),
        " rounds closed with updates of which none was of use (rejected: not finite, malformed, "
        "not of the model's size, or lost in a crash of the server)");
    if (server.GetRecords().size() < server.GetRounds())
    {
        add("only " + std::to_string(server.GetRecords().size()) + " of " +
                std::to_string(server.GetRounds()),
            " rounds were closed");
    }
    add(DescribeSilentClients(server, learners, graph), "");
    return warnings;
}

} // namespace ns3::dlearn
