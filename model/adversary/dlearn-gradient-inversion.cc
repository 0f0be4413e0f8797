/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gradient-inversion.h"

#include "ns3/dlearn-check.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#ifdef DLEARN_WITH_LBFGS
#include <exception>
#include <lbfgs.h>
#include <memory>
#include <new>
#include <type_traits>
#endif

namespace ns3::dlearn
{

namespace
{

/** Stop when ten iterations improve the mismatch by a share of less than this. */
constexpr double TOLERANCE = 1e-9;

/** A function to minimise: gets a point, writes its gradient there, returns its value. */
using SmoothFunction = std::function<double(ConstVectorRef point, VectorRef gradient)>;

struct Minimum
{
    Eigen::VectorXd point;
    double value{0};
    uint32_t evaluations{0};
};

#ifdef DLEARN_WITH_LBFGS

static_assert(std::is_same_v<lbfgsfloatval_t, double>, "liblbfgs must compute with double");

struct Search
{
    const SmoothFunction& function;
    Minimum best;
    std::exception_ptr error; //!< thrown by the function: must not cross the C library
};

/** Callback of liblbfgs. A value that is not finite, such as after an error, shortens the step. */
double
Evaluate(void* instance, const double* point, double* gradient, int size, double /* step */)
{
    auto& search = *static_cast<Search*>(instance);
    const Eigen::Map<const Eigen::VectorXd> where(point, size);
    Eigen::Map<Eigen::VectorXd> slope(gradient, size);
    double value = std::numeric_limits<double>::infinity();
    slope.setZero();
    try
    {
        if (!search.error)
        {
            ++search.best.evaluations;
            value = search.function(where, slope);
        }
    }
    catch (...)
    {
        search.error = std::current_exception();
    }
    if (!std::isfinite(value) || !slope.allFinite())
    {
        slope.setZero();
        return std::numeric_limits<double>::infinity();
    }
    if (search.best.point.size() == 0 || value < search.best.value)
    {
        search.best.point = where;
        search.best.value = value;
    }
    return value;
}

/** @return the best point met by L-BFGS with a backtracking line search; where that gets stuck, as
 *  it may at a kink, the best one so far */
Minimum
Minimize(const SmoothFunction& function, const Eigen::VectorXd& start, uint32_t iterations)
{
    const auto size = static_cast<int>(start.size());
    // Aligned, as its vector instructions need it.
    const std::unique_ptr<double, decltype(&lbfgs_free)> point(lbfgs_malloc(size), &lbfgs_free);
    if (!point)
    {
        throw std::bad_alloc();
    }
    Eigen::Map<Eigen::VectorXd>(point.get(), size) = start;
    lbfgs_parameter_t parameters;
    lbfgs_parameter_init(&parameters);
    parameters.m = 20;
    parameters.epsilon = TOLERANCE;
    parameters.past = 10;
    parameters.delta = TOLERANCE;
    parameters.max_iterations = static_cast<int>(iterations);
    parameters.max_linesearch = 40;
    parameters.linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
    Search search{function, {}, nullptr};
    lbfgs(size, point.get(), nullptr, &Evaluate, nullptr, &search, &parameters);
    if (search.error)
    {
        std::rethrow_exception(search.error);
    }
    Require(search.best.point.size() > 0, "GradientInversion: the mismatch must be finite");
    return search.best;
}

#else

Minimum
Minimize(const SmoothFunction& /* function */,
         const Eigen::VectorXd& /* start */,
         uint32_t /* iterations */)
{
    throw std::runtime_error("GradientInversion: dlearn was built without liblbfgs; on Debian: "
                             "apt-get install liblbfgs-dev, then configure and build again");
}

#endif

void
CheckGradient(ConstVectorRef theta, ConstVectorRef gradient)
{
    RequireSize("GradientInversion", "gradient", gradient.size(), theta.size());
    Require(gradient.allFinite() && gradient.squaredNorm() > 0,
            "GradientInversion: gradient must be finite and not 0");
}

} // namespace

double
GetMismatch(const SampleLoss& loss,
            ConstVectorRef theta,
            ConstVectorRef gradient,
            const Eigen::MatrixXd& features,
            const Eigen::VectorXd& labels,
            Eigen::MatrixXd* slope)
{
    CheckGradient(theta, gradient);
    const ModelVector difference = loss.GetModelGradient(theta, features, labels) - gradient;
    const double scale = gradient.squaredNorm();
    const double norm = difference.norm();
    if (slope && norm > 0)
    {
        // The error of a central difference is least near the cube root of the rounding error.
        const double share = std::cbrt(std::numeric_limits<double>::epsilon());
        const double step = share * std::max(1.0, theta.norm()) / norm;
        *slope = loss.GetInputGradient(theta + step * difference, features, labels) -
                 loss.GetInputGradient(theta - step * difference, features, labels);
        *slope /= step * scale; // 2 from the square, 2 from both sides
    }
    else if (slope)
    {
        slope->setZero(features.rows(), features.cols());
    }
    return norm * norm / scale;
}

Eigen::VectorXd
GuessLabels(const SampleLoss& loss,
            ConstVectorRef theta,
            ConstVectorRef gradient,
            const Eigen::MatrixXd& features)
{
    CheckGradient(theta, gradient);
    Eigen::VectorXd labels(features.cols());
    ModelVector rest = gradient * static_cast<double>(features.cols());
    for (Eigen::Index sample = 0; sample < features.cols(); ++sample)
    {
        double least = std::numeric_limits<double>::infinity();
        ModelVector best;
        for (uint32_t label = 0; label < loss.GetClasses(); ++label)
        {
            ModelVector guess = loss.GetModelGradient(theta,
                                                      features.col(sample),
                                                      Eigen::VectorXd::Constant(1, label));
            const double distance = (guess - rest).squaredNorm();
            if (distance < least)
            {
                least = distance;
                labels[sample] = label;
                best = std::move(guess);
            }
        }
        rest -= best;
    }
    return labels;
}

InvertedGradient
InvertGradient(const SampleLoss& loss,
               ConstVectorRef theta,
               ConstVectorRef gradient,
               const InversionOptions& options,
               UniformRandomVariable& random)
{
    CheckGradient(theta, gradient);
    Require(
        options.samples >= 1 && options.starts >= 1 && options.iterations >= 1,
        "GradientInversion: samples, starts and iterations must be at least 1, got {}, {} and {}",
        options.samples,
        options.starts,
        options.iterations);
    Require(options.low < options.high,
            "GradientInversion: low must be less than high, got {} and {}",
            options.low,
            options.high);
    const Eigen::Index rows = loss.GetInputs();
    const Eigen::Index columns = options.samples;
    InvertedGradient best;
    best.mismatch = std::numeric_limits<double>::infinity();
    uint32_t evaluations = 0;
    for (uint32_t k = 0; k < options.starts; ++k)
    {
        Eigen::MatrixXd start(rows, columns);
        for (double& pixel : start.reshaped())
        {
            pixel = random.GetValue(options.low, options.high);
        }
        const Eigen::VectorXd labels = GuessLabels(loss, theta, gradient, start);
        const SmoothFunction mismatch = [&](ConstVectorRef point, VectorRef slope) {
            Eigen::MatrixXd by;
            const double value =
                GetMismatch(loss, theta, gradient, point.reshaped(rows, columns), labels, &by);
            slope = by.reshaped();
            return value;
        };
        const Minimum end = Minimize(mismatch, start.reshaped(), options.iterations);
        evaluations += end.evaluations;
        if (end.value < best.mismatch)
        {
            best.features = end.point.reshaped(rows, columns);
            best.labels = labels;
            best.mismatch = end.value;
        }
    }
    best.evaluations = evaluations;
    return best;
}

double
GetInversionError(const Eigen::MatrixXd& truth,
                  const Eigen::MatrixXd& found,
                  double low,
                  double high)
{
    RequireSize("GetInversionError", "a found image", found.rows(), truth.rows());
    Require(truth.size() > 0 && found.size() > 0, "GetInversionError: there must be images");
    const Eigen::MatrixXd cut = found.cwiseMax(low).cwiseMin(high);
    double sum = 0;
    for (Eigen::Index k = 0; k < truth.cols(); ++k)
    {
        sum += (cut.colwise() - truth.col(k)).colwise().squaredNorm().minCoeff();
    }
    return sum / static_cast<double>(truth.size()) / ((high - low) * (high - low));
}

namespace
{

/** @return p - e_y for the image s u */
Eigen::VectorXd
GetResidual(const Eigen::VectorXd& scores, double length, Eigen::Index label)
{
    Eigen::VectorXd residual = length * scores;
    residual = (residual.array() - residual.maxCoeff()).exp();
    residual /= residual.sum();
    residual[label] -= 1;
    return residual;
}

double
Refine(const std::function<double(double)>& function, double low, double high)
{
    for (int k = 0; k < 100; ++k) // ternary search
    {
        const double third = (high - low) / 3;
        if (function(low + third) <= function(high - third))
        {
            high -= third;
        }
        else
        {
            low += third;
        }
    }
    return (low + high) / 2;
}

/** @return where from 0 to the largest number a function is least, up to a tolerance; the smallest
 *  of such numbers */
double
FindLeast(const std::function<double(double)>& function, double largest, double tolerance)
{
    constexpr int PLACES = 2000;
    std::vector<double> values(PLACES + 2, std::numeric_limits<double>::infinity());
    for (int k = 0; k <= PLACES; ++k)
    {
        values[k] = function(largest * k / PLACES);
    }
    double best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 1; k <= PLACES; ++k)
    {
        if (values[k] > values[k - 1] || values[k] > values[k + 1])
        {
            continue;
        }
        const double low = largest * (k - 1) / PLACES;
        const double high = std::min(largest, largest * (k + 1) / PLACES);
        const double place = Refine(function, low, high);
        const double value = function(place);
        if (value < least - tolerance)
        {
            least = value;
            best = place;
        }
    }
    return best;
}

} // namespace

