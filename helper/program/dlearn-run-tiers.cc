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
#include <set>
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
    Require(reader.Next(line) && line == "client,edge",
            "{}: the first line must be client,edge, got '{}'",
            path,
            line);
    std::map<uint32_t, std::vector<LearnerId>> edges;
    std::set<LearnerId> known;
    while (reader.Next(line))
    {
        const auto fields = SplitCsvFields(line);
        const auto client = ParseWholeNumber(fields.front().text);
        const auto edge = ParseWholeNumber(fields.back().text);
        Require(fields.size() == 2 && client && edge && *client <= MOST_CLIENTS,
                "{}: must be the numbers of a client and of its edge server, got '{}'",
                reader.GetPlace(),
                line);
        Require(known.insert(*client).second,
                "{}: client {} has an edge server already",
                reader.GetPlace(),
                *client);
        edges[*edge].push_back(*client);
    }
    Require(!known.empty(), "{}: needs a line for each client", path);
    const auto check = [&](const char* what, size_t count, uint32_t first, uint32_t last) {
        Require(first == 1 && last == count,
                "{}: {} must be numbered 1, 2, ... without gaps; got {} from {} to {}",
                path,
                what,
                count,
                first,
                last);
    };
    check("edge servers", edges.size(), edges.begin()->first, edges.rbegin()->first);
    check("clients", known.size(), *known.begin(), *known.rbegin());
    EdgeClients clients;
    for (auto& [edge, own] : edges)
    {
        std::sort(own.begin(), own.end());
        clients.push_back(std::move(own));
    }
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
