/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LOCAL_DATA_H
#define DLEARN_LOCAL_DATA_H

#include "dlearn-linear-tasks.h"
#include "dlearn-task.h"

#include "ns3/dlearn-data-drift.h"
#include "ns3/dlearn-types.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <deque>
#include <functional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The data of one client: its task, and its samples of every round.
 *
 * Each client owns one; several may share a task whose data never change.
 */
class LocalData : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Choose or generate the samples of a round; draws random numbers. Rounds must be passed in
     * increasing order; rounds without the client may be omitted.
     *
     * @param round the round
     * @throw std::invalid_argument when the round is not greater than the one before
     */
    virtual void BeginRound(uint32_t round) = 0;

    /**
     * @return the objective. Its dimension is known from the start; its training data hold
     *         the samples of the round after BeginRound()
     */
    virtual Ptr<const Task> GetTask() const = 0;

    /**
     * @return positions of the round's samples in the task's training data, in the order of
     *         use
     * @throw std::invalid_argument before the first BeginRound()
     */
    virtual const SampleIndices& GetSamples() const = 0;

    /** @return n_i, samples of a round: the client's weight in averages */
    virtual uint32_t GetSampleCount() const = 0;

    /**
     * @return largest probability that a sample of the client takes part in a round, for privacy
     *         accounts of samples; 1 unless overridden
     */
    virtual double GetSamplingShare() const { return 1; }

    /** @return length of GetSamples(), passes included; also before the first round */
    virtual size_t GetRoundSize() const
    {
        return m_started ? GetSamples().size() : GetSampleCount();
    }

    /**
     * Fix the random streams.
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;

  protected:
    /** Record the begin of a round. @throw std::invalid_argument unless it follows the last */
    void StartRound(uint32_t round);

    /** @throw std::invalid_argument before the first round */
    void CheckStarted() const;

  private:
    bool m_started{false};   //!< whether a round has begun
    uint32_t m_lastRound{0}; //!< the round that began last
};

/**
 * @ingroup dlearn
 * A client's fixed share of a data set: in each round, samples drawn uniformly without
 * replacement from its shard, the first n of a new random order.
 */
class ShardData : public LocalData
{
  public:
    static TypeId GetTypeId();

    /**
     * @param task the objective, which all clients share; its data must have been set
     * @param shard positions in the task's training data that belong to this client; not
     *        empty, no position twice
     * @param samples n, samples a round; 0, or as many as the shard has or more, for all
     * @throw std::invalid_argument when the task is null or the shard breaks a rule, or a client
     *        has been set up with these data
     */
    void SetShard(Ptr<const Task> task, SampleIndices shard, uint32_t samples);

    /**
     * Pass over a round's samples more than once, each time in another random order. GetSamples()
     * then contains all passes in sequence, and GetSampleCount() those of one pass.
     *
     * @param epochs passes, at least 1
     */
    void SetEpochs(uint32_t epochs);

    /**
     * After SetShard(): the samples of a round are drawn from those that the client has in it.
     *
     * @param drift chooses them; set up; the task's training data are of DataDrift::Prepare()
     */
    void SetDrift(Ptr<const DataDrift> drift);

    /**
     * In some rounds take other samples in place of those of the shard, such as poisoned ones.
     *
     * @param offset from the position of a sample to that of the other one
     * @param isOther returns whether a round is one of them
     */
    void SetOther(uint32_t offset, std::function<bool(uint32_t round)> isOther);

    void BeginRound(uint32_t round) override;
    Ptr<const Task> GetTask() const override;
    const SampleIndices& GetSamples() const override;

    uint32_t GetSampleCount() const override { return m_count; }

    double GetSamplingShare() const override
    {
        return static_cast<double>(m_count) / static_cast<double>(m_order.size());
    }

    size_t GetRoundSize() const override { return static_cast<size_t>(m_count) * m_epochs; }

    int64_t AssignStreams(int64_t stream) override;

  private:
    void RequireUnused(const char* what) const;

    Ptr<const Task> m_task;       //!< the objective
    Ptr<const DataDrift> m_drift; //!< of the shard; null: none
    SampleIndices m_shard;        //!< with a drift: the shard
    SampleIndices m_order;        //!< what the client has, in the order of the last round
    SampleIndices m_samples;      //!< of the round, pass after pass
    uint32_t m_count{0};          //!< samples a round, at most those of the shard
    uint32_t m_epochs{1};         //!< passes over them
    uint32_t m_offset{0};         //!< to other samples
    std::function<bool(uint32_t)> m_isOther; //!< see SetOther(); may be empty
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
};

