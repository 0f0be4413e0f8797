/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DEFAULTS_RESTORER_H
#define DLEARN_DEFAULTS_RESTORER_H

#include "ns3/config.h"
#include "ns3/rng-seed-manager.h"

#include <gtest/gtest.h>

namespace ns3::dlearn::test
{

/** Takes back what the suites before have set: a suite begins as in a process of its own. */
class DefaultsRestorer : public testing::EmptyTestEventListener
{
    void OnTestSuiteStart(const testing::TestSuite& /* suite */) override
    {
        Config::Reset();
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
    }
};

} // namespace ns3::dlearn::test

#endif // DLEARN_DEFAULTS_RESTORER_H
