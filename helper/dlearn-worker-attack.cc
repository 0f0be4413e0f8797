/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-worker-attack.h"

#include "dlearn-component-parser.h"
#include "dlearn-quantity-parser.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/uinteger.h"

#include <set>

namespace ns3
{
namespace dlearn
{

namespace
{

/** Names of attacks that are no Attack. */
const std::set<std::string> OTHERS{"none", "LabelFlip", "silent", "delay", "replay", "flood"};

/**
 * @param text a whole number of at least 1
 * @param attack for the message
 * @return the number
 */
uint32_t
ParseCount(const std::string& text, const std::string& attack)
{
    const uint32_t count = ParseWholeNumber(text).value_or(0);
    Require(count >= 1, "attack ", attack, " needs a whole number of at least 1, got '", text, "'");
    return count;
}

} // namespace

Dataset
FlipLabels(Dataset data)
{
    Require(data.classes > 0, "labels can be flipped in a classification only");
    data.labels = (data.classes - 1.0) - data.labels.array();
    return data;
}

WorkerAttack::WorkerAttack(const std::string& text)
    : m_text(text)
{
    const size_t colon = text.find(':');
    m_name = text.substr(0, colon);
    m_argument = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (OTHERS.count(m_name) == 0)
    {
        m_attack = ParseAttack(text);
        return;
    }
    const bool plain = m_name == "none" || m_name == "LabelFlip" || m_name == "silent";
    Require(!plain || colon == std::string::npos, "attack ", m_name, " has no parameter");
    CreateBehavior(); // refuses a wrong argument
}

bool
WorkerAttack::FlipsLabels() const
{
    return m_name == "LabelFlip";
}

Ptr<ClientBehavior>
WorkerAttack::CreateBehavior() const
{
    if (m_name == "silent")
    {
        return CreateObject<SilentBehavior>();
    }
    if (m_name == "delay")
    {
        const Time delay = ParseTime("attack delay", m_argument);
        return CreateObjectWithAttributes<DelayingBehavior>("Delay", TimeValue(delay));
    }
    if (m_name == "replay")
    {
        const uint32_t age = ParseCount(m_argument, m_name);
        return CreateObjectWithAttributes<ReplayingBehavior>("Age", UintegerValue(age));
    }
    if (m_name == "flood")
    {
        const uint32_t copies = ParseCount(m_argument, m_name);
        return CreateObjectWithAttributes<FloodingBehavior>("Copies", UintegerValue(copies));
    }
    return nullptr;
}

int64_t
WorkerAttack::Install(const Federation& federation,
                      uint32_t byzantine,
                      bool omniscient,
                      HonestView::Defence defence,
                      int64_t stream) const
{
    const auto& clients = federation.clients;
    RequireSize("WorkerAttack",
                "clients",
                std::max<size_t>(clients.size(), byzantine),
                clients.size());
    const auto first = clients.end() - byzantine;
    if (!m_attack)
    {
        for (auto client = first; client != clients.end(); ++client)
        {
            (*client)->SetBehavior(CreateBehavior());
        }
        return 0;
    }
    std::set<LearnerId> honest;
    std::set<LearnerId> members;
    const auto coalition = CreateObject<Coalition>();
    for (auto client = clients.begin(); client != first; ++client)
    {
        honest.insert((*client)->GetLearnerId());
        (*client)->TraceConnectWithoutContext("Update",
                                              MakeCallback(&Coalition::Observe, coalition));
    }
    for (auto client = first; client != clients.end(); ++client)
    {
        members.insert((*client)->GetLearnerId());
        (*client)->SetBehavior(coalition->CreateMember());
    }
    coalition->Setup(m_attack, omniscient ? honest : members, members, std::move(defence));
    return m_attack->AssignStreams(stream);
}

} // namespace dlearn
} // namespace ns3
