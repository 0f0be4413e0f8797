/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-trial-objects.h"

#include <cstdint>

namespace ns3::dlearn
{

namespace
{

uint32_t g_trials = 0; //!< objects of this class that exist

} // namespace

TrialObjects::TrialObjects()
{
    ++g_trials;
}

TrialObjects::~TrialObjects()
{
    --g_trials;
}

bool
TrialObjects::AreCreated()
{
    return g_trials > 0;
}

} // namespace ns3::dlearn
