/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STUDY_IMAGES_H
#define DLEARN_STUDY_IMAGES_H

#include "dlearn-study-parameters.h"

#include "ns3/dlearn-gradient-inversion.h"
#include "ns3/dlearn-run-spec.h"

/**
 * @file
 * LDP-OL on images under the ears of an eavesdropper who looks for them: one run of it.
 */

namespace ns3::dlearn
{

/** What all runs have in common. */
struct ImageParameters : StudyParameters
{
    using StudyParameters::StudyParameters;

    std::string task{"softmax"};
    std::string partition{"iid"};
    uint32_t batch{1}; //!< N_i is not in the paper; an average of more images hides each
    uint32_t window{0};
    double coupling{1}; //!< gamma_0; with the 0.01 of section VII-B the noise does nothing
    uint32_t rounds{0}; //!< 0: 500, 200 if quick, 3000 if full
    uint32_t starts{1};
    uint32_t iterations{300};

    /** @return lambda_t and gamma_t, but for gamma_0 those of the paper's section VII-B */
    LdpOnlineSteps GetSteps() const;

    /**
     * @param factor c, times the base level of the noise
     * @return a run with this noise
     */
    RunSpec MakeOptions(double factor) const;
};

/** Means over learners of what comes of a run. */
struct ImageLoot
{
    double accuracy{0}; //!< of the learners' models on test data
    double error{0};    //!< of the images found
    double labels{0};   //!< share of the labels found
    double black{0};    //!< error of an attacker who guesses black images
};

/**
 * Learn while an eavesdropper listens on the links, and look for the images of the first batches.
 *
 * @param p what all runs have in common
 * @param factor c, times the base level of the noise
 * @return what came of it
 * @throw std::invalid_argument when messages that the attack needs were lost
 */
ImageLoot LearnAndListen(const ImageParameters& p, double factor);

} // namespace ns3::dlearn

#endif // DLEARN_STUDY_IMAGES_H
