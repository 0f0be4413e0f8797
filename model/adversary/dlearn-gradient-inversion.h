/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRADIENT_INVERSION_H
#define DLEARN_GRADIENT_INVERSION_H

#include "dlearn-eavesdropper.h"

#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-task.h"
#include "ns3/dlearn-types.h"
#include "ns3/random-variable-stream.h"

#include <map>
#include <optional>
#include <utility>

namespace ns3::dlearn
{

/**
 * @file
 * Gradient inversion: an attacker knows the loss of a learner, its model theta and a gradient g,
 * which is not 0, and looks for the samples.
 */

/** Samples whose gradient is close to an observed one. */
struct InvertedGradient
{
    Eigen::MatrixXd features; //!< features x B: one column a sample; not cut to any range
    Eigen::VectorXd labels;   //!< classes of the samples
    double mismatch{0};       //!< ||G - g||^2 / ||g||^2, for their gradient G
    uint32_t evaluations{0};  //!< number of evaluations of the mismatch
};

/** Options of InvertGradient(). */
struct InversionOptions
{
    uint32_t samples{1};      //!< B, known to the attacker; at least 1
    uint32_t starts{3};       //!< random images to start from; the best end counts; at least 1
    uint32_t iterations{200}; //!< of L-BFGS from each start, at most
    double low{0};            //!< least value of a pixel to start from
    double high{1};           //!< greatest value of a pixel to start from, above low
};

/**
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
 * Guess the labels behind a gradient: one sample after the other gets the label with which the
 * gradient of all samples so far is nearest to g, whatever the image. In the last layer, the
 * entries of the output of a label have the sign opposite to all others (Zhao, Mopuri and Bilen,
 * "iDLG: improved deep leakage from gradients", 2020); this search does not need to know the
 * layers.
 *
 * @param features images that stand in for the unknown ones, features x B
 * @return B labels
 */
Eigen::VectorXd GuessLabels(const SampleLoss& loss,
                            ConstVectorRef theta,
                            ConstVectorRef gradient,
                            const Eigen::MatrixXd& features);

/**
 * Deep leakage from gradients (Zhu, Liu and Han, "Deep leakage from gradients", 2019): find
 * samples whose gradient is the observed one, by minimising the mismatch with L-BFGS (Liu and
 * Nocedal, "On the limited memory BFGS method for large scale optimization", 1989) of liblbfgs.
 * Differs from the paper in that labels are guessed first (GuessLabels()) rather than optimised
 * along, in starting from uniform noise, and in more than one start.
 *
 * g is the mean over B samples at a model that the attacker knows: the initial model, or one close
 * to the overheard models. Regularization and known noise must be subtracted first. If gradients
 * are clipped, only images whose gradients are shorter than the clipping norm can be found. With
 * ReLUs, D is piecewise smooth and the search may end in a kink, where the mismatch stays large.
 * The order of the samples is unknown.
 *
 * @param options of the search
 * @param random uniform on (0, 1), draws the starts
 * @return the samples of least mismatch
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

/**
 * Invert the gradient of softmax regression (SoftmaxTask) for one sample, in closed form.
 *
 * As a matrix, features x classes, that gradient is the outer product x r^T with r = p - e_y,
 * where p = softmax(Theta^T x) are the probabilities that the model gives. So
 *
 *  - the image is known up to a factor: x is any column divided by r_k; of a noisy gradient, the
 *    best such x is the first left singular vector, since noise of deviation s in every entry
 *    disturbs that by about s (sqrt(features) + sqrt(classes)) / (||x|| ||r||);
 *  - the label is known: r sums to 0, and only r_y is negative, so it is the entry of largest
 *    magnitude, and its sign gives that of x. With two classes r_0 = -r_1, and x and the label are
 *    known up to a common change of sign; images have more light than darkness, so the sum of x is
 *    taken as not negative;
 *  - the factor ||x|| is not in x r^T as such, but in how r follows from it: it is the one for
 *    which the gradient of (x, y) is nearest to the observed one. With Theta = 0 or a known
 *    Theta of one sample, that is exact. When several factors fit alike, the smallest is taken.
 *
 * The gradient of B samples is the sum of B such products. Their images span the first B left
 * singular vectors, but this matrix alone does not determine each image.
 *
 * @param inputs features of a sample
 * @param theta the model, inputs x classes, class after class
 * @param gradient of one sample, without regularization, not 0
 * @param largest the longest that an image can be, such as sqrt(inputs) for pixels in [0, 1]
 * @return image, label, mismatch
 * @throw std::invalid_argument when sizes do not agree, numbers are not finite, or @p largest is
 *        not above 0
 */
InvertedGradient InvertSoftmaxGradient(uint32_t inputs,
                                       ConstVectorRef theta,
                                       ConstVectorRef gradient,
                                       double largest);

/**
 * The steps of LDP-OL, which the attacker knows: lambda_t = stepSize / (t+1)^stepExponent and
 * gamma_t = coupling / (t+1)^couplingExponent, as the attributes of LdpOnline say.
 */
struct LdpOnlineSteps
{
    double stepSize{1};            //!< lambda_0, more than 0
    double stepExponent{0.77};     //!< v
    double coupling{1};            //!< gamma_0
    double couplingExponent{0.65}; //!< u
};

/**
 * @ingroup dlearn
 * Estimates gradients from the messages of LDP-OL (Chen and Wang, "Locally Differentially Private
 * Distributed Online Learning with Guaranteed Optimality", Algorithm 1). Learner i computes, unless
 * its projection changes the result,
 *
 *   theta_{t+1} = theta_t + sum_j gamma_t w_ij (y_t^j - theta_t) - lambda_t d_t,
 *
 * where only theta_t, theta_{t+1} and d_t are not sent. With y_t = theta_t + zeta_t in place of
 * theta_t, for t and for t+1,
 *
 *   estimate = (y_t + sum_j gamma_t w_ij (y_t^j - y_t) - y_{t+1}) / lambda_t
 *            = d_t + ((1 - gamma_t w_i) zeta_t - zeta_{t+1}) / lambda_t,   w_i = sum_j w_ij.
 *
 * The noise of the neighbours cancels: the learner used their messages. The remainder is the noise
 * of two messages of the learner itself, divided by a step that decays: with Laplace noise of
 * scale rho_t every entry has variance 2 ((1 - gamma_t w_i)^2 rho_t^2 + rho_{t+1}^2) / lambda_t^2.
 * So the first rounds disclose most. d_t is the mean over all samples so far, with regularization;
 * in round 0 it is the mean over the first batch alone.
 *
 * The attacker knows graph, weights and steps, and assumes that the learner received the vectors
 * that the attacker heard. Otherwise the estimate is off by gamma_t w_ij (y_t^j - theta_t) /
 * lambda_t. The sender that a message names is believed.
 */
class GradientEstimator
{
  public:
    /**
     * @param graph who mixes whose vectors with which weight
     * @param steps of all learners
     * @param rounds how many, from 0 on, to estimate gradients of; at least 1
     */
    GradientEstimator(Graph graph, const LdpOnlineSteps& steps, uint32_t rounds);