InvertedGradient
InvertSoftmaxGradient(uint32_t inputs,
                      ConstVectorRef theta,
                      ConstVectorRef gradient,
                      double largest)
{
    CheckGradient(theta, gradient);
    Require(inputs > 0 && theta.size() % inputs == 0 && theta.size() / inputs >= 2,
            "InvertSoftmaxGradient: theta must have inputs x classes entries, at least 2 classes, "
            "got {} for {} inputs",
            theta.size(),
            inputs);
    Require(theta.allFinite(), "InvertSoftmaxGradient: theta must be finite");
    RequirePositive("InvertSoftmaxGradient", "largest", largest);
    const Eigen::Index classes = theta.size() / inputs;
    const Eigen::Map<const Eigen::MatrixXd> model(theta.data(), inputs, classes);
    const Eigen::Map<const Eigen::MatrixXd> observed(gradient.data(), inputs, classes);
    // r sums to 0: whatever of the gradient does not is noise.
    const Eigen::MatrixXd product = observed.colwise() - observed.rowwise().mean();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(product.transpose() * product);
    Eigen::VectorXd residual = solver.eigenvectors().col(classes - 1); // of the largest
    Eigen::VectorXd image = (product * residual).normalized();
    Eigen::Index label = 0;
    residual.cwiseAbs().maxCoeff(&label);
    const bool flip = classes > 2 ? residual[label] > 0 : image.sum() < 0;
    residual *= flip ? -1 : 1;
    image *= flip ? -1 : 1;
    residual.minCoeff(&label);
    const Eigen::VectorXd scores = model.transpose() * image;
    const Eigen::VectorXd seen = observed.transpose() * image;
    const double square = gradient.squaredNorm();
    const auto mismatch = [&](double length) {
        const Eigen::VectorXd r = GetResidual(scores, length, label);
        // ||s u r^T - M||^2, as ||u|| = 1.
        return length * length * r.squaredNorm() - 2 * length * seen.dot(r) + square;
    };
    const double length = FindLeast(mismatch, largest, 1e-9 * square);
    InvertedGradient result;
    result.features = length * image;
    result.labels = Eigen::VectorXd::Constant(1, static_cast<double>(label));
    result.mismatch = std::max(0.0, mismatch(length)) / square;
    result.evaluations = 1;
    return result;
}

