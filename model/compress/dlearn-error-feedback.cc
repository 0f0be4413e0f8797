/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-error-feedback.h"

#include "ns3/dlearn-check.h"

#include <cmath>

namespace ns3::dlearn
{

void
ErrorFeedback::Correct(VectorRef values) const
{
    if (m_residual.size() > 0)
    {
        RequireSize("ErrorFeedback", "vector", values.size(), m_residual.size());
        values += m_residual;
    }
}

void
ErrorFeedback::Keep(ConstVectorRef wanted, ConstVectorRef received)
{
    RequireSize("ErrorFeedback", "received vector", received.size(), wanted.size());
    m_residual = (wanted - received).unaryExpr([](double value) {
        return std::isfinite(value) ? value : 0.0;
    });
}

} // namespace ns3::dlearn