/**
 * @ingroup dlearn
 * Options of a LinearGaussianProblem.
 */
struct LinearGaussianProblemOptions
{
    uint32_t clients{3};                //!< m, at least 1
    uint32_t dimension{200};            //!< p, at least 1
    uint32_t sparsity{5};               //!< s, non-zero entries of w*, at most p; 0 for all p
    double initialError{1};             //!< D0 = ||w*_0 - w_0||^2, at least 0
    double heterogeneity{0.5};          //!< norm of every gamma_i, at least 0
    std::vector<double> noiseStds{0.7}; //!< sigma_i: one for all clients, or one each
    double drift{0}; //!< root of the mean squared step of w* from a round to the next
};

/**
 * @ingroup dlearn
 * The truth that the clients of a linear regression share, and how far each is from it
 * (Assumption 1 of Ju, Yang, Liu et al., "Can we theoretically quantify the impacts of local
 * updates on the generalization performance of federated learning?", MobiHoc 2024):
 *
 * - w*_0 has s non-zero entries in random places, a random direction and norm 1;
 * - the initial model is w_0 = (1 - sqrt(D0)) w*_0, so that ||w*_0 - w_0||^2 = D0;
 * - client i measures with the truth w*_t - gamma_i, where every gamma_i has the given norm
 *   and they sum to zero: in pairs (g, -g) of a random direction each, the last three of an
 *   odd number at 120 degrees in a random plane;
 * - from a round to the next each non-zero entry of w* moves by N(0, drift^2 / s).
 *
 * Clients are numbered 0 to m-1 here. All numbers but the drift are drawn in Draw(); the truths of
 * later rounds are drawn when they are first needed, in the order of the rounds, whatever the order
 * of the calls (so with drift > 0 from one thread only).
 */
class LinearGaussianProblem : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Fix the random streams; must come before Draw().
     * @param stream first stream number
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Draw the problem; may be called once.
     *
     * @param options of the problem
     * @throw std::invalid_argument naming the option, its value and the rule it breaks; when
     *        gammas that sum to zero do not exist (heterogeneity > 0 with one client, or with
     *        an odd number in one dimension)
     */
    void Draw(const LinearGaussianProblemOptions& options);

    // The following is known after Draw(). Clients are numbered from 0.

    /** @return the options that the problem was drawn with */
    const LinearGaussianProblemOptions& GetOptions() const { return m_options; }

    /** @return w_0, the model that all clients start from */
    const ModelVector& GetInitialModel() const { return m_initialModel; }

    /**
     * @param round t, from 0
     * @return w*_t, the truth that the data of round t follow
     */
    const ModelVector& GetTruth(uint32_t round) const;

    /** @return gamma_i, how far the client's truth is from w* */
    const ModelVector& GetGamma(uint32_t client) const { return m_gammas.at(client); }

    /** @return sigma_i, the standard deviation of the noise on the client's targets */
    double GetNoiseStd(uint32_t client) const;

    /** @return w*_t - gamma_i, the truth of the client in round t */
    ModelVector GetClientTruth(uint32_t client, uint32_t round) const
    {
        return GetTruth(round) - GetGamma(client);
    }

  private:
    void DrawGammas();
    ModelVector DrawDirection() const;

    LinearGaussianProblemOptions m_options; //!< of Draw()
    ModelVector m_initialModel;             //!< w_0
    std::vector<ModelVector> m_gammas;      //!< gamma_i of each client
    /** w*_t of the rounds so far; a deque, because its references outlive an extension. */
    mutable std::deque<ModelVector> m_truths;
    Ptr<UniformRandomVariable> m_places{
        CreateObject<UniformRandomVariable>()};                               //!< where w* is not 0
    Ptr<NormalRandomVariable> m_values{CreateObject<NormalRandomVariable>()}; //!< of w*_0
    Ptr<NormalRandomVariable> m_gammaEntries{CreateObject<NormalRandomVariable>()};
    Ptr<NormalRandomVariable> m_driftEntries{CreateObject<NormalRandomVariable>()};
};

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

    /**
     * @param problem the truth; must have been drawn
     * @param client number of the client within the problem, from 0
     * @param samples n, samples per round; at least 1
     * @throw std::invalid_argument when an argument breaks its rule
     */
    void SetProblem(Ptr<const LinearGaussianProblem> problem, uint32_t client, uint32_t samples);

    void BeginRound(uint32_t round) override;

    /** @return the task; before the first round its data are one sample of zeros */
    Ptr<const Task> GetTask() const override { return m_task; }

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

#endif // DLEARN_LOCAL_DATA_H
