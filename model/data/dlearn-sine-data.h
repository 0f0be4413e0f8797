/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SINE_DATA_H
#define DLEARN_SINE_DATA_H

#include "dlearn-dataset.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Options of MakeSineData().
 */
struct SineOptions
{
    uint32_t samples{1000}; //!< number of samples, at least 1
    uint32_t features{1};   //!< d, at least 1
    double shift{1};        //!< largest |y|, at least 0; 0 for the example as printed
};

/**
 * @ingroup dlearn
 * Samples for SineTask (model/task/dlearn-sine-task.h): features xi ~ Lap(1/2), all independent,
 * and labels y ~ U(-shift, shift) that come in pairs y, -y (an odd last one is 0), so that the
 * mean label of all samples is 0 and 0 is the minimum. Sorted by label, or by whatever a
 * partition takes, learners get different labels and so different minima.
 *
 * The same options, stream number, ns-3 seed and run give the same data; a larger even number of
 * samples extends a smaller even one.
 *
 * @param options what to generate
 * @param stream first random stream number (2 used); negative for automatic ones
 * @return the samples, with the minimum, 0, as truth
 * @throw std::invalid_argument naming the option, its value and the rule it breaks
 */
Dataset MakeSineData(const SineOptions& options, int64_t stream);

} // namespace ns3::dlearn

#endif // DLEARN_SINE_DATA_H
