/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-release-terms.h"

#include "dlearn-gaussian-accounting.h"

#include <algorithm>

namespace ns3::dlearn
{

double
ReleaseTerms::GetRecoveredRate(uint32_t dropped) const
{
    return model->GetRecoveredRate(counts, dropped, sensitivity, noise);
}

double
ReleaseTerms::GetExposedRate() const
{
    return std::max(planned, GaussianRate(sensitivity, noise.independent));
}

} // namespace ns3::dlearn
