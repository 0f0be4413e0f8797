/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAIRED_TEST_H
#define DLEARN_PAIRED_TEST_H

#include "dlearn-run-groups.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Student's t-test of pairs: whether the mean of their differences is 0.
 */
struct PairedTest
{
    uint32_t pairs{0};    //!< n
    double difference{0}; //!< mean of the differences
    double low{0};        //!< lower end of its 95 % confidence interval
    double high{0};       //!< upper end
    double p{1};          //!< probability of a t as large in either direction, if the mean were 0
};

/**
 * @ingroup dlearn
 * @param differences of the pairs
 * @return the test, with n - 1 degrees of freedom; nothing for fewer than two pairs, and for
 *         differences that are all the same but for rounding, of which there is no distribution to
 *         speak of
 */
std::optional<PairedTest> TestPairs(const std::vector<double>& differences);

/**
 * @ingroup dlearn
 * @param base a group
 * @param other another one
 * @param metric name of a metric
 * @return its last mean in @p other minus that in @p base, for each seed and run of which
 *         both have a complete one; exactly the same for all where they differ by rounding only
 */
std::vector<double> PairFinals(const RunGroup& base,
                               const RunGroup& other,
                               const std::string& metric);

} // namespace ns3::dlearn

#endif // DLEARN_PAIRED_TEST_H
