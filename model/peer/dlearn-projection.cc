/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-projection.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(Projection, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(NoProjection, Projection);
NS_OBJECT_ENSURE_REGISTERED(BallProjection);
NS_OBJECT_ENSURE_REGISTERED(BoxProjection);

void
NoProjection::Project(VectorRef) const
{
}

TypeId
BallProjection::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::BallProjection")
                            .SetParent<Projection>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<BallProjection>()
                            .AddAttribute("Radius",
                                          "Largest Euclidean norm of a model, greater than 0.",
                                          DoubleValue(1e5),
                                          MakeDoubleAccessor(&BallProjection::m_radius),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
BallProjection::Project(VectorRef model) const
{
    RequirePositive("BallProjection", "Radius", m_radius);
    // The stable norm does not overflow where a square would.
    const double norm = model.stableNorm();
    if (norm > m_radius)
    {
        model *= m_radius / norm;
    }
}

TypeId
BoxProjection::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::BoxProjection")
                            .SetParent<Projection>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<BoxProjection>()
                            .AddAttribute("Lower",
                                          "Smallest value of an entry.",
                                          DoubleValue(-1.0),
                                          MakeDoubleAccessor(&BoxProjection::m_lower),
                                          MakeDoubleChecker<double>())
                            .AddAttribute("Upper",
                                          "Largest value of an entry.",
                                          DoubleValue(1.0),
                                          MakeDoubleAccessor(&BoxProjection::m_upper),
                                          MakeDoubleChecker<double>());
    return tid;
}

void
BoxProjection::Project(VectorRef model) const
{
    Require(m_lower <= m_upper,
            "BoxProjection: Lower must be at most Upper, got ",
            m_lower,
            " and ",
            m_upper);
    model = model.cwiseMax(m_lower).cwiseMin(m_upper);
}

} // namespace ns3::dlearn
