/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-trace-connections.h"
#include "ns3/error-model.h"
#include "ns3/simple-net-device.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <memory>

namespace ns3::dlearn
{
namespace
{

/** Counts what is dropped by devices. */
class DropCounter
{
  public:
    explicit DropCounter(const Ptr<SimpleNetDevice>& device, uint32_t& drops)
        : m_drops(drops)
    {
        m_traces.Add(device, "PhyRxDrop", MakeCallback(&DropCounter::HandleDrop, this));
    }

  private:
    void HandleDrop(Ptr<const Packet> /* packet */) { ++m_drops; }

    uint32_t& m_drops;
    TraceConnections m_traces;
};

/** Loses everything. */
class Wall : public ErrorModel
{
  private:
    bool DoCorrupt(Ptr<Packet> /* packet */) override { return true; }

    void DoReset() override {}
};

TEST(TraceConnections, EndWithTheObserverAndLeaveOthersAlone)
{
    const auto device = CreateObject<SimpleNetDevice>();
    device->SetReceiveErrorModel(CreateObject<Wall>());
    uint32_t first = 0;
    uint32_t second = 0;
    auto gone = std::make_unique<DropCounter>(device, first);
    const DropCounter stays(device, second);
    const auto drop = [&] {
        device->Receive(Create<Packet>(1), 0, Mac48Address(), Mac48Address());
    };
    drop();
    gone.reset();
    drop();
    EXPECT_EQ(first, 1U);
    EXPECT_EQ(second, 2U);
}

// What ns-3 writes to files when an object is freed is complete then, whatever still observes it.
TEST(TraceConnections, KeepNothingAliveThatTheSimulationFrees)
{
    auto device = CreateObject<SimpleNetDevice>();
    uint32_t drops = 0;
    const DropCounter counter(device, drops);
    EXPECT_EQ(device->GetReferenceCount(), 2U);
    Simulator::Destroy();
    EXPECT_EQ(device->GetReferenceCount(), 1U);
}

} // namespace
} // namespace ns3::dlearn
