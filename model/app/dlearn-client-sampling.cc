/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-sampling.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ClientSampling, Object);
NS_OBJECT_ENSURE_REGISTERED(UniformSampling);
NS_OBJECT_ENSURE_REGISTERED(ScheduledSampling);

std::vector<LearnerId>
DrawWithoutReplacement(std::vector<LearnerId> items, size_t count, UniformRandomVariable& random)
{
    Require(count <= items.size(), "DrawWithoutReplacement: ", count, " of ", items.size());
    ShuffleFirst(items, count, random);
    items.resize(count);
    std::sort(items.begin(), items.end());
    return items;
}

int64_t
ClientSampling::AssignStreams(int64_t /* stream */)
{
    return 0;
}

TypeId
UniformSampling::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::UniformSampling")
            .SetParent<ClientSampling>()
            .SetGroupName("Dlearn")
            .AddConstructor<UniformSampling>()
            .AddAttribute(
                "Fraction",
                "Share of the clients that take part in a round, greater than 0, at most 1.",
                DoubleValue(1),
                MakeFixedAccessor(MakeDoubleAccessor(&UniformSampling::m_fraction),
                                  &UniformSampling::IsSetUp),
                MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("Count",
                          "Number of clients in a round; 0: by their share.",
                          UintegerValue(0),
                          MakeFixedAccessor(MakeUintegerAccessor(&UniformSampling::m_count),
                                            &UniformSampling::IsSetUp),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

UniformSampling::UniformSampling()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

UniformSampling::~UniformSampling() = default;

void
UniformSampling::Setup(const std::vector<LearnerId>& clients)
{
    Require(m_fraction > 0 && m_fraction <= 1,
            "UniformSampling: Fraction must be in (0, 1], got ",
            m_fraction);
    Require(m_count <= clients.size(),
            "UniformSampling: Count must be at most the number of clients, ",
            clients.size(),
            "; got ",
            m_count);
    m_clients = clients;
    const auto share = static_cast<uint32_t>(std::lround(m_fraction * clients.size()));
    m_size = m_count > 0 ? m_count : std::max(share, 1U);
}

std::vector<LearnerId>
UniformSampling::Choose(uint32_t /* round */)
{
    return DrawWithoutReplacement(m_clients, m_size, *m_random);
}

CountRange
UniformSampling::CountChosen() const
{
    return {m_size, m_size};
}

int64_t
UniformSampling::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

TypeId
ScheduledSampling::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::ScheduledSampling")
            .SetParent<ClientSampling>()
            .SetGroupName("Dlearn")
            .AddConstructor<ScheduledSampling>()
            .AddAttribute("Plan",
                          "Clients of each round, such as 1-3;4,5, repeated.",
                          StringValue(""),
                          MakeFixedAccessor(MakeStringAccessor(&ScheduledSampling::m_plan),
                                            &ScheduledSampling::IsSetUp),
                          MakeStringChecker());
    return tid;
}

void
ScheduledSampling::Setup(const std::vector<LearnerId>& clients)
{
    const std::set<LearnerId> known(clients.begin(), clients.end());
    m_rounds.clear();
    std::istringstream rounds(m_plan);
    for (std::string round; std::getline(rounds, round, ';');)
    {
        const auto chosen = ParseRanges(round);
        Require(chosen.has_value(),
                "sample plan: must be clients or ranges such as 1-3;4,5, got '",
                round,
                "' in '",
                m_plan,
                "'");
        std::set<LearnerId> once(chosen->begin(), chosen->end());
        Require(once.size() == chosen->size(),
                "sample plan: a round must name clients, each once; got '",
                round,
                "' in '",
                m_plan,
                "'");
        for (const LearnerId client : *chosen)
        {
            Require(known.count(client) > 0,
                    "sample plan: there is no client ",
                    client,
                    ", see '",
                    m_plan,
                    "'");
        }
        m_rounds.emplace_back(once.begin(), once.end());
    }
    Require(!m_rounds.empty(), "sample plan: must not be empty");
}

CountRange
ScheduledSampling::CountChosen() const
{
    const auto [fewest, most] =
        std::minmax_element(m_rounds.begin(), m_rounds.end(), [](const auto& a, const auto& b) {
            return a.size() < b.size();
        });
    return {fewest->size(), most->size()};
}

} // namespace ns3::dlearn
