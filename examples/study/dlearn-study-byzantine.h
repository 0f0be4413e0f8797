/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STUDY_BYZANTINE_H
#define DLEARN_STUDY_BYZANTINE_H

#include "dlearn-study-curve.h"
#include "dlearn-study-parameters.h"

#include "ns3/dlearn-presets.h"

#include <string>
#include <vector>

/**
 * @file
 * Experiments with CafCor: those of its paper (Allouah, Guerraoui et al., "Towards Trustworthy
 * Federated Learning with Untrusted Participants", section 5) and what a lossy network does to
 * noise that should cancel.
 */

namespace ns3::dlearn
{

/** What the figures have in common. */
struct ByzantineParameters : StudyParameters
{
    using StudyParameters::StudyParameters;

    std::string task{"softmax"}; //!< what is learned
};

/** One setting and what came of it. */
struct ByzantineSetting
{
    StudyCurve curve; //!< results, after RunSetting()
    RunSpec options;  //!< what to run
};

/**
 * @param p what the figures have in common
 * @return the paper's settings of section 5.1 for these data: n = 100, f = 5, T = 30
 */
RunSpec MakePrivacyOptions(const ByzantineParameters& p);

/**
 * Run a setting as often as asked, and print a line.
 *
 * @param p what the figures have in common
 * @param setting gets what came of it
 */
void RunSetting(const ByzantineParameters& p, ByzantineSetting& setting);

/**
 * The paper's Fig. 1 and 3 to 6: the four privacy models under each attack, and beside the paper's
 * view (LemmaLocalDp) that of the whole transcript.
 *
 * @param p what the figures have in common
 * @return whether CDP >= SecLDP >= ByzLDP >> LDP under each attack in the paper's view, and SecLDP
 *         is level with ByzLDP in the other
 */
bool RunPrivacyFigure(const ByzantineParameters& p);

/**
 * The paper's Fig. 2 and 7 to 12: CAF against other aggregations.
 *
 * @param p what the figures have in common
 * @return whether CAF is best, or level with the best, in the mean over the attacks
 */
bool RunAggregatorFigure(const ByzantineParameters& p);

/**
 * Ours: SecLDP under sign flipping over other networks than the ideal one.
 *
 * @param p what the figures have in common
 * @return whether networks that lose nothing change nothing but times
 */
bool RunByzantineNetworks(const ByzantineParameters& p);

/**
 * Ours: accuracy against loss of packets, at the same epsilon, with and without the repair.
 *
 * @param p what the figures have in common
 * @return whether loss costs SecLDP more than LDP, and the repair makes up for most of it
 */
bool RunLossFigure(const ByzantineParameters& p);

/**
 * Ours: variance of the noise that loss leaves in the mean of the messages, and the prediction.
 *
 * @param p what the figures have in common
 * @return whether the prediction holds, to the fluctuations of 4000 entries
 */
bool RunNoiseFigure(const ByzantineParameters& p);

} // namespace ns3::dlearn

#endif // DLEARN_STUDY_BYZANTINE_H
