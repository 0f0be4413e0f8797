/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-algorithms.h"

#include "ns3/dlearn-dola.h"
#include "ns3/dlearn-dp-sgd-growing.h"
#include "ns3/dlearn-dsgd.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-pdop.h"
#include "ns3/dlearn-push-sum-sgd.h"
#include "ns3/dlearn-ternary-sgd.h"

namespace ns3::dlearn
{

const std::vector<std::pair<std::string, TypeId>>&
GetPeerAlgorithms()
{
    static const std::vector<std::pair<std::string, TypeId>> algorithms{
        {"ldp-online", LdpOnline::GetTypeId()},
        {"dsgd", Dsgd::GetTypeId()},
        {"dola", Dola::GetTypeId()},
        {"pdop", Pdop::GetTypeId()},
        {"push-sum", PushSumSgd::GetTypeId()},
        {"dp-sgd", DpSgdGrowing::GetTypeId()},
        {"ternary", TernarySgd::GetTypeId()}};
    return algorithms;
}

std::string
ListPeerAlgorithms()
{
    const auto& algorithms = GetPeerAlgorithms();
    std::string list;
    for (size_t k = 0; k < algorithms.size(); ++k)
    {
        list += k == 0 ? "" : k + 1 < algorithms.size() ? ", " : " or ";
        list += algorithms[k].first;
    }
    return list;
}

} // namespace ns3::dlearn
