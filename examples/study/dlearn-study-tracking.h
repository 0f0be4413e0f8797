/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STUDY_TRACKING_H
#define DLEARN_STUDY_TRACKING_H

#include "dlearn-study-curve.h"
#include "dlearn-study-parameters.h"

#include "ns3/dlearn-directed-learners.h"
#include "ns3/dlearn-presets.h"
#include "ns3/dlearn-run.h"

#include <string>
#include <vector>

/**
 * @file
 * Experiments with gradient tracking over directed graphs: those of Chen, Wang and Zhang,
 * "Differentially Private Gradient-Tracking-Based Distributed Stochastic Optimization over Directed
 * Graphs", section 4, what packet loss does to it, and what other networks do.
 */

namespace ns3::dlearn
{

/** What the figures have in common. */
struct TrackingParameters : StudyParameters
{
    using StudyParameters::StudyParameters;

    std::string task{"softmax"}; //!< of all but the figure of loss
    double noise{0};             //!< factor on the paper's noise; 0: 0.03, or 0.1 if quick
};

/** A setting, and what comes of it. */
struct TrackingSetting
{
    StudyCurve curve; //!< results, after RunSettings()
    RunSpec options;  //!< what to run
};

/**
 * The paper's run: five learners, softmax regression, data split evenly, constants of section 4.1
 * for K = 2000, also when quick: then these are fewer rounds of the same run.
 *
 * @param p what the figures have in common
 * @param scheme s1 or s2
 * @param exponent p_zeta = p_eta
 * @return the options
 */
RunSpec MakePaperRun(const TrackingParameters& p, const std::string& scheme, double exponent);

/**
 * Run all settings, and print a line for each.
 *
 * @param p what the figures have in common
 * @param settings get their curves
 */
void RunSettings(const TrackingParameters& p, std::vector<TrackingSetting>& settings);

/**
 * @param settings that were run
 * @return their curves
 */
std::vector<StudyCurve> GetCurves(const std::vector<TrackingSetting>& settings);

/**
 * Write table and figures of an experiment of the paper.
 *
 * @param stem path of the files, without endings
 * @param title of the figures
 * @param settings that were run
 */
void WriteSettings(const std::string& stem,
                   const std::string& title,
                   const std::vector<TrackingSetting>& settings);

/**
 * Ours: least squares over links that lose packets, with and without running sums.
 *
 * @param p what the figures have in common
 * @return whether loss stops learning unless there are running sums
 */
bool RunTrackingLoss(const TrackingParameters& p);

/**
 * The paper's Fig. 2 or 3: one scheme, three noises.
 *
 * @param p what the figures have in common
 * @param scheme s1 or s2
 * @param middle gets the curve of the middle noise
 * @return whether less noise learns better and spends more
 */
bool RunTrackingScheme(const TrackingParameters& p, const std::string& scheme, StudyCurve& middle);

/**
 * The paper's Fig. 4: both schemes with their middle noises.
 *
 * @param s1 of RunTrackingScheme()
 * @param s2 likewise
 * @return whether S2 is faster, and S1 spends less
 */
bool JudgeSchemes(const StudyCurve& s1, const StudyCurve& s2);

/**
 * The paper's Fig. 5 and 6: other algorithms, with data that are split evenly, as in the paper, and
 * by label.
 *
 * @param p what the figures have in common
 * @return whether dp-gt beats all that mix with its weights where learners differ
 */
bool RunTrackingComparison(const TrackingParameters& p);

/**
 * Ours: scheme S2 over other networks than the ideal one.
 *
 * @param p what the figures have in common
 * @return whether networks that lose nothing change nothing but times
 */
bool RunTrackingNetworks(const TrackingParameters& p);

} // namespace ns3::dlearn

#endif // DLEARN_STUDY_TRACKING_H
