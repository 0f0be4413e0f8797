/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gradient-history.h"

#include "dlearn-linear-tasks.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** Keeps the samples. */
class ReplayHistory : public GradientHistory
{
  public:
    ReplayHistory(const Task& task, uint32_t window)
        : m_task(task),
          m_window(window)
    {
    }

    void Add(const SampleIndices& batch) override
    {
        m_task.CheckIndices(batch);
        if (m_window > 0)
        {
            if (m_batches.size() == m_window)
            {
                Forget(m_batches.front());
                m_batches.pop_front();
            }
            m_batches.push_back(batch);
        }
        for (const uint32_t sample : batch)
        {
            ++m_draws[{sample, batch.size()}];
        }
        ++m_count;
        // Written from the counts each time: scaling the old weights would pile up rounding errors.
        m_samples.indices.clear();
        m_samples.weights.resize(static_cast<Eigen::Index>(m_draws.size()));
        for (const auto& [key, draws] : m_draws)
        {
            const auto& [sample, size] = key;
            const auto position = static_cast<Eigen::Index>(m_samples.indices.size());
            m_samples.weights[position] = draws / (static_cast<double>(size) * m_count);
            m_samples.indices.push_back(sample);
        }
    }

    void Gradient(ConstVectorRef theta, VectorRef gradient) const override
    {
        Require(m_count > 0, "ReplayHistory: Gradient needs at least one batch, got none");
        m_task.Gradient(theta, m_samples, gradient);
    }

    uint32_t GetBatches() const override { return m_count; }

    uint64_t GetCost() const override { return m_samples.indices.size(); }

    uint64_t GetLargestCost(uint64_t samples, uint64_t batch) const override
    {
        return std::min(samples, m_count * batch);
    }

  private:
    void Forget(const SampleIndices& batch)
    {
        for (const uint32_t sample : batch)
        {
            const auto draws = m_draws.find({sample, batch.size()});
            if (--draws->second == 0)
            {
                m_draws.erase(draws);
            }
        }
        --m_count;
    }

    const Task& m_task;                  //!< evaluates the gradients
    uint32_t m_window;                   //!< batches to keep; 0 for all
    uint32_t m_count{0};                 //!< batches that the average covers
    std::deque<SampleIndices> m_batches; //!< kept batches, oldest first; empty without window
    /** How often a sample came in a batch of a size: by sample, then size. */
    std::map<std::pair<uint32_t, size_t>, uint32_t> m_draws;
    WeightedSamples m_samples; //!< m_draws as weights, one entry each
};

/** Keeps moments. */
class QuadraticHistory : public GradientHistory
{
  public:
    explicit QuadraticHistory(const LeastSquaresTask& task)
        : m_task(task),
          m_moments(Eigen::MatrixXd::Zero(task.GetDimension(), task.GetDimension())),
          m_products(ModelVector::Zero(task.GetDimension()))
    {
    }

    void Add(const SampleIndices& batch) override
    {
        const ModelVector zero = ModelVector::Zero(m_products.size());
        ModelVector gradient(m_products.size());
        m_task.BatchGradient(zero, batch, gradient);
        m_moments += m_task.GetHessian(zero, EqualWeights(batch));
        m_products -= gradient;
        ++m_batches;
    }

    void Gradient(ConstVectorRef theta, VectorRef gradient) const override
    {
        Require(m_batches > 0, "QuadraticHistory: Gradient needs at least one batch, got none");
        m_task.CheckModel(theta);
        m_task.CheckSize("gradient", gradient);
        gradient = -m_products;
        gradient.noalias() += m_moments * theta;
        gradient /= m_batches;
    }

    uint32_t GetBatches() const override { return m_batches; }

    /** @return p / 2 rounded up: as a gradient of one sample costs 4p operations, A theta 2p^2 */
    uint64_t GetCost() const override { return (m_task.GetDimension() + 1) / 2; }

    uint64_t GetLargestCost(uint64_t /* samples */, uint64_t /* batch */) const override
    {
        return GetCost();
    }

  private:
    const ConvexTask& m_task;  //!< has the data and the regularization
    Eigen::MatrixXd m_moments; //!< A_t times the number of batches
    ModelVector m_products;    //!< b_t times the number of batches
    uint32_t m_batches{0};     //!< batches in the sums
};

} // namespace

std::unique_ptr<GradientHistory>
CreateHistory(const Task& task, uint32_t window)
{
    const auto* squares = dynamic_cast<const LeastSquaresTask*>(&task);
    if (squares && window == 0 && task.GetClipNorm() == 0)
    {
        return std::make_unique<QuadraticHistory>(*squares);
    }
    return std::make_unique<ReplayHistory>(task, window);
}

} // namespace ns3::dlearn
