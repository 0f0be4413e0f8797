/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-forged-vectors.h"

#include "ns3/dlearn-check.h"

#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/** Refuse what has no mean. */
template <typename Scalar>
void
RequireFinite(const char* where, RowMatrixRef<Scalar> honest)
{
    Require(honest.rows() > 0 && honest.cols() > 0,
            where,
            ": there must be at least 1 honest vector of at least 1 number, got ",
            honest.rows(),
            " of ",
            honest.cols());
    Require(honest.allFinite(), where, ": honest vectors must be finite");
}

} // namespace

template <typename Scalar>
ColumnVector<Scalar>
ForgeInnerProduct(RowMatrixRef<Scalar> honest, double tau)
{
    RequireFinite<Scalar>("InnerProduct", honest);
    Require(std::isfinite(tau), "InnerProduct: Tau must be finite, got ", tau);
    return static_cast<Scalar>(-tau) * honest.colwise().mean().transpose();
}

template <typename Scalar>
ColumnVector<Scalar>
ForgeAlie(RowMatrixRef<Scalar> honest, double tau)
{
    RequireFinite<Scalar>("Alie", honest);
    Require(std::isfinite(tau), "Alie: Tau must be finite, got ", tau);
    const ColumnVector<Scalar> mean = honest.colwise().mean().transpose();
    ColumnVector<Scalar> squares = ColumnVector<Scalar>::Zero(honest.cols());
    for (Eigen::Index i = 0; i < honest.rows(); ++i)
    {
        squares += (honest.row(i).transpose() - mean).cwiseAbs2();
    }
    const auto freedom = static_cast<Scalar>(std::max<Eigen::Index>(honest.rows() - 1, 1));
    return mean + static_cast<Scalar>(tau) * (squares / freedom).cwiseSqrt();
}

double
GetAlieDeviation(uint32_t n, uint32_t f)
{
    Require(2 * uint64_t{f} < n, "Alie: 2f < n is required, got f=", f, ", n=", n);
    const double honest = n - f;
    const double needed = n / 2 + 1 - f;
    Require(needed < honest,
            "Alie: there is no z for n=",
            n,
            ", f=",
            f,
            ": it needs at least 3 learners");
    return boost::math::quantile(boost::math::normal(), (honest - needed) / honest);
}

template <typename Scalar>
ColumnVector<Scalar>
CopyHonest(RowMatrixRef<Scalar> honest, uint32_t index)
{
    Require(index < honest.rows(),
            "Mimic: Epsilon must be the number of one of the ",
            honest.rows(),
            " honest vectors, from 0, got ",
            index);
    return honest.row(index).transpose();
}

LineSearch
MaximizeOnLine(const std::function<double(double)>& function, const LineSearchOptions& options)
{
    Require(options.evaluations >= 1,
            "line search: Evaluations must be at least 1, got ",
            options.evaluations);
    RequirePositive("line search", "Delta", options.step);
    Require(options.ratio > 0 && options.ratio < 1,
            "line search: Ratio must be between 0 and 1, got ",
            options.ratio);
    LineSearch search;
    const auto evaluate = [&](double place) {
        const double value = function(place);
        search.evaluated.emplace_back(place, value);
        const bool better = search.evaluated.size() == 1 || value > search.value;
        if (better)
        {
            search.best = place;
            search.value = value;
        }
        return better;
    };
    evaluate(options.start);
    double step = options.step;
    bool expanding = true;
    while (search.evaluated.size() < options.evaluations)
    {
        const bool better = evaluate(search.best + step);
        expanding = expanding && better;
        step *= expanding ? 2 : options.ratio;
    }
    return search;
}

template ColumnVector<float> ForgeInnerProduct<float>(RowMatrixRef<float>, double);
template ColumnVector<double> ForgeInnerProduct<double>(RowMatrixRef<double>, double);
template ColumnVector<float> ForgeAlie<float>(RowMatrixRef<float>, double);
template ColumnVector<double> ForgeAlie<double>(RowMatrixRef<double>, double);
template ColumnVector<float> CopyHonest<float>(RowMatrixRef<float>, uint32_t);
template ColumnVector<double> CopyHonest<double>(RowMatrixRef<double>, uint32_t);

} // namespace ns3::dlearn
