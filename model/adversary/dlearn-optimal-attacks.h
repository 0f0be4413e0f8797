/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_OPTIMAL_ATTACKS_H
#define DLEARN_OPTIMAL_ATTACKS_H

#include "dlearn-attack.h"
#include "dlearn-forged-vectors.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * An attack with one parameter, tau, that knows the defence: it tries values of tau, and sends
 * what takes the aggregate farthest from the honest mean. Needs the defence in its view.
 *
 * Shejwalkar and Houmansadr 2021, "Manipulating the Byzantine", NDSS; the search is that of
 * MaximizeOnLine().
 */
class OptimalAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override;

    /**
     * The search behind Forge(): distances of the aggregate from the honest mean, by tau.
     *
     * @param view what the coalition knows
     * @return where the search went
     * @throw std::invalid_argument when the view has no defence
     */
    LineSearch Search(const HonestView& view) const;

  private:
    /** @return what the attack sends with this tau */
    virtual ModelVector ForgeWith(const HonestView& view, double tau) const = 0;

    uint32_t m_evaluations{20}; //!< of the line search
    double m_start{0};          //!< of the line search
    double m_delta{10};         //!< its first step
    double m_ratio{0.8};        //!< its shrinking
};

/** Inner-product manipulation with the best tau: ForgeInnerProduct(). @ingroup dlearn */
class OptimalInnerProductAttack : public OptimalAttack
{
  public:
    static TypeId GetTypeId();

  private:
    ModelVector ForgeWith(const HonestView& view, double tau) const override;
};

/** A little is enough with the best tau: ForgeAlie(). @ingroup dlearn */
class OptimalAlieAttack : public OptimalAttack
{
  public:
    static TypeId GetTypeId();

  private:
    ModelVector ForgeWith(const HonestView& view, double tau) const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_OPTIMAL_ATTACKS_H
