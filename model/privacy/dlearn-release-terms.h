/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RELEASE_TERMS_H
#define DLEARN_RELEASE_TERMS_H

#include "dlearn-threat-model.h"

#include "ns3/ptr.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The properties of a planned run that the privacy account of a client needs: the adversary, how
 * far a message can move, and the noise that hides it. Both a CafCorPlan and a FedAvgPlan have such
 * terms.
 */
struct ReleaseTerms
{
    Ptr<const ThreatModel> model; //!< who is curious
    WorkerCounts counts;          //!< who takes part
    double clip{0};               //!< C, norm to which the client clips, or its task if perSample
    bool perSample{false};        //!< whether the gradient of each sample is clipped
    double sensitivity{0};        //!< D, largest distance of what two data sets of the client give
    NoiseScales noise;            //!< what a client adds; that of a trusted server is independent
    double planned{0};            //!< rate e of a round as planned

    /**
     * @param dropped workers that were named in noise recoveries, less than all
     * @return rate of a worker that was not, see ThreatModel::GetRecoveredRate()
     * @throw std::invalid_argument when too many were
     */
    double GetRecoveredRate(uint32_t dropped) const;

    /**
     * @return rate of a worker that was named: the others have revealed all noise that they share
     *         with it, so that only its own protects it
     */
    double GetExposedRate() const;
};

} // namespace ns3::dlearn

#endif // DLEARN_RELEASE_TERMS_H
