/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-rule.h"

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(LearnerRule);

TypeId
LearnerRule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::LearnerRule").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

bool
LearnerRule::CanContinue() const
{
    return true;
}

Ptr<const PrivacyAccount>
LearnerRule::GetLedger() const
{
    return nullptr;
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

} // namespace dlearn
} // namespace ns3
