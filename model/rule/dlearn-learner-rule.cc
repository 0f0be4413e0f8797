/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-rule.h"

#include "ns3/trace-source-accessor.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(LearnerRule);

TypeId
LearnerRule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::LearnerRule")
                            .SetParent<Object>()
                            .SetGroupName("Dlearn")
                            .AddTraceSource("Draw",
                                            "The data of a round have entered the learner's state.",
                                            MakeTraceSourceAccessor(&LearnerRule::m_drawTrace),
                                            "ns3::dlearn::LearnerRule::DrawTracedCallback");
    return tid;
}

std::vector<std::string>
LearnerRule::GetWarnings() const
{
    return {};
}

int64_t
LearnerRule::AssignStreams(int64_t /* stream */)
{
    return 0;
}

void
LearnerRule::NoteDraw(uint32_t round, const SampleIndices& samples)
{
    if (round >= m_nextDraw)
    {
        m_nextDraw = uint64_t{round} + 1;
        m_drawTrace(round, samples);
    }
}

} // namespace ns3::dlearn
