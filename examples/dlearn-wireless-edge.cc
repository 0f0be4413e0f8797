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

#include "ns3/dlearn-program.h"
#include "ns3/simulator.h"

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

/** Switch the last learner off when it has done half of its rounds. */
void
SwitchOffHalfWay(PeerScenario& scenario)
{
    const Ptr<PeerApplication> victim = scenario.GetLearners().back();
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
    PeerOptions options("dlearn-wireless-edge");
    options.learners = 10;
    options.graph = "complete";
    options.weight = "metropolis";
    options.network = "wifi-adhoc";
    options.partition = "dirichlet:0.3";
    options.rounds = 200;
    options.noise = 0.3;
    options.noiseExponentStep = 0.003; // keeps all ten within the theory: below u - 1/2 = 0.15
    options.evaluateEvery = 10;
    bool switchOff = true;

    ProgramArguments arguments(__FILE__);
    options.AddTo(arguments);
    arguments.AddValue("switch-off", "switch the last learner off half way", switchOff);
    if (RunGuarded(options.program, [&] { arguments.Parse(argc, argv); }) != 0)
    {
        return 1;
    }
    return RunScenario(options, switchOff ? SwitchOffHalfWay : nullptr);
}
