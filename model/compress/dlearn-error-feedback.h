/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ERROR_FEEDBACK_H
#define DLEARN_ERROR_FEEDBACK_H

#include "ns3/dlearn-types.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Remembers the part of a vector that compression removed and adds it to the next vector (Seide,
 * Fu, Droppo, Li and Yu 2014, "1-Bit Stochastic Gradient Descent", Interspeech; Stich, Cordonnier
 * and Jaggi 2018; Karimireddy et al. 2019). With the residual e_0 = 0, in round t
 *
 *   p_t = v_t + e_t          (Correct())
 *   the sender sends C(p_t)
 *   e_{t+1} = p_t - C(p_t)   (Keep())
 *
 * where C(p_t) is what a receiver reads, to the last bit. Thus at any time the sum of all v equals
 * the sum of everything that was sent plus the residual: nothing is lost, only delayed. What the
 * network loses stays lost. A message that is withdrawn before any part of it left must have no
 * effect: the sender keeps a copy of this object from before, and returns to it.
 *
 * There is one object for each stream of vectors, such as a channel.
 */
class ErrorFeedback
{
  public:
    /** @param values v, becomes v + e */
    void Correct(VectorRef values) const;

    /**
     * A learner that has diverged should not have to remember it: entries that are not finite
     * leave no residual.
     *
     * @param wanted p, of the same size each time
     * @param received C(p), as receivers read it
     */
    void Keep(ConstVectorRef wanted, ConstVectorRef received);

    /** @return e; empty as long as nothing was kept */
    const ModelVector& GetResidual() const { return m_residual; }

  private:
    ModelVector m_residual; //!< e
};

} // namespace ns3::dlearn

#endif // DLEARN_ERROR_FEEDBACK_H
