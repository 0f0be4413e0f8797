/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LOCAL_SOLVE_H
#define DLEARN_LOCAL_SOLVE_H

#include "dlearn-local-training.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The exact minimum of the client's own objective over the round's samples: infinitely many
 * local steps (K = infinity of Zhang et al.). Where there are many minima, as in least squares
 * with more parameters than samples, the one nearest to the received model, which is where
 * gradient descent from there ends: MinimizeFrom().
 *
 * The task must be a ConvexTask.
 */
class LocalSolve : public LocalTraining
{
  public:
    static TypeId GetTypeId();

    /** @return samples x the smaller of samples and parameters, as the factorization takes */
    uint64_t GetWork() const override;

  protected:
    void CheckAttributes() const override;
    ModelVector Train(const ModelVector& start, const SampleIndices& samples) const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_LOCAL_SOLVE_H
