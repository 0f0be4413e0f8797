/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TERMINATE_HANDLER_H
#define DLEARN_TERMINATE_HANDLER_H

#include <exception>
#include <functional>
#include <string>

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

} // namespace ns3::dlearn

#endif // DLEARN_TERMINATE_HANDLER_H
