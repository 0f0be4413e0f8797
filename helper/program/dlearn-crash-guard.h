/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CRASH_GUARD_H
#define DLEARN_CRASH_GUARD_H

#include <csignal>
#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a program does when a value of an attribute, which ns-3 could read, lets its code follow a
 * null pointer or divide by zero: while such an object exists, the program prints one line that
 * names the attributes that the user changed, and ends with exit status 1.
 *
 * Nothing is known of the state of a program that has failed so. The line is therefore written
 * before, and when it is needed only printed. Without changed attributes the failure is dlearn's or
 * ns-3's own, and the signal keeps its usual effect, as it does where something else handles it
 * already, such as a sanitizer. There can be one object at a time.
 */
class CrashGuard
{
  public:
    /**
     * @param program name for the line
     * @param attributes that the user changed, by full name, with their text
     */
    CrashGuard(const std::string& program, const std::map<std::string, std::string>& attributes);

    /** Signals have their usual effect again. */
    ~CrashGuard();

    CrashGuard(const CrashGuard&) = delete;
    CrashGuard& operator=(const CrashGuard&) = delete;

  private:
    static void Handle(int signal);

    static std::string s_line; //!< what is printed

    std::vector<char> m_stack; //!< of the handler, as that of the program may be full
    std::map<int, struct sigaction> m_before; //!< what the signals did before
    stack_t m_stackBefore{};                  //!< likewise
};

} // namespace ns3::dlearn

#endif // DLEARN_CRASH_GUARD_H
