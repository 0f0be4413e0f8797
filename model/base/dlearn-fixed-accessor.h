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
    /**
     * @param accessor of the attribute
     * @param isSetUp whether the owner takes no other value any more
     */
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
    Ptr<const AttributeAccessor> m_accessor; //!< sets and gets
    bool (Owner::*m_isSetUp)() const;        //!< whether there is no other value any more
};

} // namespace internal

/**
 * For an attribute that its owner reads when it is set up, so that a later value would have no
 * effect, or half of one: it is refused.
 *
 * @tparam Owner class that has the attribute, or a base class of it
 * @param accessor sets and gets the attribute
 * @param isSetUp method of the owner that says whether it takes no other value any more
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
