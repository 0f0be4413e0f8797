/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-vector-attacks.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(Attack, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(SignFlippingAttack, Attack);
NS_OBJECT_ENSURE_REGISTERED(InnerProductAttack);
NS_OBJECT_ENSURE_REGISTERED(AlieAttack);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(DerivedAlieAttack, Attack);
NS_OBJECT_ENSURE_REGISTERED(MimicAttack);
NS_OBJECT_ENSURE_REGISTERED(DissensusAttack);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(InfinityAttack, Attack);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(NanAttack, Attack);
NS_OBJECT_ENSURE_REGISTERED(GaussianAttack);
NS_OBJECT_ENSURE_REGISTERED(OptimalAttack);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(OptimalInnerProductAttack, OptimalAttack);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(OptimalAlieAttack, OptimalAttack);

namespace
{

/** Refuse vectors that have no mean, and a factor that is not finite. */
void
RequireForgeable(const char* where, RowMatrixRef<double> honest, double tau)
{
    Require(honest.rows() > 0 && honest.cols() > 0,
            "{}: there must be at least 1 honest vector of at least 1 number, got {} of {}",
            where,
            honest.rows(),
            honest.cols());
    Require(honest.allFinite(), where, ": honest vectors must be finite");
    Require(std::isfinite(tau), "{}: Tau must be finite, got {}", where, tau);
}

} // namespace

ModelVector
ForgeInnerProduct(RowMatrixRef<double> honest, double tau)
{
    RequireForgeable("InnerProduct", honest, tau);
    return -tau * honest.colwise().mean().transpose();
}

ModelVector
ForgeAlie(RowMatrixRef<double> honest, double tau)
{
    RequireForgeable("Alie", honest, tau);
    const ModelVector mean = honest.colwise().mean().transpose();
    ModelVector squares = ModelVector::Zero(honest.cols());
    for (Eigen::Index i = 0; i < honest.rows(); ++i)
    {
        squares += (honest.row(i).transpose() - mean).cwiseAbs2();
    }
    const auto freedom = static_cast<double>(std::max<Eigen::Index>(honest.rows() - 1, 1));
    return mean + tau * (squares / freedom).cwiseSqrt();
}

double
GetAlieDeviation(uint32_t n, uint32_t f)
{
    Require(2 * uint64_t{f} < n, "Alie: 2f < n is required, got f={}, n={}", f, n);
    const double honest = n - f;
    const double needed = n / 2 + 1 - f;
    Require(needed < honest,
            "Alie: there is no z for n={}, f={}: it needs at least 3 learners",
            n,
            f);
    return boost::math::quantile(boost::math::normal(), (honest - needed) / honest);
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

TypeId
InnerProductAttack::GetTypeId()
{
    static TypeId tid = MakeTypeId<InnerProductAttack, Attack>("ns3::dlearn::InnerProductAttack")
                            .AddAttribute("Tau",
                                          "Minus this times the honest mean.",
                                          DoubleValue(2),
                                          MakeDoubleAccessor(&InnerProductAttack::m_tau),
                                          MakeDoubleChecker<double>());
    return tid;
}

TypeId
AlieAttack::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<AlieAttack, Attack>("ns3::dlearn::AlieAttack")
            .AddAttribute("Tau",
                          "Standard deviations that are added to the honest mean; may be negative.",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&AlieAttack::m_tau),
                          MakeDoubleChecker<double>());
    return tid;
}

void
DerivedAlieAttack::Check(uint32_t /* sources */, uint32_t honest, uint32_t byzantine) const
{
    GetAlieDeviation(honest + byzantine, byzantine);
}

ModelVector
DerivedAlieAttack::Forge(const HonestView& view)
{
    const uint32_t honest = view.honest > 0 ? view.honest : view.vectors.rows();
    return ForgeAlie(view.vectors, -GetAlieDeviation(honest + view.byzantine, view.byzantine));
}

