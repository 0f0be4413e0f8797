/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-lbfgs.h"

#include "ns3/dlearn-check.h"

#ifdef DLEARN_WITH_LBFGS
#include <exception>
#include <lbfgs.h>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#endif

namespace ns3::dlearn
{

#ifdef DLEARN_WITH_LBFGS

namespace
{

static_assert(std::is_same_v<lbfgsfloatval_t, double>, "liblbfgs must compute with double");

/** What happens during one minimisation. */
struct Search
{
    const SmoothFunction& function; //!< to minimise
    LbfgsResult best;               //!< so far
    std::exception_ptr error;       //!< thrown by the function: must not cross the C library
};

double
Evaluate(void* instance, const double* point, double* gradient, int size, double /* step */)
{
    auto& search = *static_cast<Search*>(instance);
    const Eigen::Map<const Eigen::VectorXd> where(point, size);
    Eigen::Map<Eigen::VectorXd> slope(gradient, size);
    double value = std::numeric_limits<double>::infinity();
    slope.setZero();
    if (search.error)
    {
        return value;
    }
    try
    {
        ++search.best.evaluations;
        value = search.function(where, slope);
    }
    catch (...)
    {
        search.error = std::current_exception();
        return value;
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

int
Progress(void* instance,
         const double* /* point */,
         const double* /* gradient */,
         double /* value */,
         double /* pointNorm */,
         double /* gradientNorm */,
         double /* step */,
         int /* size */,
         int /* iteration */,
         int /* evaluations */)
{
    return static_cast<Search*>(instance)->error ? 1 : 0; // 1 ends it
}

} // namespace

bool
HasLbfgs()
{
    return true;
}

LbfgsResult
MinimizeLbfgs(const SmoothFunction& function,
              const Eigen::VectorXd& start,
              uint32_t iterations,
              double tolerance)
{
    Require(start.size() > 0 && start.allFinite(), "MinimizeLbfgs: start must be finite numbers");
    Require(iterations >= 1 && iterations <= INT32_MAX,
            "MinimizeLbfgs: iterations must be from 1 to 2147483647, got ",
            iterations);
    RequirePositive("MinimizeLbfgs", "tolerance", tolerance);
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
    parameters.epsilon = tolerance;
    parameters.past = 10;
    parameters.delta = tolerance;
    parameters.max_iterations = static_cast<int>(iterations);
    parameters.max_linesearch = 40;
    parameters.linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
    Search search{function, {}, nullptr};
    const int outcome =
        lbfgs(size, point.get(), nullptr, &Evaluate, &Progress, &search, &parameters);
    if (search.error)
    {
        std::rethrow_exception(search.error);
    }
    Require(search.best.point.size() > 0, "MinimizeLbfgs: the value must be finite at the start");
    search.best.converged =
        outcome == LBFGS_SUCCESS || outcome == LBFGS_STOP || outcome == LBFGS_ALREADY_MINIMIZED;
    return search.best;
}

#else

bool
HasLbfgs()
{
    return false;
}

LbfgsResult
MinimizeLbfgs(const SmoothFunction& /* function */,
              const Eigen::VectorXd& /* start */,
              uint32_t /* iterations */,
              double /* tolerance */)
{
    throw std::runtime_error("MinimizeLbfgs: dlearn was built without liblbfgs; on Debian: "
                             "apt-get install liblbfgs-dev, then configure and build again");
}

#endif

} // namespace ns3::dlearn
