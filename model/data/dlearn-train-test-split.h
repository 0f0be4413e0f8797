/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRAIN_TEST_SPLIT_H
#define DLEARN_TRAIN_TEST_SPLIT_H

#include "ns3/dlearn-types.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Positions of the samples to learn from and of those to score on. Together they hold every
 * sample once; each list is in increasing order. Subset() makes data sets of them.
 */
struct TrainTestSplit
{
    SampleIndices train; //!< samples to learn from
    SampleIndices test;  //!< samples to score on
};

/**
 * @ingroup dlearn
 * Cut a data set in two at random, every choice of test samples equally likely.
 *
 * @param samples number of samples, at least 2
 * @param testFraction share of the test samples, inside (0, 1); their number is rounded to
 *        the nearest
 * @param stream random stream number (1 used); negative for an automatic one
 * @return the two lists
 * @throw std::invalid_argument when the fraction is not inside (0, 1) or one of the lists
 *        would be empty
 */
TrainTestSplit SplitTrainTest(uint32_t samples, double testFraction, int64_t stream);

} // namespace ns3::dlearn

#endif // DLEARN_TRAIN_TEST_SPLIT_H
