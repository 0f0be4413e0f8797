/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-malformed-behavior.h"

#include "dlearn-forged-fragments.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(MalformedBehavior);

namespace
{

using Bytes = std::vector<uint8_t>;
using Flaw = MalformedBehavior::Flaw;

/**
 * @param flaw what is wrong
 * @param honest an intact fragment
 * @return bytes that are none
 */
Bytes
Spoil(Flaw flaw, Bytes honest)
{
    switch (flaw)
    {
    case Flaw::VERSION:
        honest[0] ^= 0x55;
        break;
    case Flaw::CHECKSUM:
        honest.back() ^= 1;
        break;
    case Flaw::TRUNCATED:
        honest.resize(honest.size() / 2);
        break;
    case Flaw::HUGE_LENGTHS:
        std::fill(honest.begin() + 12, honest.begin() + 28, 0xff); // see ModelHeader
        break;
    case Flaw::WRONG_LENGTH:
    case Flaw::NOT_FINITE:
        break; // the vector is wrong, its bytes are not
    }
    return honest;
}

/**
 * @param flaw what is wrong
 * @param honest the vector that should be sent
 * @return the vector that is
 */
ModelVector
Spoil(Flaw flaw, const ModelVector& honest)
{
    if (flaw == Flaw::NOT_FINITE)
    {
        return ModelVector::Constant(honest.size(), std::numeric_limits<double>::quiet_NaN());
    }
    ModelVector vector = ModelVector::Zero(honest.size() + (flaw == Flaw::WRONG_LENGTH ? 1 : 0));
    vector.head(honest.size()) = honest;
    return vector;
}

} // namespace

TypeId
MalformedBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::MalformedBehavior")
                            .SetParent<ByzantineBehavior>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<MalformedBehavior>()
                            .AddAttribute("Copies",
                                          "Messages sent instead of one, none of them sound.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&MalformedBehavior::m_copies),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
MalformedBehavior::Deliver(LearnerId learner,
                           uint32_t round,
                           const Outbox& outbox,
                           const SendPort& port)
{
    for (uint32_t copy = 0; copy < m_copies; ++copy)
    {
        for (const Outgoing& outgoing : outbox)
        {
            const auto flaw = static_cast<Flaw>(m_sent++ % FLAWS);
            const ModelVector values = Spoil(flaw, outgoing.values);
            for (Bytes& bytes : ForgeFragments(learner, round, outgoing.channel, values))
            {
                port.sendBytes(outgoing.recipients, Spoil(flaw, std::move(bytes)));
            }
        }
    }
    port.done();
}

} // namespace ns3::dlearn
