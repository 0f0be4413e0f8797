/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNING_CHECK_H
#define DLEARN_LEARNING_CHECK_H

#include "dlearn-round-summary.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param rounds evaluated rounds of a run, in order
 * @return a warning that says that nothing was learned: of loss, error and accuracy, as many as
 *         there are, none is better in the last round than in the first; or, when one is, that the
 *         loss has grown to GROWN_LOSS times that of the first round or more; else empty. With less
 *         than MIN_CHECKED_ROUNDS only the growth of the loss counts
 */
std::string DescribeNoLearning(const std::vector<RoundSummary>& rounds);

/** @ingroup dlearn
 *  Evaluated rounds without which DescribeNoLearning() does not say that nothing was learned, only
 *  that the loss has grown. */
constexpr size_t MIN_CHECKED_ROUNDS = 3;

/** @ingroup dlearn
 *  Growth of the loss from which on DescribeNoLearning() warns: more than noise around a model that
 *  has been learned, though an accuracy may have risen by chance. */
constexpr double GROWN_LOSS = 5;

} // namespace ns3::dlearn

#endif // DLEARN_LEARNING_CHECK_H
