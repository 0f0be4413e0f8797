/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_GUARDED_H
#define DLEARN_RUN_GUARDED_H

#include <functional>
#include <string>

namespace ns3::dlearn
{

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

#endif // DLEARN_RUN_GUARDED_H
