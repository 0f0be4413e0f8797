/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DELAY_DISTRIBUTION_H
#define DLEARN_DELAY_DISTRIBUTION_H

#include "ns3/nstime.h"

#include <boost/container/flat_map.hpp>
#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Mean and 99th percentile of any number of delays, in little memory: their logarithms are counted
 * in bins of 1 %.
 */
class DelayDistribution
{
  public:
    /** @param delay at least 0 */
    void Add(Time delay);

    /** @return mean in milliseconds; 0 of none */
    double GetMean() const { return m_count > 0 ? m_total / static_cast<double>(m_count) : 0; }

    /** @return 99th percentile in milliseconds, at most 1 % too large; 0 of none */
    double GetWorst() const;

  private:
    boost::container::flat_map<int, uint64_t> m_bins; //!< delays by their logarithm, but those of 0
    uint64_t m_none{0};                               //!< number of delays of 0
    double m_total{0};                                //!< sum in milliseconds
    uint64_t m_count{0};                              //!< number of delays
};

} // namespace ns3::dlearn

#endif // DLEARN_DELAY_DISTRIBUTION_H
