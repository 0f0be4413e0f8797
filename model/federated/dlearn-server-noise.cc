/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-server-noise.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/double.h"
#include "ns3/log.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnServerNoise");
NS_OBJECT_ENSURE_REGISTERED(ServerNoise);

TypeId
ServerNoise::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::ServerNoise")
            .SetParent<Object>()
            .SetGroupName("Dlearn")
            .AddConstructor<ServerNoise>()
            .AddAttribute("Scale",
                          "Standard deviation of the noise of a round on the aggregate, at "
                          "least 0.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&ServerNoise::m_scale),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Momentum",
                          "Share of the last noise in the next, from 0 to less than 1; that of the "
                          "workers.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&ServerNoise::m_momentum),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

ServerNoise::ServerNoise()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

ServerNoise::~ServerNoise() = default;

void
ServerNoise::DoDispose()
{
    m_listeners.clear();
    Object::DoDispose();
}

double
ServerNoise::GetScale() const
{
    RequireNonNegative("ServerNoise", "Scale", m_scale);
    return m_scale;
}

double
ServerNoise::GetMomentum() const
{
    Require(m_momentum >= 0 && m_momentum < 1,
            "ServerNoise: Momentum must be in [0, 1), got ",
            m_momentum);
    return m_momentum;
}

void
ServerNoise::RemoveListener(ServerReleaseListener* listener)
{
    m_listeners.erase(std::remove(m_listeners.begin(), m_listeners.end(), listener),
                      m_listeners.end());
}

bool
ServerNoise::Release(ReleasedMessages messages, double total, VectorRef aggregate)
{
    RequirePositive("ServerNoise", "total of the messages", total);
    ServerRelease release{m_next, std::move(messages), total};
    for (const auto& [client, message] : release.messages)
    {
        release.step = std::max(release.step, message.round);
    }
    if (!CanAfford(release))
    {
        NS_LOG_INFO("step " << release.step << " is not released: a budget forbids it");
        return false;
    }
    AddTo(release, aggregate);
    return true;
}

bool
ServerNoise::CanAfford(const ServerRelease& release) const
{
    return std::all_of(m_listeners.begin(), m_listeners.end(), [&](const auto* listener) {
        return listener->CanAfford(release);
    });
}

void
ServerNoise::AddTo(const ServerRelease& release, VectorRef aggregate)
{
    if (!m_hasKey)
    {
        m_hasKey = true;
        m_key = DrawKey(*m_random);
    }
    if (m_noise.size() == 0)
    {
        m_noise = ModelVector::Zero(aggregate.size());
    }
    RequireSize("ServerNoise", "aggregate", aggregate.size(), m_noise.size());
    for (; m_next <= release.step; ++m_next)
    {
        m_noise *= GetMomentum();
        NormalStream(MixKey(m_key, m_next)).AddTo((1 - GetMomentum()) * GetScale(), m_noise);
    }
    aggregate += m_noise;
    for (ServerReleaseListener* listener : m_listeners)
    {
        listener->Record(release);
    }
}

int64_t
ServerNoise::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3::dlearn
