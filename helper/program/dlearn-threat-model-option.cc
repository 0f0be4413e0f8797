/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-threat-model-option.h"

#include "ns3/dlearn-check.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

std::string
GetThreatModelHelp()
{
    return "who is curious: cdp (those who see the server's models; the server adds "
           "noise to the aggregate), secldp (the server, which sees all messages), byzldp (the "
           "server, to which all Byzantine workers reveal the noise that they share) or ldp (the "
           "server, to which all workers reveal it)";
}

std::string
GetViewHelp()
{
    return "of secldp and byzldp: transcript (all messages are seen) or lemma (the paper's "
           "figures: "
           "its noise and its lemma A.4, by which only those of honest workers are seen; too small "
           "an epsilon when Byzantine workers follow the protocol)";
}

Ptr<const ThreatModel>
ParseThreatModel(const std::string& name,
                 const std::string& view,
                 uint32_t byzantine,
                 uint32_t colluding)
{
    Require(view == "transcript" || view == "lemma",
            "view must be transcript or lemma, got '",
            view,
            "'");
    Require(view == "transcript" || (name != "cdp" && name != "ldp"),
            "view lemma is for threat-model secldp and byzldp, got ",
            name);
    if (name == "cdp")
    {
        return CreateObject<CentralDp>();
    }
    if (name == "ldp")
    {
        return CreateObject<LocalDp>();
    }
    Require(name == "secldp" || name == "byzldp",
            "threat-model must be cdp, ldp, secldp or byzldp, got '",
            name,
            "'");
    const uint32_t tell = name == "byzldp" ? byzantine : colluding;
    if (view == "lemma")
    {
        return CreateObjectWithAttributes<LemmaLocalDp>("Colluding", UintegerValue(tell));
    }
    if (name == "byzldp")
    {
        return CreateObject<ByzantineLocalDp>();
    }
    return CreateObjectWithAttributes<SecretLocalDp>("Colluding", UintegerValue(tell));
}

} // namespace ns3::dlearn