GradientEstimator::GradientEstimator(Graph graph, const LdpOnlineSteps& steps, uint32_t rounds)
    : m_graph(std::move(graph)),
      m_steps(steps),
      m_rounds(rounds)
{
    RequirePositive("GradientEstimator", "stepSize", steps.stepSize);
    RequireNonNegative("GradientEstimator", "stepExponent", steps.stepExponent);
    RequireNonNegative("GradientEstimator", "coupling", steps.coupling);
    RequireNonNegative("GradientEstimator", "couplingExponent", steps.couplingExponent);
    Require(rounds >= 1, "GradientEstimator: rounds must be at least 1, got ", rounds);
}

void
GradientEstimator::Note(const Overheard& overheard)
{
    if (overheard.channel == ModelChannel::STATE && overheard.round <= m_rounds &&
        overheard.sender < m_graph.GetSize())
    {
        m_vectors.try_emplace({overheard.sender, overheard.round}, overheard.values);
    }
}

void
GradientEstimator::CheckRange(LearnerId learner, uint32_t round) const
{
    Require(learner < m_graph.GetSize() && round < m_rounds,
            "GradientEstimator: learner and round must be less than {} and {}, got {} and {}",
            m_graph.GetSize(),
            m_rounds,
            learner,
            round);
}

const ModelVector*
GradientEstimator::FindModel(LearnerId learner, uint32_t round) const
{
    const auto found = m_vectors.find({learner, round});
    return found == m_vectors.end() ? nullptr : &found->second;
}

std::optional<ModelVector>
GradientEstimator::Estimate(LearnerId learner, uint32_t round) const
{
    CheckRange(learner, round);
    const ModelVector* now = FindModel(learner, round);
    const ModelVector* next = FindModel(learner, round + 1);
    if (!now || !next || now->size() != next->size())
    {
        return std::nullopt;
    }
    ModelVector moved = *now;
    for (const auto& [neighbor, weight] : m_graph.GetInNeighbors(learner))
    {
        const ModelVector* other = FindModel(neighbor, round);
        if (!other || other->size() != now->size())
        {
            return std::nullopt;
        }
        moved += GetCoupling(round) * weight * (*other - *now);
    }
    return (moved - *next) / GetStepSize(round);
}

double
GradientEstimator::GetDeviation(LearnerId learner, uint32_t round, double scale, double next) const
{
    CheckRange(learner, round);
    const double weights = m_graph.GetInWeight(learner);
    // A Laplace variable of scale b has variance 2 b^2.
    return std::sqrt(2.0) * std::hypot((1 - GetCoupling(round) * weights) * scale, next) /
           GetStepSize(round);
}

} // namespace ns3::dlearn
