/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINEAR_TASK_H
#define DLEARN_LINEAR_TASK_H

#include "ns3/dlearn-task.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The task on which privacy bounds are tight, for audits: the loss of a sample x is <x, theta>. Its
 * gradient x changes with the data by as much as Bound allows, and does not depend on the model
 * except for the regularization.
 */
class LinearTask : public Task
{
  public:
    static TypeId GetTypeId();

    uint32_t GetDimension() const override;
    double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const override;
    void ClippedGradient(ConstVectorRef theta,
                         const WeightedSamples& samples,
                         double clipNorm,
                         VectorRef gradient) const override;

    /** @return NaN: there is nothing to classify */
    double GetAccuracy(ConstVectorRef theta) const override;
    double GetFlopsPerSample() const override;

    double GetSmoothness() const override;

  protected:
    void CheckData() const override;

    double GetGradientBound() const override { return m_bound; }

  private:
    double m_bound{1}; //!< attribute Bound
};

} // namespace ns3::dlearn

#endif // DLEARN_LINEAR_TASK_H
