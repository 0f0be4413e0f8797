/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_PROGRAM_H
#define DLEARN_FEDERATED_PROGRAM_H

#include "dlearn-federated-scenario.h"

#include <functional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Run a federation from options to files, FederatedOptions::runs times with ns-3 runs that
 * follow each other. The results files are those of the first run; beside them there is
 * model_error.csv, the error after each round over all runs (ModelError), and, where any update
 * was used, staleness.csv.
 *
 * @param options what to run
 * @param customize called with each scenario before it runs; may be empty
 * @return exit status: 0; 1 after an error, or when nothing disturbs the runs and their mean
 *         error is nevertheless not what theory expects (ModelError::FindDeviations())
 */
int RunFederated(const FederatedOptions& options,
                 const std::function<void(FederatedScenario&)>& customize = {});

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_PROGRAM_H
