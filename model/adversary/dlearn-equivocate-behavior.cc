/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-equivocate-behavior.h"

#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(EquivocateBehavior);

TypeId
EquivocateBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::EquivocateBehavior")
                            .SetParent<ByzantineBehavior>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<EquivocateBehavior>()
                            .AddAttribute("Scale",
                                          "Distance of the forged vectors from the true one: "
                                          "standard deviation of each entry, at least 0.",
                                          DoubleValue(1.0),
                                          MakeDoubleAccessor(&EquivocateBehavior::m_scale),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

EquivocateBehavior::EquivocateBehavior() = default;

EquivocateBehavior::~EquivocateBehavior() = default;

void
EquivocateBehavior::Deliver(LearnerId /* learner */,
                            uint32_t /* round */,
                            const Outbox& outbox,
                            const SendPort& port)
{
    for (const Outgoing& outgoing : outbox)
    {
        if (m_direction.size() == 0)
        {
            m_direction = ModelVector::NullaryExpr(outgoing.values.size(), [this](Eigen::Index) {
                return m_random->GetValue();
            });
        }
        Outgoing messages[2]; // one for each half of the recipients
        for (size_t k = 0; k < outgoing.recipients.size(); ++k)
        {
            messages[k % 2].recipients.push_back(outgoing.recipients[k]);
        }
        for (const int half : {0, 1})
        {
            messages[half].channel = outgoing.channel;
            messages[half].values = outgoing.values + (half == 0 ? 1 : -1) * m_scale * m_direction;
            if (!messages[half].recipients.empty())
            {
                port.send(messages[half]);
            }
        }
    }
    port.done();
}

int64_t
EquivocateBehavior::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3::dlearn
