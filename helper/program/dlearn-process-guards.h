/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PROCESS_GUARDS_H
#define DLEARN_PROCESS_GUARDS_H

#include <csignal>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a program does when ns-3 ends it: NS_FATAL_ERROR and NS_ABORT_MSG print a line and call
 * std::terminate(), which would abort and lose all results. While such an object exists, the
 * program prints one line of its own after that of ns-3 and ends with exit status 1. Objects are
 * destroyed in the reverse order of their creation.
 */
class TerminateHandler
{
  public:
    /** Saves what there is, and returns what else to say. */
    using Action = std::function<std::string()>;

    /**
     * @param program name for the line
     * @param action called before the line is printed; what it throws is ignored. May be empty.
     */
    explicit TerminateHandler(const std::string& program, Action action = {});
    ~TerminateHandler();

    TerminateHandler(const TerminateHandler&) = delete;
    TerminateHandler& operator=(const TerminateHandler&) = delete;

  private:
    /** What std::terminate() calls. */
    [[noreturn]] static void Handle();

    static TerminateHandler* s_newest; //!< that handles; null for none

    std::string m_program;                    //!< name for the line
    Action m_action;                          //!< saves what there is
    TerminateHandler* m_outer{nullptr};       //!< that handles when this one is destroyed
    std::terminate_handler m_before{nullptr}; //!< of the program before the first of them
};

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

/**
 * @ingroup dlearn
 * Have the C library keep freed memory: models are allocated and freed in every round, and
 * giving their pages back to the system and getting them anew costs a long model more time
 * than sending it. No effect with other C libraries than glibc. RunGuarded() does it.
 */
void KeepFreedMemory();

/**
 * @ingroup dlearn
 * Run the body of a main(): whatever it refuses with an exception becomes one line on stderr
 * that begins with the program's name, and exit status 1. So does a standard output that cannot be
 * written. Signals that a full disk or a closed pipe would send are errors of writing instead.
 *
 * @param program name of the program
 * @param body what to do
 * @return exit status: 0, or 1 after an error
 */
int RunGuarded(const std::string& program, const std::function<void()>& body);

} // namespace ns3::dlearn

#endif // DLEARN_PROCESS_GUARDS_H
