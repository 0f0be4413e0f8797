/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EXTERNAL_TASK_H
#define DLEARN_EXTERNAL_TASK_H

#include "dlearn-learner-process.h"

#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-task.h"
#include "ns3/nstime.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A learning problem of a program of the user, in any language, which knows model, loss and
 * gradient, and maybe has its own data. It computes while the network is simulated; simulated time
 * is that of the ComputeModel, however long the program takes. The manual has the protocol; the
 * Python package dlearn_learner is the other side of it.
 *
 * Some processes of the program serve all learners: each trains its share of the clients, and
 * evaluates and computes gradients for all. An answer must be a function of the question, and of
 * the earlier rounds of the same client; then results depend neither on the number of processes
 * nor on that of threads.
 *
 * The objective is the process's own, so that Regularization must be 0. With ClipNorm, the process
 * clips the gradient of each sample, and privacy accounts rely on it.
 */
class ExternalTask : public Task
{
  public:
    static TypeId GetTypeId();

    /**
     * Start the processes and give the task its data, in place of SetData().
     *
     * @param learners that train, from 1
     * @param train samples that the processes get; null: they have their own, and training data of
     *        this task are stand-ins, GetShards() of them for each learner
     * @param test samples that they are to score on
     * @return the training data
     * @throw std::runtime_error naming the process that fails, and why
     */
    DatasetPtr Start(uint32_t learners, DatasetPtr train, DatasetPtr test);

    /** @return the samples of each learner, if they are the processes' own; else nothing */
    const std::vector<SampleIndices>& GetShards() const { return m_shards; }

    /** @return names of the numbers that training reports, samples first; empty when the processes
     *          do not train */
    const std::vector<std::string>& GetFigures() const { return m_figures; }

    /** @return names of GetMetrics() */
    const std::vector<std::string>& GetMetricNames() const { return m_hello.metrics; }

    /** @return whether the processes say how long training takes */
    bool TellsTime() const { return (m_hello.abilities & LearnerHello::TIMES) != 0; }

    /** What training reports besides the model. */
    struct Report
    {
        Figures figures; //!< GetFigures(), finite
        double seconds;  //!< that it takes in simulated time, if TellsTime()
    };

    /**
     * Train; may be called from several threads.
     *
     * @param client from 1
     * @param round from 0
     * @param samples of the round, in the order of use
     * @param settings of the server's schedule, by name
     * @param model to begin with; becomes the trained one
     */
    Report Train(LearnerId client,
                 uint32_t round,
                 const SampleIndices& samples,
                 const std::map<std::string, double>& settings,
                 ModelVector& model) const;

    uint32_t GetDimension() const override { return static_cast<uint32_t>(m_hello.initial.size()); }

    /** @return what the process says, or 6 for each parameter: a multiplication and an addition
     *          forwards, and twice as much back */
    double GetFlopsPerSample() const override;

    /** @return NaN when the processes do not evaluate */
    double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const override;

    double GetAccuracy(ConstVectorRef theta) const override;

    std::map<std::string, double> GetMetrics(ConstVectorRef theta) const override;

    void ClippedGradient(ConstVectorRef theta,
                         const WeightedSamples& samples,
                         double clipNorm,
                         VectorRef gradient) const override;

    /** @return that of the process */
    ModelVector DrawInitialModel(int64_t /* stream */) const override { return m_hello.initial; }

  protected:
    void DoDispose() override;
    void CheckData() const override;

  private:
    DatasetPtr DivideOwnData();

    /** @return a process for a question that any can answer */
    LearnerProcess& Choose() const;

    LearnerScores Evaluate(ConstVectorRef theta, const WeightedSamples& samples) const;

    /** @return scores that do not depend on samples, which were asked already for the last model */
    LearnerScores Recall(ConstVectorRef theta) const;

    std::string m_command;                                    //!< attribute Command
    uint32_t m_count{1};                                      //!< attribute Processes
    Time m_timeout;                                           //!< attribute Timeout
    std::vector<std::unique_ptr<LearnerProcess>> m_processes; //!< Processes of them
    LearnerHello m_hello;
    std::vector<std::string> m_figures;
    std::vector<SampleIndices> m_shards;
    mutable std::mutex m_mutex;     //!< guards what follows
    mutable ModelVector m_last;     //!< evaluated last
    mutable LearnerScores m_scores; //!< of that
};

/**
 * @ingroup dlearn
 * A client whose training is that of an ExternalTask. With its update it sends the figures that the
 * task reports, the first of which is samples, by which FedAvgServer weighs updates.
 */
class ExternalTraining : public LocalTraining
{
  public:
    static TypeId GetTypeId();

    MessageFormat GetFormat(ModelChannel channel) const override;

    uint64_t GetWork() const override { return m_data->GetRoundSize(); }

    uint64_t CountSteps() const override { return 0; }

    /** @param name of the entry of config @param value from now on */
    void TakeSetting(const std::string& name, double value) override { m_settings[name] = value; }

    std::optional<double> FindTrainingTime() const override;

  protected:
    void CheckAttributes() const override;
    ModelVector Train(const ModelVector& start, const SampleIndices& samples) override;

  private:
    /** @return the task; no copy of a Ptr, as Train() may run on another thread */
    const ExternalTask& GetExternal() const { return dynamic_cast<const ExternalTask&>(*m_task); }

    std::map<std::string, double> m_settings; //!< of the server's schedule
    double m_seconds{0};                      //!< of the last training
};

} // namespace ns3::dlearn

#endif // DLEARN_EXTERNAL_TASK_H
