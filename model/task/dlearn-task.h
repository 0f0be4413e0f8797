/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TASK_H
#define DLEARN_TASK_H

#include "ns3/dlearn-dataset.h"
#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Samples with weights: the empirical measure that a loss is averaged over.
 */
struct WeightedSamples
{
    SampleIndices indices; //!< positions in the data set, repetitions allowed
    ModelVector weights;   //!< one weight an index, at least 0; usually they sum to 1
};

/** @return samples, at least one, each with the weight 1 / number of indices */
WeightedSamples EqualWeights(SampleIndices indices);

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
     * @param batch samples of a new round
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

    /** @return largest cost of GetBatches() batches, drawn from a number of samples */
    virtual uint64_t GetLargestCost(uint64_t samples, uint64_t batch) const = 0;
};

/**
 * @ingroup dlearn
 * A learning problem: a loss over samples of a data set, its gradient, and a score.
 *
 * The objective over weighted samples is
 *
 *   F(theta) = sum_k weight_k l(theta, xi_k) + (Regularization / 2) ||theta||^2.
 *
 * With ClipNorm = c > 0 every per-sample gradient of l is scaled to norm at most c before
 * it is averaged (the regularization is not clipped: it does not depend on data), so that
 * replacing a sample moves the average of n by at most 2c/n.
 *
 * A task contains no state of a learner or of the network: one object serves all learners, its
 * const methods may be called from several threads.
 */
