/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EXTERNAL_EVALUATOR_H
#define DLEARN_EXTERNAL_EVALUATOR_H

#include "dlearn-evaluator.h"

#include "ns3/dlearn-learner-process.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Measures models by another evaluator and by a process of the user, whose metrics join the
 * results. Its loss and accuracy count where the other evaluator has none. The process starts with
 * the first model.
 */
class ExternalEvaluator : public AddingEvaluator
{
  public:
    /** What the process is to know. */
    struct Settings
    {
        std::string command; //!< of the shell
        /// Longest wait for an answer, in real time.
        std::chrono::milliseconds timeout{LearnerProcess::PATIENCE};
        uint32_t learners{0}; //!< that train
        DatasetPtr train;     //!< data for it; null: none
        DatasetPtr test;      //!< data for it; null: none
        /// Throws std::invalid_argument if what the process says of itself is wrong; may be empty.
        std::function<void(const LearnerHello&)> check;
    };

    /**
     * @param inner measures first
     * @param settings of the process
     */
    ExternalEvaluator(std::unique_ptr<ModelEvaluator> inner, Settings settings);

  private:
    void Add(const ModelVector& model, Evaluation& evaluation) override;

    Settings m_settings;
    std::unique_ptr<LearnerProcess> m_process; //!< null before the first model
    std::vector<std::string> m_metrics;        //!< their names
};

} // namespace ns3::dlearn

#endif // DLEARN_EXTERNAL_EVALUATOR_H
