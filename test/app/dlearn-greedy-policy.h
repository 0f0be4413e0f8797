/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TEST_GREEDY_POLICY_H
#define DLEARN_TEST_GREEDY_POLICY_H

#include "ns3/dlearn-schedule.h"

namespace ns3::dlearn::test
{

/** Waits for more messages than there are. */
class GreedyPolicy : public RoundPolicy
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::GreedyPolicy")
                                .SetParent<RoundPolicy>()
                                .SetGroupName("DlearnTest")
                                .AddConstructor<GreedyPolicy>();
        return tid;
    }

    Time GetDeadline() const override { return Time(0); }

  private:
    bool DoShouldClose(const RoundStatus& /* status */) const override { return false; }
};

} // namespace ns3::dlearn::test

#endif // DLEARN_TEST_GREEDY_POLICY_H