TypeId
MimicAttack::GetTypeId()
{
    static TypeId tid = MakeTypeId<MimicAttack, Attack>("ns3::dlearn::MimicAttack")
                            .AddAttribute("Epsilon",
                                          "Learner to copy: its place among those whose vectors "
                                          "are known, in the order of their numbers, from 0.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&MimicAttack::m_index),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

void
MimicAttack::Check(uint32_t sources, uint32_t /* honest */, uint32_t /* byzantine */) const
{
    Require(m_index < sources,
            "Mimic: Epsilon must be the place of one of the {} learners whose vectors are known, "
            "from 0, got {}",
            sources,
            m_index);
}

ModelVector
MimicAttack::Forge(const HonestView& view)
{
    Eigen::Index row = m_index;
    if (!view.places.empty())
    {
        row = std::find(view.places.begin(), view.places.end(), m_index) - view.places.begin();
    }
    return row < view.vectors.rows() ? ModelVector(view.vectors.row(row).transpose())
                                     : ModelVector();
}

TypeId
DissensusAttack::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<DissensusAttack, Attack>("ns3::dlearn::DissensusAttack")
            .AddAttribute(
                "Epsilon",
                "Strength: 1 cancels the pull of the honest neighbours, more reverses it.",
                DoubleValue(1),
                MakeDoubleAccessor(&DissensusAttack::m_epsilon),
                MakeDoubleChecker<double>(0.0));
    return tid;
}

ModelVector
DissensusAttack::Forge(const HonestView& view)
{
    Require(view.receiver.has_value(),
            "Dissensus: forges for one receiver at a time, which only peers can do");
    const auto& [row, weights, byzantine] = *view.receiver;
    const ModelVector own = view.vectors.row(row).transpose();
    const ModelVector pull = view.vectors.transpose() * weights - weights.sum() * own;
    return own - m_epsilon / byzantine * pull;
}

TypeId
GaussianAttack::GetTypeId()
{
    static TypeId tid = MakeTypeId<GaussianAttack, Attack>("ns3::dlearn::GaussianAttack")
                            .AddAttribute("Mean",
                                          "Mean of each number.",
                                          DoubleValue(0),
                                          MakeDoubleAccessor(&GaussianAttack::m_mean),
                                          MakeDoubleChecker<double>())
                            .AddAttribute("Deviation",
                                          "Standard deviation of each number, at least 0.",
                                          DoubleValue(1),
                                          MakeDoubleAccessor(&GaussianAttack::m_deviation),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

ModelVector
GaussianAttack::Forge(const HonestView& view)
{
    return ModelVector::NullaryExpr(view.vectors.cols(),
                                    [this] { return m_mean + m_deviation * m_random->GetValue(); });
}

TypeId
OptimalAttack::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<OptimalAttack, Attack>("ns3::dlearn::OptimalAttack")
            .AddAttribute("Evaluations",
                          "Number of values of tau to try.",
                          UintegerValue(20),
                          MakeUintegerAccessor(&OptimalAttack::m_evaluations),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Start",
                          "First value of tau.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&OptimalAttack::m_start),
                          MakeDoubleChecker<double>())
            .AddAttribute("Delta",
                          "First step of tau, greater than 0.",
                          DoubleValue(10),
                          MakeDoubleAccessor(&OptimalAttack::m_delta),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Ratio",
                          "Factor that shrinks steps, greater than 0 and less than 1.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&OptimalAttack::m_ratio),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

LineSearch
OptimalAttack::Search(const HonestView& view) const
{
    Require(static_cast<bool>(view.defence),
            GetInstanceTypeId().GetName(),
            ": needs to know the defence");
    const Eigen::Index honest = view.vectors.rows();
    const ModelVector mean = view.vectors.colwise().mean().transpose();
    RowMatrix<double> all(honest + view.byzantine, view.vectors.cols());
    all.topRows(honest) = view.vectors;
    const auto distance = [&](double tau) {
        all.bottomRows(view.byzantine).rowwise() = ForgeWith(view, tau).transpose();
        const ModelVector aggregate = view.defence(all);
        return aggregate.size() == 0 ? 0 : (aggregate - mean).norm();
    };
    return MaximizeOnLine(distance, {m_evaluations, m_start, m_delta, m_ratio});
}

} // namespace ns3::dlearn
