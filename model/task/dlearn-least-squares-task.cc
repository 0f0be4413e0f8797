/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-least-squares-task.h"

#include "dlearn-quadratic-history.h"

#include "ns3/dlearn-check.h"

#include <limits>

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(LeastSquaresTask);

TypeId
LeastSquaresTask::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::LeastSquaresTask")
                            .SetParent<GeneralizedLinearTask>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<LeastSquaresTask>();
    return tid;
}

double
LeastSquaresTask::GetAccuracy(ConstVectorRef theta) const
{
    CheckModel(theta);
    return std::numeric_limits<double>::quiet_NaN();
}

std::unique_ptr<GradientHistory>
LeastSquaresTask::CreateHistory(uint32_t window) const
{
    if (window == 0 && GetClipNorm() == 0)
    {
        return std::make_unique<QuadraticHistory>(*this);
    }
    return GeneralizedLinearTask::CreateHistory(window);
}

void
LeastSquaresTask::CheckData() const
{
    Require(GetTrain().classes == 0,
            "LeastSquaresTask: data must be those of a regression (classes = 0), got ",
            GetTrain().classes,
            " classes in '",
            GetTrain().name,
            "'");
}

double
LeastSquaresTask::GetGradientBound() const
{
    return std::numeric_limits<double>::infinity();
}

GeneralizedLinearTask::Values
LeastSquaresTask::GetLosses(const Values& scores, const Values& labels) const
{
    return 0.5 * (scores - labels).square();
}

GeneralizedLinearTask::Values
LeastSquaresTask::GetSlopes(const Values& scores, const Values& labels) const
{
    return scores - labels;
}

GeneralizedLinearTask::Values
LeastSquaresTask::GetCurvatures(const Values& scores) const
{
    return Values::Ones(scores.size());
}

double
LeastSquaresTask::GetCurvatureBound() const
{
    return 1;
}

} // namespace dlearn
} // namespace ns3
