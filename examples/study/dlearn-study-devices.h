/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STUDY_DEVICES_H
#define DLEARN_STUDY_DEVICES_H

#include "dlearn-study-parameters.h"

/**
 * @file
 * What no closed form knows: FedAvg on devices of unequal speed, against simulated time.
 */

namespace ns3::dlearn
{

/**
 * Speeds that differ by orders of magnitude, lossy links: rounds with three deadlines, and
 * rounds that wait for all.
 *
 * @param parameters what the user asked for
 * @return whether the price of waiting, and that of not waiting, show
 */
bool RunDeadlineFigure(const StudyParameters& parameters);

/**
 * One client is ten times slower than the others: synchronous rounds, FedBuff, FedAsync.
 *
 * @copydetails RunDeadlineFigure()
 */
bool RunStragglerFigure(const StudyParameters& parameters);

} // namespace ns3::dlearn

#endif // DLEARN_STUDY_DEVICES_H
