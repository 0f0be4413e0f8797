/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PROJECTION_H
#define DLEARN_PROJECTION_H

#include "ns3/dlearn-types.h"
#include "ns3/object.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Projection onto the convex set Theta that models must lie in: the nearest point of it.
 * Every projection brings no two points farther apart; the privacy ledgers need that.
 */
class Projection : public Object
{
  public:
    static TypeId GetTypeId();

    /** @param model is replaced by the nearest point of the set */
    virtual void Project(VectorRef model) const = 0;
};

/**
 * @ingroup dlearn
 * Theta is the whole space.
 */
class NoProjection : public Projection
{
  public:
    static TypeId GetTypeId();
    void Project(VectorRef model) const override;
};

/**
 * @ingroup dlearn
 * Theta is the ball ||theta|| <= Radius.
 */
class BallProjection : public Projection
{
  public:
    static TypeId GetTypeId();

    /**
     * @param model is scaled down to the radius when it is longer
     * @throw std::invalid_argument when Radius is not finite and positive
     */
    void Project(VectorRef model) const override;

  private:
    double m_radius{1e5}; //!< attribute Radius
};

/**
 * @ingroup dlearn
 * Theta is the box Lower <= theta_k <= Upper, the same for every entry.
 */
class BoxProjection : public Projection
{
  public:
    static TypeId GetTypeId();

    /**
     * @param model each entry is moved to the nearest end when it is outside
     * @throw std::invalid_argument when Lower exceeds Upper
     */
    void Project(VectorRef model) const override;

  private:
    double m_lower{-1}; //!< attribute Lower
    double m_upper{1};  //!< attribute Upper
};

} // namespace ns3::dlearn

#endif // DLEARN_PROJECTION_H
