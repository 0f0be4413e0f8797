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
 * Handles termination by ns-3: NS_FATAL_ERROR and NS_ABORT_MSG print a line and call
 * std::terminate(), which would abort and lose all results. While an object of this class exists,
 * the program instead prints another line after that of ns-3 and exits with status 1. Objects must
 * be destroyed in the reverse order of their creation.
 */
class TerminateHandler
{
  public:
    /** Saves the results so far, and returns a text to print. */
    using Action = std::function<std::string()>;

    /**
     * @param program name of the program, for the line
     * @param action called before the line is printed, which contains the message of an exception.
     *        May be empty.
     */
    explicit TerminateHandler(const std::string& program, Action action = {});
    ~TerminateHandler();

    TerminateHandler(const TerminateHandler&) = delete;
    TerminateHandler& operator=(const TerminateHandler&) = delete;

  private:
    /** Called by std::terminate(). */
    [[noreturn]] static void Handle();

    static TerminateHandler* s_newest; //!< the active handler, or null

    std::string m_program;
    Action m_action;
    TerminateHandler* m_outer{nullptr};       //!< the handler after destruction of this one
    std::terminate_handler m_before{nullptr}; //!< std::terminate() handler before this one
};

/**
 * @ingroup dlearn
 * While an object of this class exists, the first SIGINT or SIGTERM ends the simulation instead of
 * the program, so that the results so far can be written. A second signal ends the program. Only
 * one object can exist at a time.
 */
class Interruption
{
  public:
    Interruption();

    /** Restore the default effect of signals. */
    ~Interruption();

    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    /** @return the signal received since the first Interruption of the program; 0: none */
    static int GetSignal();

    /** @return the name of the signal; empty: none */
    static std::string GetSignalName();

    /**
     * Handle a signal that another rank (Ranks) received.
     * @param signal the signal; 0: none
     */
    static void Adopt(int signal);

    /**
     * Run the simulator until the simulation ends or a signal is received; do nothing after a
     * signal.
     */
    static void Simulate();
};

/**
 * @ingroup dlearn
 * Make the C library keep freed memory: models are allocated and freed in every round, and
 * returning the pages of a long model to the system and requesting them again takes more time than
 * sending the model. Affects only glibc. RunGuarded() calls this.
 */
void KeepFreedMemory();

/**
 * @ingroup dlearn
 * Run the body of a main(): an exception, or an error of writing to the standard output, becomes a
 * line on stderr that begins with the program's name, and exit status 1. A full disk or a closed
 * pipe cause write errors instead of signals.
 *
 * @param program name of the program
 * @param body the program
 * @return exit status: 0, or 1 after an error
 */
int RunGuarded(const std::string& program, const std::function<void()>& body);

} // namespace ns3::dlearn

#endif // DLEARN_PROCESS_GUARDS_H
