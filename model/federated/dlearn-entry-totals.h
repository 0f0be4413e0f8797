/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ENTRY_TOTALS_H
#define DLEARN_ENTRY_TOTALS_H

#include "ns3/dlearn-types.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How much weight there is in each entry of a sum of weighted vectors, of some of which only some
 * entries arrived. It makes a mean of each entry, over the vectors of which that entry arrived.
 */
class EntryTotals
{
  public:
    /**
     * @param weight of a vector in the sum, greater than 0
     * @param present which of its entries arrived, empty for all; of the same size in all calls
     *        where it is not empty
     */
    void Add(double weight, const std::vector<bool>& present);

    /** @return weight of all vectors */
    double GetAll() const { return m_all; }

    /**
     * The share of a vector in a mean is its weight over the total of the entry; it is largest
     * where the total is smallest.
     *
     * @param present entries of one of the vectors, as of Add()
     * @return smallest total of these entries; infinity where there are none
     */
    double GetLeast(const std::vector<bool>& present) const;

    /**
     * @param mean sum of the weighted vectors, whose missing entries are 0, over GetAll(). It
     *        becomes that over the total of each entry, and 0 where no entry arrived. Nothing
     *        changes, to the last bit, where all entries arrived
     */
    void Renormalise(VectorRef mean) const;

  private:
    double m_all{0};       //!< weight of all vectors
    ModelVector m_arrived; //!< in each entry, of those whose entry arrived; empty while all did
};

} // namespace ns3::dlearn

#endif // DLEARN_ENTRY_TOTALS_H
