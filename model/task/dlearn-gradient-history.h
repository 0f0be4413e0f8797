/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRADIENT_HISTORY_H
#define DLEARN_GRADIENT_HISTORY_H

#include "dlearn-task.h"

#include <memory>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Create the history of a task, which keeps the samples and evaluates all of them again.
 *
 * A stream that draws with replacement yields the same samples repeatedly; each is kept once, with
 * a weight that counts its draws. The cost therefore grows with the history until every sample of
 * the learner's shard was drawn, and a window, which keeps only the newest batches, bounds it
 * further. The sum runs in the order of the samples in the data set.
 *
 * Least squares without clipping and window have a history at constant cost (Chen and Wang, section
 * III-B, equations (5)-(7)). The gradient is linear in theta, so the average over all batches needs
 * only the averages of x x^T and of x y: d_t(theta) = A_t theta - b_t, with A_t = 1/(t+1) sum_k
 * (mean over batch k of x x^T + r I), b_t the same of x y, and r the regularization. These are the
 * Hessian of the batch and minus its gradient at 0, so the task itself computes them. The result is
 * that of a history that keeps the samples, up to rounding, for p^2 doubles of memory and p^2
 * multiplications (p features) however long the history is.
 *
 * @param task evaluates the gradients; must outlive the history
 * @param window batches to keep; 0 keeps all
 * @return an empty history
 */
std::unique_ptr<GradientHistory> CreateHistory(const Task& task, uint32_t window);

} // namespace ns3::dlearn

#endif // DLEARN_GRADIENT_HISTORY_H
