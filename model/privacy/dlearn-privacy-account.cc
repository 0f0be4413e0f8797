/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-privacy-account.h"

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(PrivacyAccount);

TypeId
PrivacyAccount::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::PrivacyAccount").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

} // namespace dlearn
} // namespace ns3
