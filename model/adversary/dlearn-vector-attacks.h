/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_VECTOR_ATTACKS_H
#define DLEARN_VECTOR_ATTACKS_H

#include "dlearn-attack.h"

#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/** Minus the honest mean. @ingroup dlearn */
class SignFlippingAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override;
};

/** Inner-product manipulation: ForgeInnerProduct(). @ingroup dlearn */
class InnerProductAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override;

  private:
    double m_tau{2}; //!< tau
};

/** A little is enough with a fixed factor: ForgeAlie(). @ingroup dlearn */
class AlieAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override;

  private:
    double m_tau{1.5}; //!< tau
};

/** @ingroup dlearn A little is enough as its authors do it: minus GetAlieDeviation() standard
 * deviations, of the n = h + f learners. */
class DerivedAlieAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    void Check(uint32_t sources, uint32_t honest, uint32_t byzantine) const override;
    ModelVector Forge(const HonestView& view) override;
};

/** The vector of one honest learner: CopyHonest(). @ingroup dlearn */
class MimicAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    void Check(uint32_t sources, uint32_t honest, uint32_t byzantine) const override;
    ModelVector Forge(const HonestView& view) override;

  private:
    uint32_t m_index{0}; //!< which
};

/** Infinity everywhere. @ingroup dlearn */
class InfinityAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override;
};

/** No numbers at all: NaN everywhere. @ingroup dlearn */
class NanAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override;
};

/** Independent normal numbers, which know nothing of the honest vectors. @ingroup dlearn */
class GaussianAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    GaussianAttack();
    ~GaussianAttack() override;

    ModelVector Forge(const HonestView& view) override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    double m_mean{0};                                                         //!< of each number
    double m_deviation{1};                                                    //!< of each number
    Ptr<NormalRandomVariable> m_random{CreateObject<NormalRandomVariable>()}; //!< draws them
};

} // namespace ns3::dlearn

#endif // DLEARN_VECTOR_ATTACKS_H
