/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-interruption.h"

#include "ns3/dlearn-ranks.h"
#include "ns3/simulator.h"

#include <csignal>

namespace ns3::dlearn
{

namespace
{

volatile std::sig_atomic_t g_signal = 0;     //!< that came
volatile std::sig_atomic_t g_simulating = 0; //!< whether there is a simulation to stop

extern "C" void
HandleSignal(int number)
{
    g_signal = number;
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    if (g_simulating != 0)
    {
        Simulator::Stop(); // which sets a flag, and the loop over the events looks at it
    }
}

/** Marks that the simulation runs. */
struct Simulating
{
    Simulating() { g_simulating = 1; }

    ~Simulating() { g_simulating = 0; }
};

} // namespace

Interruption::Interruption()
{
    for (const int number : {SIGINT, SIGTERM})
    {
        // A program that a script starts in the background ignores SIGINT, and goes on to do so.
        if (std::signal(number, HandleSignal) == SIG_IGN)
        {
            std::signal(number, SIG_IGN);
        }
    }
}

Interruption::~Interruption()
{
    for (const int number : {SIGINT, SIGTERM})
    {
        if (std::signal(number, SIG_DFL) == SIG_IGN)
        {
            std::signal(number, SIG_IGN);
        }
    }
}

int
Interruption::GetSignal()
{
    return g_signal;
}

std::string
Interruption::GetSignalName()
{
    return g_signal == 0 ? "" : g_signal == SIGINT ? "SIGINT" : "SIGTERM";
}

void
Interruption::Adopt(int signal)
{
    g_signal = g_signal == 0 ? signal : g_signal;
}

void
Interruption::Simulate()
{
    if (Ranks::AreEnabled())
    {
        Simulator::Run(); // RankExchange ends it, at the same simulated time on all ranks
        return;
    }
    // A signal between the question and the start of the simulation stops it at its first event.
    const Simulating simulating;
    if (g_signal == 0)
    {
        Simulator::Run();
    }
}

} // namespace ns3::dlearn