class Task : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Give the task its data; checks that the labels are of the kind it needs. A task that refused
     * its data is unusable.
     *
     * @param train samples to learn from; not empty
     * @param test samples to score on; may be null, then GetAccuracy scores on train
     * @throw std::invalid_argument when the data, or the task's attributes, break a rule
     */
    void SetData(DatasetPtr train, DatasetPtr test);

    /** @return samples to learn from */
    const Dataset& GetTrain() const;

    /** @return samples to score on */
    const Dataset& GetTest() const { return m_test ? *m_test : GetTrain(); }

    /** @return number of parameters of the model */
    virtual uint32_t GetDimension() const = 0;

    /** @return F(theta) over weighted samples, with regularization */
    virtual double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const = 0;

    /**
     * Gradient of F, with per-sample clipping when ClipNorm > 0. Then a sample whose gradient is
     * not finite, and cannot be clipped, counts as one with a gradient of 0: each sample moves the
     * result by no more than its weight times ClipNorm, whatever the model is.
     *
     * @param theta a model
     * @param samples of the average
     * @param gradient result, of GetDimension() entries
     */
    void Gradient(ConstVectorRef theta, const WeightedSamples& samples, VectorRef gradient) const;

    /**
     * Gradient of F with a clipping norm of the caller's choice.
     *
     * @param theta a model
     * @param samples of the average
     * @param clipNorm largest norm of one sample's gradient; 0 for no clipping
     * @param gradient result, of GetDimension() entries; must not overlap theta
     */
    virtual void ClippedGradient(ConstVectorRef theta,
                                 const WeightedSamples& samples,
                                 double clipNorm,
                                 VectorRef gradient) const = 0;

    /** Gradient() over samples of equal weight; at least one. */
    void BatchGradient(ConstVectorRef theta, const SampleIndices& samples, VectorRef gradient) const
    {
        Gradient(theta, EqualWeights(samples), gradient);
    }

    /** @return share of the test samples that a model classifies correctly; NaN: a regression */
    virtual double GetAccuracy(ConstVectorRef theta) const
    {
        CheckModel(theta);
        return std::numeric_limits<double>::quiet_NaN();
    }

    /** @return other scores of a model on the test samples, by name, of tasks that have some */
    virtual std::map<std::string, double> GetMetrics(ConstVectorRef /* theta */) const
    {
        return {};
    }

    /**
     * @return C of Assumption 5 (Chen and Wang): a bound on the distance between the gradients of
     *         two samples, over all theta. 2 ClipNorm when clipping; else as the data allow;
     *         infinity when nothing bounds it
     */
    double GetSensitivity() const;

    /**
     * Refuse other values of ClipNorm and Regularization from now on, as a privacy account depends
     * on them.
     */
    void FixConstants() const { m_fixed = true; }

    /** FixConstants(), and refuse other data, too, for an account that depends on their norms. */
    void FixData() const { m_fixed = m_dataFixed = true; }

    /**
     * Constant of Assumption 3 (iii) (Chen and Wang): gradients of one sample (with the
     * regularization) are Lipschitz with this constant, over all theta and training samples.
     *
     * Clipping does not change it: scaling a vector to norm at most c is the projection on a ball,
     * which does not increase the distance of two vectors.
     *
     * @return L; infinity, unless overridden: not known
     */
    virtual double GetSmoothness() const { return std::numeric_limits<double>::infinity(); }

    /** @return floating-point operations of one sample's gradient, for compute-time models */
    virtual double GetFlopsPerSample() const = 0;

    /**
     * The initial model. All learners of a run begin with the same model; random entries come from
     * one stream, so that every learner could draw them.
     *
     * @param stream random stream (1 used); negative for an automatic one
     * @return a model; zero unless overridden
     */
    virtual ModelVector DrawInitialModel(int64_t /* stream */) const
    {
        return ModelVector::Zero(GetDimension());
    }

    /** @return entries at the end of the model that are the last layer of a neural network; 0
     * unless overridden: unknown */
    virtual uint32_t CountLastLayer() const { return 0; }

    /** @return strength of the regularization */
    double GetRegularization() const { return m_regularization; }

    /** @return per-sample clipping norm; 0 when gradients are not clipped */
    double GetClipNorm() const { return m_clipNorm; }

    /** Refuse an empty list of samples, and positions that the training data do not have. */
    void CheckIndices(const SampleIndices& indices) const;

    /** Refuse a vector, @p name in the message, without one entry a parameter of the model. */
    void CheckSize(const char* name, ConstVectorRef vector) const;

    /** Refuse a model that has the wrong size or is not finite. */
    void CheckModel(ConstVectorRef theta) const;

  protected:
    /** @throw std::invalid_argument when train and test are not data this task can learn */
    virtual void CheckData() const = 0;

    /** Called by SetData() when all checks have passed, to prepare what the data determine. */
    virtual void AdoptData() {}

    /** CheckIndices(), and refuse weights that are not one finite number, at least 0, an index. */
    void CheckSamples(const WeightedSamples& samples) const;

    /** All checks that the arguments of ClippedGradient() need. */
    void CheckGradient(ConstVectorRef theta,
                       const WeightedSamples& samples,
                       double clipNorm,
                       ConstVectorRef gradient) const;

    /** @return largest norm of a training sample's features, computed once in SetData() */
    double GetMaxNorm() const { return m_maxNorm; }

    /** @return sup over theta and samples of the norm of an unclipped gradient of l */
    virtual double GetGradientBound() const { return std::numeric_limits<double>::infinity(); }

  private:
    void SetRegularization(double factor);
    void SetClipNorm(double norm);
    void RequireChangeable(const char* attribute, bool same) const;

    DatasetPtr m_train;              //!< samples to learn from
    DatasetPtr m_test;               //!< samples to score on
    double m_regularization{0};      //!< attribute Regularization
    double m_clipNorm{0};            //!< attribute ClipNorm
    double m_maxNorm{0};             //!< GetMaxNorm() of the training data
    mutable bool m_fixed{false};     //!< after FixConstants()
    mutable bool m_dataFixed{false}; //!< after FixData()
};

/**
 * @ingroup dlearn
 * A task whose loss is convex and twice differentiable: it knows its curvature, and so a
 * central observer can find its minimum (Minimize() of dlearn-newton.h) and a ledger its constant
 * L.
 */
class ConvexTask : public Task
{
  public:
    static TypeId GetTypeId();

    /** @return Hessian of the unclipped F, GetDimension() x GetDimension(), symmetric */
    virtual Eigen::MatrixXd GetHessian(ConstVectorRef theta,
                                       const WeightedSamples& samples) const = 0;

    /**
     * The minimum of the unclipped F to which gradient descent leads, where it has a closed form;
     * see MinimizeFrom() of dlearn-newton.h.
     *
     * @param start where to start
     * @param samples of the average; not empty
     * @return the minimum; nothing, unless overridden: there is no closed form
     */
    virtual std::optional<ModelVector> SolveFrom(ConstVectorRef /* start */,
                                                 const WeightedSamples& /* samples */) const
    {
        return std::nullopt;
    }

