/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EVALUATOR_H
#define DLEARN_EVALUATOR_H

#include "dlearn-model-evaluator.h"

#include "ns3/dlearn-sample-stream.h"
#include "ns3/dlearn-task.h"
#include "ns3/ptr.h"

#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Measures the models of a round on all data that all learners have seen until then, or on data
 * that are available from the start.
 *
 * The objective of round t is that of Chen and Wang ("Locally Differentially Private
 * Distributed Online Learning with Guaranteed Optimality", problem (1)-(2)),
 *
 *   F_t(theta) = 1/m sum_i (mean of l(theta, xi) over the samples that learner i drew in
 *                rounds <= t) + (Regularization / 2) ||theta||^2,
 *
 * over the m learners that have drawn samples. Its minimum theta_t* is computed when the task is a
 * ConvexTask, each time starting from the previous one. Where F_t has more than one minimum (fewer
 * samples than parameters, no regularization), theta_t* is one of them.
 *
 * Learners draw with replacement, so their logs grow without bound and contain samples many times;
 * the observer counts them (UpdateCounts), which bounds the cost of a round by the size of the
 * data set, whatever the number of rounds.
 */
class Evaluator : public ModelEvaluator
{
  public:
    /**
     * @param task what is learned
     * @param streams the learners' samples, in any order
     * @throw std::invalid_argument when there is no task, no stream, or an empty pointer
     */
    Evaluator(Ptr<const Task> task, std::vector<Ptr<SampleStream>> streams);

    /**
     * @param task what is learned
     * @param samples what F_t averages over in every round
     * @throw std::invalid_argument when there is no task
     */
    Evaluator(Ptr<const Task> task, WeightedSamples samples);

    /**
     * Evaluate the models that some nodes hold at the end of a round.
     *
     * Figures that do not exist are NaN: loss and all that follows from it as long as no sample has
     * been drawn, accuracy of a regression, error and regret when the task is no ConvexTask, has
     * more than 2000 parameters, or F_t has no minimum that can be reached (GetWarnings), and
     * regret of samples that are the same in every round. A model
     * that is not finite has infinite loss, error, regret and consensus, and no accuracy; so a
     * diverged node is visible, and the others are still evaluated.
     *
     * @param round the round, not less than in the call before
     * @param models of the nodes that closed the round; consensus is measured from their mean
     * @return an evaluation for each of @p models
     * @throw std::invalid_argument when rounds go back or a model has the wrong dimension
     */
    std::map<LearnerId, Evaluation> Evaluate(
        uint32_t round,
        const std::map<LearnerId, ModelVector>& models) override;

    /** @return the distinct samples of F_t and their weights, as of the last Evaluate() */
    const WeightedSamples& GetSamples() const { return m_samples; }

    /** @return theta_t* as of the last Evaluate(); empty when it is not known */
    const ModelVector& GetMinimizer() const { return m_minimizer; }

    /** @return F_t(theta_t*) as of the last Evaluate(); NaN when it is not known */
    double GetMinimum() const { return m_minimum; }

    /** @return why some minima are missing, for the results; empty when none is */
    const std::vector<std::string>& GetWarnings() const override { return m_warnings; }

    std::map<LearnerId, SampleStream::Draws> TakeDraws() override;
    void AddDraws(const std::map<LearnerId, SampleStream::Draws>& draws) override;

  private:
    /** What one learner has drawn so far. */
    struct Drawn
    {
        Ptr<SampleStream> stream;            //!< its log
        size_t read{0};                      //!< entries of the log that are counted
        std::map<uint32_t, uint64_t> counts; //!< how often each sample was drawn
        size_t taken{0};                     //!< entries that TakeDraws() has given

        /** @param archive saves or loads the values */
        template <typename Archive>
        void VisitState(Archive& archive)
        {
            archive(read, counts);
        }
    };

    /**
     * @param model of a learner
     * @param mean of all models
     * @return how good it is
     */
    Evaluation EvaluateModel(const ModelVector& model, const ModelVector& mean) const;

    /** @return whether samples were drawn until a round that were not counted before */
    bool UpdateCounts(uint32_t round);

    /** Weight the samples as the learners have drawn them. */
    void UpdateSamples();

    /**
     * Compute the best model on the weighted samples, where the task is convex and small enough.
     */
    void UpdateMinimum(uint32_t round);

    Ptr<const Task> m_task;              //!< what is learned
    std::vector<Drawn> m_drawn;          //!< one per learner
    bool m_fresh{false};                 //!< whether fixed samples still lack their minimum
    uint32_t m_round{0};                 //!< of the last call
    WeightedSamples m_samples;           //!< of F_t
    ModelVector m_start;                 //!< the newest minimum found: where to look next
    ModelVector m_minimizer;             //!< theta_t*, or empty
    double m_minimum{Evaluation::NONE};  //!< F_t(theta_t*)
    std::vector<std::string> m_warnings; //!< why minima are missing
};

} // namespace ns3::dlearn

#endif // DLEARN_EVALUATOR_H
