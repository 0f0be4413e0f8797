/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-optimal-attacks.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(OptimalAttack);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(OptimalInnerProductAttack, OptimalAttack);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(OptimalAlieAttack, OptimalAttack);

TypeId
OptimalAttack::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::OptimalAttack")
                            .SetParent<Attack>()
                            .SetGroupName("Dlearn")
                            .AddAttribute("Evaluations",
                                          "How many values of tau are tried.",
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
                                          "What shrinks steps, greater than 0 and less than 1.",
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
            ": needs to know the defence that it is up against");
    const Eigen::Index honest = view.vectors.rows();
    const ModelVector mean = view.vectors.colwise().mean().transpose();
    RowMatrix<double> all(honest + view.byzantine, view.vectors.cols());
    all.topRows(honest) = view.vectors;
    const auto distance = [&](double tau) {
        all.bottomRows(view.byzantine).rowwise() = ForgeWith(view, tau).transpose();
        const ModelVector aggregate = view.defence(all);
        return aggregate.size() == 0 ? 0 : (aggregate - mean).norm();
    };
    const LineSearchOptions options{m_evaluations, m_start, m_delta, m_ratio};
    return MaximizeOnLine(distance, options);
}

ModelVector
OptimalAttack::Forge(const HonestView& view)
{
    return ForgeWith(view, Search(view).best);
}

ModelVector
OptimalInnerProductAttack::ForgeWith(const HonestView& view, double tau) const
{
    return ForgeInnerProduct<double>(view.vectors, tau);
}

ModelVector
OptimalAlieAttack::ForgeWith(const HonestView& view, double tau) const
{
    return ForgeAlie<double>(view.vectors, tau);
}

} // namespace ns3::dlearn
