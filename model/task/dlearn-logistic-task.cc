/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-logistic-task.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LogisticTask, GeneralizedLinearTask);

double
LogisticTask::GetAccuracy(ConstVectorRef theta) const
{
    CheckModel(theta);
    const Dataset& test = GetTest();
    const Values scores = (test.features.transpose() * theta).array();
    return ((scores > 0) == (test.labels.array() > 0)).cast<double>().mean();
}

void
LogisticTask::CheckData() const
{
    Require(GetTrain().classes == 2,
            "LogisticTask: data must have 2 classes, got ",
            GetTrain().classes,
            " in '",
            GetTrain().name,
            "'");
}

double
LogisticTask::GetGradientBound() const
{
    return GetMaxNorm();
}

GeneralizedLinearTask::Values
LogisticTask::GetLosses(const Values& scores, const Values& labels) const
{
    const Values wrong = (1 - 2 * labels) * scores;
    return wrong.max(0) + (-wrong.abs()).exp().log1p();
}

GeneralizedLinearTask::Values
LogisticTask::GetSlopes(const Values& scores, const Values& labels) const
{
    const Values side = 1 - 2 * labels;
    return side / (1 + (-side * scores).exp());
}

GeneralizedLinearTask::Values
LogisticTask::GetCurvatures(const Values& scores) const
{
    // Even in the score; from exp(-|z|) it neither overflows nor cancels.
    const Values tail = (-scores.abs()).exp();
    return tail / (1 + tail).square();
}

} // namespace ns3::dlearn
