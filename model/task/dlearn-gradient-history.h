/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRADIENT_HISTORY_H
#define DLEARN_GRADIENT_HISTORY_H

#include "ns3/dlearn-types.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Average gradient over all batches a learner has seen, at a point chosen later:
 * d_t(theta) = 1/(t+1) sum_{k=0..t} grad l(theta, xi_k), step 2 of LDP-OL
 * (Chen and Wang, "Locally Differentially Private Distributed Online Learning with
 * Guaranteed Optimality", Algorithm 1).
 *
 * A history belongs to one learner and to the Task that it was made for (CreateHistory()), which
 * must outlive it. Every batch has the same weight, whatever its size.
 */
class GradientHistory
{
  public:
    virtual ~GradientHistory() = default;

    /**
     * @param batch samples that are new in this round; not empty
     * @throw std::invalid_argument when the batch is empty or not in the training data
     */
    virtual void Add(const SampleIndices& batch) = 0;

    /**
     * @param theta where to evaluate
     * @param gradient result, of the model's dimension, regularization included
     * @throw std::invalid_argument before the first batch
     */
    virtual void Gradient(ConstVectorRef theta, VectorRef gradient) const = 0;

    /** @return number of batches that the average covers */
    virtual uint32_t GetBatches() const = 0;

    /** @return cost of one call of Gradient(), in gradients of one sample */
    virtual uint64_t GetCost() const = 0;

    /**
     * @param samples that a learner may draw from
     * @param batch samples of each batch
     * @return largest cost that a history of GetBatches() such batches can have, whatever was drawn
     */
    virtual uint64_t GetLargestCost(uint64_t samples, uint64_t batch) const = 0;
};

} // namespace ns3::dlearn

#endif // DLEARN_GRADIENT_HISTORY_H