    /**
     * Record a vector; can be connected to the trace source Overheard of an Eavesdropper. Vectors
     * of later rounds and of other channels, and repeated ones, are ignored.
     */
    void Note(const Overheard& overheard);

    /**
     * @param learner i
     * @param round t, less than the number of rounds
     * @return the estimate of d_t; nothing when a vector is missing that it needs
     * @throw std::invalid_argument for a learner or round out of range
     */
    std::optional<ModelVector> Estimate(LearnerId learner, uint32_t round) const;

    /**
     * @param learner i
     * @param round t
     * @return y_t, which stands in for theta_t; null when it was not overheard
     */
    const ModelVector* FindModel(LearnerId learner, uint32_t round) const;

    /**
     * @param learner i
     * @param round t
     * @param scale rho_t, scale of its Laplace noise in this round
     * @param next rho_{t+1}
     * @return standard deviation of every entry of the estimate
     */
    double GetDeviation(LearnerId learner, uint32_t round, double scale, double next) const;

  private:
    void CheckRange(LearnerId learner, uint32_t round) const;

    double GetStepSize(uint32_t t) const
    {
        return PowerLaw(m_steps.stepSize, -m_steps.stepExponent, t);
    }

    double GetCoupling(uint32_t t) const
    {
        return PowerLaw(m_steps.coupling, -m_steps.couplingExponent, t);
    }

    Graph m_graph; //!< which learner hears which
    LdpOnlineSteps m_steps;
    uint32_t m_rounds;                                               //!< how many
    std::map<std::pair<LearnerId, uint32_t>, ModelVector> m_vectors; //!< y, by sender and round
};

} // namespace ns3::dlearn

#endif // DLEARN_GRADIENT_INVERSION_H
