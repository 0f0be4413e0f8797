/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dlearn
{

std::tuple<double, double, double, double>
MeasureSpread(std::vector<double> scores, bool rising)
{
    const Eigen::Map<const Eigen::ArrayXd> x(scores.data(), scores.size());
    const Eigen::Index size = x.size();
    if (size == 0 || x.isNaN().any())
    {
        constexpr double NONE = Evaluation::NONE;
        return {NONE, NONE, NONE, NONE};
    }
    std::sort(scores.begin(), scores.end());
    const Eigen::Index worst = std::max<Eigen::Index>(size / 10, 1);
    const double mean = x.mean();
    return {mean,
            std::sqrt((x - mean).square().mean()),
            x.segment(rising ? 0 : size - worst, worst).mean(),
            x.sum() * x.sum() / (size * x.square().sum())};
}

void
ClientEvaluator::Add(const ModelVector& model, Evaluation& evaluation)
{
    const bool classes = m_clients.front().test->GetTrain().classes > 0;
    std::vector<double> scores;
    for (const Client& client : m_clients)
    {
        const ModelVector* personal = client.rule->FindPersonalModel();
        const ModelVector& tested = personal ? *personal : model;
        const Task& test = *client.test;
        const auto all = [&test] { return EqualWeights(FirstSamples(test.GetTrain().GetSize())); };
        scores.push_back(!tested.allFinite() ? classes ? Evaluation::NONE : INFINITE
                         : classes           ? test.GetAccuracy(tested)
                                             : test.GetLoss(tested, all()));
    }
    auto& e = evaluation;
    auto accuracy = std::tie(e.clientAccuracyMean,
                             e.clientAccuracySd,
                             e.clientAccuracyWorstTenth,
                             e.clientAccuracyJain);
    auto loss =
        std::tie(e.clientLossMean, e.clientLossSd, e.clientLossWorstTenth, e.clientLossJain);
    (classes ? accuracy : loss) = MeasureSpread(scores, classes);
}

} // namespace ns3::dlearn
