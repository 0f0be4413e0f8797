/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TASK_H
#define DLEARN_TASK_H

#include "dlearn-gradient-history.h"

#include "ns3/dlearn-dataset.h"
#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <memory>
#include <optional>

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

/**
 * @ingroup dlearn
 * @param indices positions in the data set; not empty
 * @return the same samples, each with the weight 1 / number of indices
 */
WeightedSamples EqualWeights(SampleIndices indices);

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
     * Give the task its data; checks that the labels are of the kind it needs. When it refuses
     * them, the task keeps its previous data.
     *
     * @param train samples to learn from; not empty
     * @param test samples to score on; may be null, then GetAccuracy scores on train
     * @throw std::invalid_argument when the data, or the task's attributes, break a rule
     */
    void SetData(DatasetPtr train, DatasetPtr test);

    /** @return samples to learn from */
    const Dataset& GetTrain() const;

    /** @return samples to score on */
    const Dataset& GetTest() const;

    /** @return number of parameters of the model */
    virtual uint32_t GetDimension() const = 0;

    /**
     * @param theta a model
     * @param samples what to average over
     * @return F(theta), with regularization
     */
    virtual double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const = 0;

    /**
     * Gradient of F, with per-sample clipping when ClipNorm > 0. Then a sample whose gradient is
     * not finite, and cannot be clipped, counts as one with a gradient of 0: each sample moves the
     * result by no more than its weight times ClipNorm, whatever the model is.
     *
     * @param theta a model
     * @param samples what to average over
     * @param gradient result, of GetDimension() entries
     */
    void Gradient(ConstVectorRef theta, const WeightedSamples& samples, VectorRef gradient) const;

    /**
     * Gradient of F with a clipping norm of the caller's choice.
     *
     * @param theta a model
     * @param samples what to average over
     * @param clipNorm largest norm of one sample's gradient; 0 for no clipping
     * @param gradient result, of GetDimension() entries; must not overlap theta
     */
    virtual void ClippedGradient(ConstVectorRef theta,
                                 const WeightedSamples& samples,
                                 double clipNorm,
                                 VectorRef gradient) const = 0;

    /**
     * Gradient of F over samples of equal weight.
     *
     * @param theta a model
     * @param samples what to average over; not empty
     * @param gradient result, of GetDimension() entries
     */
    void BatchGradient(ConstVectorRef theta,
                       const SampleIndices& samples,
                       VectorRef gradient) const;

    /**
     * @param theta a model
     * @return share of the test samples that the model classifies rightly; NaN for a
     *         regression
     */
    virtual double GetAccuracy(ConstVectorRef theta) const = 0;

    /**
     * Constant of Assumption 5 (Chen and Wang): a bound on the distance between the
     * gradients of two samples, over all theta. 2 ClipNorm when clipping; else what the
     * data allow; infinity when nothing bounds it.
     *
     * @return C
     */
    double GetSensitivity() const;

    /**
     * Refuse other values of ClipNorm and Regularization from now on, as a privacy account counts
     * on what follows from them.
     */
    void FixConstants() const { m_fixed = true; }

    /** FixConstants(), and refuse other data, too, for an account that counts on their norms. */
    void FixData() const;

    /**
     * Constant of Assumption 3 (iii) (Chen and Wang): gradients of one sample (with the
     * regularization) are Lipschitz with this constant, over all theta and training samples.
     *
     * Clipping does not change it: scaling a vector to norm at most c is the projection on a ball,
     * which does not increase the distance of two vectors.
     *
     * @return L; infinity, unless overridden, for not known
     */
    virtual double GetSmoothness() const;

    /** @return floating-point operations of one sample's gradient, for compute-time models */
    virtual double GetFlopsPerSample() const = 0;

    /**
     * The initial model. All learners of a run begin with the same model; random entries come from
     * one stream, so that every learner could draw them.
     *
     * @param stream random stream (1 used); negative for an automatic one
     * @return a model; zero unless a task says otherwise
     */
    virtual ModelVector DrawInitialModel(int64_t stream) const;

    /**
     * A history that is faster than evaluating all samples again; see CreateHistory() of
     * dlearn-replay-history.h.
     *
     * @param window batches to keep; 0 keeps all
     * @return an empty history that averages this task's gradients; null, unless overridden, where
     * there is none
     */
    virtual std::unique_ptr<GradientHistory> CreateShortHistory(uint32_t window) const;

    /** @return strength of the regularization */
    double GetRegularization() const { return m_regularization; }

    /** @return per-sample clipping norm; 0 when gradients are not clipped */
    double GetClipNorm() const { return m_clipNorm; }

    /**
     * Refuse samples that are not there.
     *
     * @param indices positions in the training data
     * @throw std::invalid_argument when the list is empty or points past the end
     */
    void CheckIndices(const SampleIndices& indices) const;

    /**
     * Refuse a vector that has not one entry a parameter of the model.
     *
     * @param name what the message calls it
     * @param vector the vector; its numbers do not matter
     * @throw std::invalid_argument naming both sizes
     */
    void CheckSize(const char* name, ConstVectorRef vector) const;

    /**
     * Refuse a model that has the wrong size or is not finite.
     *
     * @param theta a model
     * @throw std::invalid_argument naming the sizes, or the entry that is not finite
     */
    void CheckModel(ConstVectorRef theta) const;

  protected:
    /** @throw std::invalid_argument when train and test are not data this task can learn */
    virtual void CheckData() const = 0;

    /** Called by SetData() when all checks have passed, to prepare what the data determine. */
    virtual void AdoptData();

    /**
     * Refuse weighted samples that are not a measure on the training data.
     *
     * @param samples the samples to average over
     * @throw std::invalid_argument when CheckIndices() does, or when the weights are not one
     *        finite number of at least 0 an index
     */
    void CheckSamples(const WeightedSamples& samples) const;

    /**
     * All checks that the arguments of ClippedGradient() need.
     *
     * @param theta a model
     * @param samples what to average over
     * @param clipNorm largest norm of one sample's gradient; 0 for no clipping
     * @param gradient where the result goes
     */
    void CheckGradient(ConstVectorRef theta,
                       const WeightedSamples& samples,
                       double clipNorm,
                       ConstVectorRef gradient) const;

    /** As Gradient() with clipping, sample by sample. */
    void AddFiniteGradients(ConstVectorRef theta,
                            const WeightedSamples& samples,
                            VectorRef gradient) const;

    /** @return largest norm of a training sample's features, computed once in SetData() */
    double GetMaxNorm() const { return m_maxNorm; }

    /** @return sup over theta and samples of the norm of an unclipped gradient of l */
    virtual double GetGradientBound() const = 0;

  private:
    /** @param factor the attribute Regularization */
    void SetRegularization(double factor);

    /** @param norm the attribute ClipNorm */
    void SetClipNorm(double norm);

    /** @throw std::invalid_argument for another value of an attribute after FixConstants() */
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

    /**
     * Hessian of the unclipped F.
     *
     * @param theta a model
     * @param samples what to average over
     * @return GetDimension() x GetDimension(), symmetric
     */
    virtual Eigen::MatrixXd GetHessian(ConstVectorRef theta,
                                       const WeightedSamples& samples) const = 0;

    /**
     * The minimum of the unclipped F to which gradient descent leads, where the task knows it in
     * closed form; see MinimizeFrom() of dlearn-newton.h.
     *
     * @param start where to start
     * @param samples what to average over; not empty
     * @return the minimum; nothing, unless overridden, where there is no closed form
     */
    virtual std::optional<ModelVector> SolveFrom(ConstVectorRef start,
                                                 const WeightedSamples& samples) const;

    /**
     * Constant mu of strong convexity that holds whatever the data are: the regularization.
     *
     * @return mu; 0 when the objective is merely convex
     */
    double GetCurvature() const;
};

} // namespace ns3::dlearn

#endif // DLEARN_TASK_H
