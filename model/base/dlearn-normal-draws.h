/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NORMAL_DRAWS_H
#define DLEARN_NORMAL_DRAWS_H

#include "ns3/random-variable-stream.h"

#include <string>

namespace ns3::dlearn
{

class StateArchive;

/**
 * @ingroup dlearn
 * A random variable of the standard normal distribution whose position can be saved. ns-3's makes
 * two numbers at once and keeps the second, which it does not show.
 */
class NormalDraws
{
  public:
    /** @param random draws; of mean 0 and variance 1, and has not drawn yet */
    explicit NormalDraws(Ptr<NormalRandomVariable> random = CreateObject<NormalRandomVariable>());

    /** @param stream number of the random stream */
    void SetStream(int64_t stream);

    /** @return the next number, that of ns3::NormalRandomVariable */
    double GetValue();

    /** @param archive saves or loads the position */
    void VisitState(StateArchive& archive);

  private:
    Ptr<NormalRandomVariable> m_random; //!< draws
    std::string m_before;               //!< its state before it made the last two numbers
    bool m_half{false};                 //!< whether the second of them is still to come
};

} // namespace ns3::dlearn

#endif // DLEARN_NORMAL_DRAWS_H
