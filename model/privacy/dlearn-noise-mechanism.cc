/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-noise-mechanism.h"

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(NoiseMechanism);

TypeId
NoiseMechanism::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::NoiseMechanism").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

} // namespace dlearn
} // namespace ns3
