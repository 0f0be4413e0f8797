/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-process-guards.h"

#include "ns3/dlearn-ranks.h"
#include "ns3/simulator.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ns3::dlearn
{

TerminateHandler* TerminateHandler::s_newest = nullptr;

TerminateHandler::TerminateHandler(const std::string& program, Action action)
    : m_program(program),
      m_action(std::move(action)),
      m_outer(s_newest),
      m_before(std::set_terminate(&TerminateHandler::Handle))
{
    s_newest = this;
}

TerminateHandler::~TerminateHandler()
{
    s_newest = m_outer;
    std::set_terminate(m_before);
}

void
TerminateHandler::Handle()
{
    // Saving may also terminate, and must not start again.
    std::set_terminate([] { std::_Exit(1); });
    std::string more;
    try
    {
        more = s_newest->m_action ? s_newest->m_action() : "";
    }
    catch (const std::exception& error)
    {
        more = std::string("; its results are lost: ") + error.what();
    }
    std::cout.flush();
    std::cerr << s_newest->m_program
              << ": error: ns-3 ended the program, for the reason in the line above" << more
              << std::endl;
    std::_Exit(1);
}

namespace
{

volatile std::sig_atomic_t g_signal = 0;     //!< the received signal, or 0
volatile std::sig_atomic_t g_simulating = 0; //!< whether a simulation runs

extern "C" void
HandleSignal(int number)
{
    g_signal = number;
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    if (g_simulating != 0)
    {
        Simulator::Stop(); // only sets a flag, which the event loop checks
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
        // A program started in the background by a script ignores SIGINT, and keeps ignoring it.
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
    // A signal between the check and the start stops the simulation at its first event.
    const Simulating simulating;
    if (g_signal == 0)
    {
        Simulator::Run();
    }
}

namespace
{

/**
 * Ignore the signals of a full disk and a closed pipe: writing then fails with an error instead.
 */
void
IgnoreSignalsOfWriting()
{
#ifdef SIGPIPE
    std::signal(SIGPIPE, SIG_IGN);
#endif
#ifdef SIGXFSZ
    std::signal(SIGXFSZ, SIG_IGN);
#endif
}

} // namespace

void
KeepFreedMemory()
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int
RunGuarded(const std::string& program, const std::function<void()>& body)
{
    const TerminateHandler handler(program);
    KeepFreedMemory();
    IgnoreSignalsOfWriting();
    try
    {
        body();
        std::cout.flush();
        if (!std::cout)
        {
            throw std::runtime_error("cannot write to the standard output");
        }
        return 0;
    }
    catch (const std::exception& error)
    {
        std::cerr << program << ": error: " << error.what() << std::endl;
    }
    catch (...)
    {
        std::cerr << program << ": error: an exception that is no std::exception" << std::endl;
    }
    return 1;
}

} // namespace ns3::dlearn
