/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FIXED_ACCESSOR_H
#define DLEARN_FIXED_ACCESSOR_H

#include "dlearn-part.h"

namespace ns3::dlearn
{

namespace internal
{

/** Sets and gets as another accessor does, but refuses to set once the owner is set up. */
template <typename Owner>
class FixedAccessor : public AttributeAccessor
{
  public:
    FixedAccessor(Ptr<const AttributeAccessor> accessor, bool (Owner::*isSetUp)() const)
        : m_accessor(accessor),
          m_isSetUp(isSetUp)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        const auto owner = dynamic_cast<Owner*>(object);
        if (!owner)
        {
            return false;
        }
        Require(!(owner->*m_isSetUp)(),
                NameAttribute(*owner, this),
                " cannot change any more after set-up, which has read it");
        return m_accessor->Set(object, value);
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        return m_accessor->Get(object, value);
    }

    bool HasGetter() const override { return m_accessor->HasGetter(); }

    bool HasSetter() const override { return m_accessor->HasSetter(); }

  private:
    Ptr<const AttributeAccessor> m_accessor;
    bool (Owner::*m_isSetUp)() const;
};

} // namespace internal

/**
 * For an attribute that its owner reads at set-up, and whose later values are therefore refused.
 *
 * @param accessor sets and gets the attribute
 * @param isSetUp method of the owner, or of a base class, that returns whether it is set up
 * @return the accessor of the attribute; it throws std::invalid_argument after the set-up
 */
template <typename Owner>
Ptr<const AttributeAccessor>
MakeFixedAccessor(Ptr<const AttributeAccessor> accessor, bool (Owner::*isSetUp)() const)
{
    return Create<internal::FixedAccessor<Owner>>(accessor, isSetUp);
}

} // namespace ns3::dlearn

#endif // DLEARN_FIXED_ACCESSOR_H
