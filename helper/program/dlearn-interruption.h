/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_INTERRUPTION_H
#define DLEARN_INTERRUPTION_H

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * While one exists, the first SIGINT or SIGTERM ends the simulation instead of the program, so that
 * the results until then can be written. A second signal ends the program. There can be one at a
 * time.
 */
class Interruption
{
  public:
    Interruption();

    /** Signals have their usual effect again. */
    ~Interruption();

    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    /** @return the signal that came, since the first Interruption of the program; 0 for none */
    static int GetSignal();

    /** @return its name; empty for none */
    static std::string GetSignalName();

    /**
     * Another rank (Ranks) got a signal, for all of them.
     * @param signal that it got; 0 for none
     */
    static void Adopt(int signal);

    /** Simulate until the simulation ends or a signal comes; do nothing after a signal. */
    static void Simulate();
};

} // namespace ns3::dlearn

#endif // DLEARN_INTERRUPTION_H
