/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Ten learners on an ad hoc Wi-Fi learn together, privately, from streaming data whose labels
 * are split unevenly; half way one of them is switched off.
 *
 *   dlearn-wireless-edge
 *   dlearn-wireless-edge --mobility --transport=broadcast --deadline=50ms
 *   dlearn-wireless-edge --help
 */

#include "ns3/dlearn-presets.h"
#include "ns3/dlearn-program.h"
#include "ns3/simulator.h"

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

/** Switch the last learner off when it has done half of its rounds. */
void
SwitchOffHalfWay(Run& run)
{
    const Ptr<PeerApplication> victim = run.GetPeers().back();
    victim->TraceConnectWithoutContext(
        "RoundEnd",
        Callback<void, const RoundRecord&>([victim](const RoundRecord& record) {
            if (record.round + 1 >= victim->GetRounds() / 2)
            {
                Simulator::ScheduleNow(&PeerApplication::Crash, victim);
            }
        }));
}

} // namespace

int
main(int argc, char* argv[])
{
    RunSpec spec = LdpOnlinePreset("dlearn-wireless-edge");
    spec.learners = 10;
    spec.graph = "complete";
    spec.edgeWeight = "metropolis";
    spec.network = "wifi-adhoc";
    spec.partition = "dirichlet:0.3";
    spec.rounds = 200;
    spec.noise = 0.3;
    spec.noiseExponentStep = 0.003; // keeps all ten within the theory: below u - 1/2 = 0.15
    spec.evaluateEvery = 10;
    bool switchOff = true;

    RunProgram program(spec);
    program.AddOption("switch-off", "switch the last learner off half way", switchOff);
    program.SetBeginHook([&switchOff](Run& run) {
        if (switchOff)
        {
            SwitchOffHalfWay(run);
        }
    });
    return program.Main(argc, argv, __FILE__);
}
