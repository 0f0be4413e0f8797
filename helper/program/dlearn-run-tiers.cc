/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-tiers.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t MOST_CLIENTS = 100000; //!< as of the option learners

/** @return the clients of each edge server of a file */
EdgeClients
ReadTiers(const std::string& path)
{
    LineReader reader(path);
    std::string line;
    Require(reader.Next(line) && line == "client,edge", "{}: must begin with client,edge", path);
    std::map<uint32_t, std::vector<LearnerId>> edges;
    while (reader.Next(line))
    {
        const auto fields = SplitCsvFields(line);
        const auto client = ParseWholeNumber(fields.front().text);
        const auto edge = ParseWholeNumber(fields.back().text);
        Require(fields.size() == 2 && client && edge && *client <= MOST_CLIENTS,
                "{}: must be the numbers of a client and of its edge server, got '{}'",
                reader.GetPlace(),
                line);
        edges[*edge].push_back(*client);
    }
    Require(!edges.empty() && edges.begin()->first == 1 && edges.rbegin()->first == edges.size(),
            "{}: edge servers must have the numbers 1, 2, ..., each with a client",
            path);
    EdgeClients clients;
    for (auto& [edge, own] : edges)
    {
        std::sort(own.begin(), own.end());
        clients.push_back(std::move(own));
    }
    FederatedHelper::MakeTiers(clients); // refuses a client without one edge server
    return clients;
}

} // namespace

EdgeClients
ParseTiers(const std::string& text)
{
    if (std::filesystem::exists(text))
    {
        return ReadTiers(text);
    }
    const size_t times = text.find('x');
    const auto edges = ParseWholeNumber(text.substr(0, times));
    const auto each =
        times == std::string::npos ? std::nullopt : ParseWholeNumber(text.substr(times + 1));
    Require(edges && each && *edges > 0 && *each > 0 && uint64_t{*edges} * *each <= MOST_CLIENTS,
            "tiers must be numbers of edge servers and of clients of each, such as 2x10, at most "
            "{} clients in all, or a CSV file with columns client,edge; got '{}'",
            MOST_CLIENTS,
            text);
    EdgeClients clients(*edges, std::vector<LearnerId>(*each));
    LearnerId next = 1;
    for (auto& own : clients)
    {
        std::iota(own.begin(), own.end(), next);
        next += own.size();
    }
    return clients;
}

uint32_t
CountClients(const EdgeClients& edges)
{
    size_t count = 0;
    for (const auto& own : edges)
    {
        count += own.size();
    }
    return static_cast<uint32_t>(count);
}

EdgeClients
PlaceEdges(const std::string& place, Network& network)
{
    EdgeClients edges;
    for (const auto& [node, clients] : network.FindEdges(place))
    {
        network.AddGuests(NodeContainer(node));
        edges.push_back(clients);
    }
    return edges;
}

} // namespace ns3::dlearn