    /** @return constant mu of strong convexity that holds whatever the data are */
    double GetCurvature() const { return GetRegularization(); }
};

/**
 * @ingroup dlearn
 * Adjacent samples of a data set.
 */
struct SampleBlock
{
    const Eigen::Ref<const Eigen::MatrixXd>& features; //!< one column per sample
    Eigen::ArrayXd labels;                             //!< one label per sample
    Eigen::ArrayXd weights;                            //!< one weight per sample
};

/**
 * @ingroup dlearn
 * Visit weighted samples in blocks, in the order given.
 *
 * A block is small enough to stay in a core's second-level cache while the visitor multiplies with
 * it, forwards and backwards, and large enough for matrix products to pay off. Samples that are
 * adjacent in the data set are used in place; others are copied together.
 *
 * @param data holds all of the indices
 * @param samples indices and weights
 * @param visit called with each block, which lives until it returns
 */
template <typename Visitor>
void
ForEachBlock(const Dataset& data, const WeightedSamples& samples, const Visitor& visit)
{
    using Matrix = Eigen::Ref<const Eigen::MatrixXd>;
    constexpr Eigen::Index NUMBERS = 8192;
    const auto size = static_cast<Eigen::Index>(samples.indices.size());
    const Eigen::Index rows = data.features.rows();
    const Eigen::Index most =
        std::clamp<Eigen::Index>(NUMBERS / std::max<Eigen::Index>(rows, 1), 8, 512);
    Eigen::MatrixXd gathered;
    for (Eigen::Index first = 0; first < size; first += most)
    {
        const Eigen::Index width = std::min(most, size - first);
        const uint32_t* indices = samples.indices.data() + first;
        bool neighbors = true;
        Eigen::ArrayXd labels(width);
        for (Eigen::Index i = 0; i < width; ++i)
        {
            labels[i] = data.labels[indices[i]];
            neighbors = neighbors && indices[i] == indices[0] + i;
        }
        if (!neighbors)
        {
            gathered.resize(rows, width);
            for (Eigen::Index i = 0; i < width; ++i)
            {
                gathered.col(i) = data.features.col(indices[i]);
            }
        }
        const Matrix features =
            neighbors ? Matrix(data.features.middleCols(indices[0], width)) : Matrix(gathered);
        visit(SampleBlock{features, labels, samples.weights.segment(first, width).array()});
    }
}

/**
 * @ingroup dlearn
 * The loss of samples that are in no data set, and its gradients with respect to the model and to
 * the samples, which gradient inversion needs to find the samples behind a gradient. A task that
 * supports this implements this interface in addition to Task.
 *
 * Of B samples (x_b, y_b) the loss is the mean of l(theta, (x_b, y_b)), without regularization;
 * nothing is clipped. All functions throw std::invalid_argument for a model or features of the
 * wrong size, numbers that are not finite, and labels that are not a class.
 */
class SampleLoss
{
  public:
    virtual ~SampleLoss() = default;

    /**
     * @param theta a model
     * @param features features x B: one column per sample
     * @param labels B classes
     * @return gradient of the loss with respect to theta
     */
    virtual ModelVector GetModelGradient(ConstVectorRef theta,
                                         const Eigen::MatrixXd& features,
                                         const Eigen::VectorXd& labels) const = 0;

    /** @return gradient of the loss with respect to the features, features x B */
    virtual Eigen::MatrixXd GetInputGradient(ConstVectorRef theta,
                                             const Eigen::MatrixXd& features,
                                             const Eigen::VectorXd& labels) const = 0;

    /** @return features of a sample */
    virtual uint32_t GetInputs() const = 0;

    /** @return number of classes; labels are 0 to one less */
    virtual uint32_t GetClasses() const = 0;

  protected:
    /** @return the samples as a data set; refuses those that the class comment does not allow */
    Dataset MakeSamples(const Eigen::MatrixXd& features, const Eigen::VectorXd& labels) const;
};

/** @return the first class of the largest score; maxCoeff() does not promise which of equals */
inline Eigen::Index
GetWinner(ConstVectorRef scores)
{
    Eigen::Index best = 0;
    for (Eigen::Index k = 1; k < scores.size(); ++k)
    {
        best = scores[k] > scores[best] ? k : best;
    }
    return best;
}

} // namespace ns3::dlearn

#endif // DLEARN_TASK_H
