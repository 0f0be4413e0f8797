/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PROGRAM_H
#define DLEARN_PROGRAM_H

#include "dlearn-peer-scenario.h"
#include "dlearn-program-arguments.h"

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
 * that begins with the program's name, and exit status 1.
 *
 * @param program name of the program
 * @param body what to do
 * @return exit status: 0, or 1 after an error
 */
int RunGuarded(const std::string& program, const std::function<void()>& body);

/**
 * @ingroup dlearn
 * Run a scenario and write its files: prints the table of rounds, the warnings and where the
 * report lies.
 *
 * @param scenario built, not yet run
 */
void RunToFiles(Scenario& scenario);

/**
 * @ingroup dlearn
 * Run peers from options to files: prints the table of rounds, the warnings and where
 * the report lies.
 *
 * @param options what to run
 * @param customize called with the scenario before it runs; may be empty
 * @return exit status: 0, or 1 after an error
 */
int RunScenario(const PeerOptions& options,
                const std::function<void(PeerScenario&)>& customize = {});

} // namespace ns3::dlearn

#endif // DLEARN_PROGRAM_H
