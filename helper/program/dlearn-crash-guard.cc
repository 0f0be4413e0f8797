/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-crash-guard.h"

#include "ns3/dlearn-results-writer.h"

#include <unistd.h>

namespace ns3::dlearn
{

std::string CrashGuard::s_line;

CrashGuard::CrashGuard(const std::string& program,
                       const std::map<std::string, std::string>& attributes)
{
    if (attributes.empty())
    {
        return;
    }
    std::string given;
    for (const auto& [name, value] : attributes)
    {
        given += (given.empty() ? "" : ", ") + name + "=" + value;
    }
    s_line = program + ": error: ns-3 fails with the attributes given (" + given +
             "): a null pointer or a division by zero follows from a value that it does not "
             "refuse; give other values\n";
    constexpr size_t STACK = 64 * 1024;
    m_stack.resize(STACK);
    stack_t stack{};
    stack.ss_sp = m_stack.data();
    stack.ss_size = m_stack.size();
    sigaltstack(&stack, &m_stackBefore);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE})
    {
        struct sigaction before
        {
        };

        sigaction(signal, nullptr, &before);
        if (before.sa_handler == SIG_DFL)
        {
            struct sigaction action
            {
            };

            action.sa_handler = &CrashGuard::Handle;
            action.sa_flags = SA_ONSTACK;
            sigaction(signal, &action, &before);
            m_before[signal] = before;
        }
    }
}

CrashGuard::~CrashGuard()
{
    for (const auto& [signal, before] : m_before)
    {
        sigaction(signal, &before, nullptr);
    }
    if (!m_stack.empty())
    {
        sigaltstack(&m_stackBefore, nullptr);
    }
}

void
CrashGuard::Handle(int /* signal */)
{
    // Only what POSIX allows in a handler of signals.
    ResultsDirectory::RemoveEmpty();
    const auto written = write(STDERR_FILENO, s_line.data(), s_line.size());
    _exit(written < 0 ? 2 : 1);
}

} // namespace ns3::dlearn
