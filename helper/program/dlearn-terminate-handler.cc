/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-terminate-handler.h"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <utility>

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
    // Saving may fail in the same way, and must not begin again.
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

} // namespace ns3::dlearn
