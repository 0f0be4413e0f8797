/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRESETS_H
#define DLEARN_PRESETS_H

#include "dlearn-run-spec.h"

#include <string>

/**
 * @file
 * The default runs of the programs; options change them.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Locally private online learning among peers: the mushrooms set-up of Chen and Wang (a ring of
 * five learners, weight 0.3, labels split between them) on generated data.
 *
 * @param program name of the program
 * @return what to run
 */
RunSpec LdpOnlinePreset(const std::string& program);

/**
 * @ingroup dlearn
 * Private gradient tracking on a directed graph (Chen, Wang and Zhang). The wire has 64-bit
 * numbers, as every rounding of a tracker is mass that is lost or made; and features are not
 * scaled, as the steps of the literature are for data as they are.
 *
 * @param program name of the program
 * @return what to run
 */
RunSpec GradientTrackingPreset(const std::string& program);

/**
 * @ingroup dlearn
 * FedAvg on the linear-gaussian problem, whose expected error is known.
 *
 * @param program name of the program
 * @return what to run
 */
RunSpec FedAvgPreset(const std::string& program);

/**
 * @ingroup dlearn
 * CafCor (Allouah, Guerraoui et al.): workers with noise that is correlated between them, some of
 * them Byzantine, and a server that aggregates robustly.
 *
 * @param program name of the program
 * @return what to run
 */
RunSpec CafCorPreset(const std::string& program);

} // namespace ns3::dlearn

#endif // DLEARN_PRESETS_H
