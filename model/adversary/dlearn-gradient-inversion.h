/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRADIENT_INVERSION_H
#define DLEARN_GRADIENT_INVERSION_H

#include "ns3/dlearn-task.h"
#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What was found behind a gradient.
 */
struct InvertedGradient
{
    Eigen::MatrixXd features; //!< features x B: one column a sample; not cut to any range
    Eigen::VectorXd labels;   //!< classes of these
    double mismatch{0};       //!< ||G - g||^2 / ||g||^2, for their gradient G
    uint32_t evaluations{0};  //!< of the mismatch
};

/**
 * @ingroup dlearn
 * How to look for what is behind a gradient.
 */
struct InversionOptions
{
    uint32_t samples{1};      //!< B, known to the attacker; at least 1
    uint32_t starts{3};       //!< random images to start from; the best end counts; at least 1
    uint32_t iterations{200}; //!< of L-BFGS from each start, at most
    double low{0};            //!< least value of a pixel to start from
    double high{1};           //!< greatest value of a pixel to start from, above low
};

/**
 * @ingroup dlearn
 * The mismatch of some samples with an observed gradient g,
 *
 *   D(x) = ||G(x) - g||^2 / ||g||^2,   G(x) = grad_theta l(theta, (x, y)),
 *
 * and its gradient with respect to x. With v = G(x) - g held fixed, that is
 *
 *   grad_x <G(x), v> = d/dh grad_x l(theta + h v, (x, y)) at h = 0,
 *
 * since both derivatives may change places; the derivative by h is taken as a central difference,
 * exact to the square of a step that changes theta by a share of 6e-6. So the tasks need no second
 * derivatives, and this costs a gradient with respect to theta and two with respect to x.
 *
 * @param loss of the attacked learner
 * @param theta its model
 * @param gradient g, not 0
 * @param features x, features x B
 * @param labels y, of these
 * @param slope result: gradient of D with respect to x, features x B; null for none
 * @return D(x)
 */
double GetMismatch(const SampleLoss& loss,
                   ConstVectorRef theta,
                   ConstVectorRef gradient,
                   const Eigen::MatrixXd& features,
                   const Eigen::VectorXd& labels,
                   Eigen::MatrixXd* slope);

/**
 * @ingroup dlearn
 * Guess the labels behind a gradient: one sample after the other gets the label with which the
 * gradient of all those so far is nearest to g, whatever the image. What a label says shows in the
 * last layer: the entries of its own output have the sign opposite to all others (Zhao, Mopuri and
 * Bilen, "iDLG: improved deep leakage from gradients", 2020); this finds it without knowing the
 * layers.
 *
 * @param loss of the attacked learner
 * @param theta its model
 * @param gradient g
 * @param features images that stand in for the unknown ones, features x B
 * @return B labels
 */
Eigen::VectorXd GuessLabels(const SampleLoss& loss,
                            ConstVectorRef theta,
                            ConstVectorRef gradient,
                            const Eigen::MatrixXd& features);

/**
 * @ingroup dlearn
 * Deep leakage from gradients (Zhu, Liu and Han, "Deep leakage from gradients", 2019): find
 * samples whose gradient is the observed one, by minimising the mismatch with L-BFGS. Differs from
 * the paper in that labels are guessed first (GuessLabels()) rather than optimised along, in
 * starting from uniform noise, and in more than one start.
 *
 * g is the mean over B samples at a model that the attacker knows, as when it is about the first
 * round, or near the overheard ones. What does not come from the samples must be taken off it
 * first: regularization, and noise as far as it is known. A clipped gradient does not tell by how
 * much it was cut; then only images of gradients below the norm can be found. Networks of ReLUs
 * make D piecewise smooth; the search may end in a kink, and the mismatch tells. Of the order of
 * the samples a gradient says nothing.
 *
 * @param loss of the attacked learner
 * @param theta its model
 * @param gradient g, not 0
 * @param options how to look
 * @param random uniform on (0, 1), draws the starts
 * @return the best that was found
 * @throw std::invalid_argument for a gradient of the wrong size or 0, and for options that break a
 *        rule
 * @throw std::runtime_error when dlearn was built without liblbfgs
 */
InvertedGradient InvertGradient(const SampleLoss& loss,
                                ConstVectorRef theta,
                                ConstVectorRef gradient,
                                const InversionOptions& options,
                                UniformRandomVariable& random);

/**
 * @ingroup dlearn
 * How far found images are from the true ones: the mean over pixels of the squared difference,
 * after the found ones were cut to the range of pixels, in the unit of that range. Since the
 * order is not known, each true image is compared with the found one that is nearest.
 *
 * Chen and Wang ("Locally Differentially Private Distributed Online Learning with Guaranteed
 * Optimality", Table II) print "DLG inference errors" without a definition; Zhu, Liu and Han use
 * the mean squared error, as here.
 *
 * @param truth features x B
 * @param found features x any number, at least 1
 * @param low least value of a pixel
 * @param high greatest value of a pixel, above @p low
 * @return mean over the true images; 0 for perfect, 1 for all black pixels found white
 */
double GetInversionError(const Eigen::MatrixXd& truth,
                         const Eigen::MatrixXd& found,
                         double low,
                         double high);

} // namespace ns3::dlearn

#endif // DLEARN_GRADIENT_INVERSION_H
