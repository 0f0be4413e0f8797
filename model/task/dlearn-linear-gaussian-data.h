/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINEAR_GAUSSIAN_DATA_H
#define DLEARN_LINEAR_GAUSSIAN_DATA_H

#include "dlearn-least-squares-task.h"
#include "dlearn-linear-gaussian-problem.h"
#include "dlearn-local-data.h"

#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The data of a client of a LinearGaussianProblem: n fresh samples in every round t,
 *
 *   x ~ N(0, I_p),  y = x^T (w*_t - gamma_i) + N(0, sigma_i^2).
 *
 * The task is a LeastSquaresTask of this client alone, whose data are replaced each round.
 */
class LinearGaussianData : public LocalData
{
  public:
    static TypeId GetTypeId();
    LinearGaussianData();
    ~LinearGaussianData() override;

    /**
     * @param problem the truth; must have been drawn
     * @param client number of the client within the problem, from 0
     * @param samples n, samples per round; at least 1
     * @throw std::invalid_argument when an argument breaks its rule
     */
    void SetProblem(Ptr<const LinearGaussianProblem> problem, uint32_t client, uint32_t samples);

    void BeginRound(uint32_t round) override;

    /** @return the task; before the first round its data are one sample of zeros */
    Ptr<const Task> GetTask() const override;
    const SampleIndices& GetSamples() const override;

    uint32_t GetSampleCount() const override { return static_cast<uint32_t>(m_samples.size()); }

    int64_t AssignStreams(int64_t stream) override;

  private:
    Ptr<const LinearGaussianProblem> m_problem; //!< the truth
    uint32_t m_client{0};                       //!< number of this client
    Ptr<LeastSquaresTask> m_task;               //!< its data are those of the round
    SampleIndices m_samples;                    //!< all of them: 0 to n-1
    Ptr<NormalRandomVariable> m_features{CreateObject<NormalRandomVariable>()}; //!< entries of x
    Ptr<NormalRandomVariable> m_noise{
        CreateObject<NormalRandomVariable>()}; //!< noise on y, of unit variance
};

} // namespace ns3::dlearn

#endif // DLEARN_LINEAR_GAUSSIAN_DATA_H
