/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-vector-attacks.h"

#include "dlearn-forged-vectors.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(SignFlippingAttack, Attack);
NS_OBJECT_ENSURE_REGISTERED(InnerProductAttack);
NS_OBJECT_ENSURE_REGISTERED(AlieAttack);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(DerivedAlieAttack, Attack);
NS_OBJECT_ENSURE_REGISTERED(MimicAttack);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(InfinityAttack, Attack);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(NanAttack, Attack);
NS_OBJECT_ENSURE_REGISTERED(GaussianAttack);

ModelVector
SignFlippingAttack::Forge(const HonestView& view)
{
    return ForgeInnerProduct<double>(view.vectors, 1);
}

TypeId
InnerProductAttack::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::InnerProductAttack")
                            .SetParent<Attack>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<InnerProductAttack>()
                            .AddAttribute("Tau",
                                          "Minus this times the honest mean.",
                                          DoubleValue(2),
                                          MakeDoubleAccessor(&InnerProductAttack::m_tau),
                                          MakeDoubleChecker<double>());
    return tid;
}

ModelVector
InnerProductAttack::Forge(const HonestView& view)
{
    return ForgeInnerProduct<double>(view.vectors, m_tau);
}

TypeId
AlieAttack::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::AlieAttack")
            .SetParent<Attack>()
            .SetGroupName("Dlearn")
            .AddConstructor<AlieAttack>()
            .AddAttribute("Tau",
                          "Standard deviations that are added to the honest mean; may be negative.",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&AlieAttack::m_tau),
                          MakeDoubleChecker<double>());
    return tid;
}

ModelVector
AlieAttack::Forge(const HonestView& view)
{
    return ForgeAlie<double>(view.vectors, m_tau);
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
    return ForgeAlie<double>(view.vectors,
                             -GetAlieDeviation(honest + view.byzantine, view.byzantine));
}

TypeId
MimicAttack::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::MimicAttack")
                            .SetParent<Attack>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<MimicAttack>()
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
            "Mimic: Epsilon must be the place of one of the ",
            sources,
            " learners whose vectors are known, from 0, got ",
            m_index);
}

ModelVector
MimicAttack::Forge(const HonestView& view)
{
    if (view.places.empty())
    {
        return CopyHonest<double>(view.vectors, m_index);
    }
    const auto place = std::find(view.places.begin(), view.places.end(), m_index);
    return place == view.places.end()
               ? ModelVector()
               : ModelVector(view.vectors.row(place - view.places.begin()).transpose());
}

ModelVector
InfinityAttack::Forge(const HonestView& view)
{
    return ModelVector::Constant(view.vectors.cols(), std::numeric_limits<double>::infinity());
}

ModelVector
NanAttack::Forge(const HonestView& view)
{
    return ModelVector::Constant(view.vectors.cols(), std::numeric_limits<double>::quiet_NaN());
}

TypeId
GaussianAttack::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::GaussianAttack")
                            .SetParent<Attack>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<GaussianAttack>()
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

GaussianAttack::GaussianAttack() = default;

GaussianAttack::~GaussianAttack() = default;

ModelVector
GaussianAttack::Forge(const HonestView& view)
{
    return ModelVector::NullaryExpr(view.vectors.cols(),
                                    [this] { return m_mean + m_deviation * m_random->GetValue(); });
}

int64_t
GaussianAttack::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3::dlearn
