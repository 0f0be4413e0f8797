/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-part.h"
#include "ns3/names.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{

namespace
{

/** The interface of a part. */
class Wheel : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::Wheel").SetParent<Object>();
        return tid;
    }
};

/** A part with an attribute. */
class RoundWheel : public Wheel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::RoundWheel")
                                .SetParent<Wheel>()
                                .AddConstructor<RoundWheel>()
                                .AddAttribute("Spokes",
                                              "How many.",
                                              UintegerValue(8),
                                              MakeUintegerAccessor(&RoundWheel::m_spokes),
                                              MakeUintegerChecker<uint32_t>(3));
        return tid;
    }

    uint32_t m_spokes{0};
};

/** An owner of two parts. */
class Cart : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::dlearn::test::Cart")
                .SetParent<Object>()
                .AddConstructor<Cart>()
                .AddAttribute("Wheel",
                              "A part.",
                              TypeIdValue(RoundWheel::GetTypeId()),
                              MakePartAccessor(&Cart::m_wheel, &Cart::IsSetUp),
                              MakePartChecker<Wheel>())
                .AddAttribute("Spare",
                              "An optional part.",
                              StringValue(""),
                              MakeOptionalPartAccessor(&Cart::m_spare, &Cart::IsSetUp),
                              MakePartChecker<Wheel>());
        return tid;
    }

    bool IsSetUp() const { return m_setUp; }

    uint32_t GetSpokes() const { return DynamicCast<RoundWheel>(m_wheel)->m_spokes; }

    bool m_setUp{false};
    Ptr<Wheel> m_wheel;
    Ptr<Wheel> m_spare;
};

/** An owner of an owner of parts. */
class Yard : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::Yard")
                                .SetParent<Object>()
                                .AddConstructor<Yard>()
                                .AddAttribute("Cart",
                                              "A part with parts.",
                                              TypeIdValue(Cart::GetTypeId()),
                                              MakePartAccessor(&Yard::m_cart, nullptr),
                                              MakePartChecker<Cart>());
        return tid;
    }

    Ptr<Cart> m_cart;
};

NS_OBJECT_ENSURE_REGISTERED(Yard);
NS_OBJECT_ENSURE_REGISTERED(Wheel);
NS_OBJECT_ENSURE_REGISTERED(RoundWheel);
NS_OBJECT_ENSURE_REGISTERED(Cart);

/** Undoes what a test has set by Config::SetDefault. */
class Part : public testing::Test
{
  protected:
    ~Part() override { Config::Reset(); }
};

ObjectFactory
WithSpokes(uint32_t spokes)
{
    ObjectFactory factory("ns3::dlearn::test::RoundWheel");
    factory.Set("Spokes", UintegerValue(spokes));
    return factory;
}

TEST_F(Part, IsThereAsSoonAsItsOwner)
{
    const auto cart = CreateObject<Cart>();
    EXPECT_EQ(cart->GetSpokes(), 8);
    EXPECT_EQ(cart->m_spare, nullptr);
}

TEST_F(Part, OfADefaultBelongsToOneOwner)
{
    for (const std::string text : {"ns3::dlearn::test::RoundWheel[Spokes=5]", ""})
    {
        ASSERT_TRUE(
            Config::SetDefaultFailSafe("ns3::dlearn::test::Cart::Spare", StringValue(text)));
        const auto one = CreateObject<Cart>();
        const auto other = CreateObject<Cart>();
        EXPECT_EQ(one->m_spare == nullptr, text.empty());
        EXPECT_TRUE(text.empty() || one->m_spare != other->m_spare);
    }
}

TEST_F(Part, IsSetByTypeTextFactoryAndPointer)
{
    const auto cart = CreateObject<Cart>();
    cart->SetAttribute("Wheel", ObjectFactoryValue(WithSpokes(7)));
    EXPECT_EQ(cart->GetSpokes(), 7);
    cart->SetAttribute("Wheel", StringValue("ns3::dlearn::test::RoundWheel[Spokes=6]"));
    EXPECT_EQ(cart->GetSpokes(), 6);
    cart->SetAttribute("Wheel", TypeIdValue(RoundWheel::GetTypeId()));
    EXPECT_EQ(cart->GetSpokes(), 8);
    const auto mine = CreateObject<RoundWheel>();
    cart->SetAttribute("Wheel", PointerValue(mine));
    EXPECT_EQ(cart->m_wheel, mine);
}

// None is the name of an abstract type, of which ns-3 would make an object.
TEST_F(Part, OfAPartIsSetByTextToo)
{
    const auto yard = CreateObject<Yard>();
    const auto set = [&](const std::string& spare) {
        yard->SetAttribute("Cart", StringValue("ns3::dlearn::test::Cart[Spare=" + spare + "]"));
        return yard->m_cart->m_spare;
    };
    EXPECT_NE(set("ns3::dlearn::test::RoundWheel"), nullptr);
    EXPECT_EQ(set("ns3::dlearn::test::Wheel"), nullptr);
    EXPECT_EQ(set(""), nullptr);
    EXPECT_NE(yard->m_cart->m_wheel, nullptr);
}

TEST_F(Part, IsReadAsPointerAndAsType)
{
    const auto cart = CreateObject<Cart>();
    PointerValue pointer;
    cart->GetAttribute("Wheel", pointer);
    EXPECT_EQ(pointer.Get<Wheel>(), cart->m_wheel);
    TypeIdValue type;
    cart->GetAttribute("Wheel", type);
    EXPECT_EQ(type.Get(), RoundWheel::GetTypeId());
    cart->GetAttribute("Spare", type);
    EXPECT_EQ(type.Get(), Wheel::GetTypeId());
}

TEST_F(Part, IsReachedByAPathOfConfig)
{
    const auto cart = CreateObject<Cart>();
    Names::Add("cart", cart);
    Config::Set("/Names/cart/Wheel/$ns3::dlearn::test::RoundWheel/Spokes", UintegerValue(4));
    EXPECT_EQ(cart->GetSpokes(), 4);
    Names::Clear();
}

TEST_F(Part, OfAFactoryGoesThroughTheOwnersFactory)
{
    ObjectFactory carts("ns3::dlearn::test::Cart");
    carts.Set("Wheel", ObjectFactoryValue(WithSpokes(9)));
    const auto one = carts.Create<Cart>();
    const auto other = carts.Create<Cart>();
    EXPECT_EQ(one->GetSpokes(), 9);
    EXPECT_NE(one->m_wheel, other->m_wheel);
}

TEST_F(Part, IsClaimedByOneOwner)
{
    const auto wheel = CreateObject<RoundWheel>();
    const auto cart = CreateObject<Cart>();
    EXPECT_FALSE(IsClaimed(*wheel));
    ClaimPart(wheel, *cart);
    ClaimPart(wheel, *cart);
    EXPECT_TRUE(IsClaimed(*wheel));
    ExpectRefused([&] { ClaimPart(wheel, *CreateObject<Cart>()); },
                  "this ns3::dlearn::test::RoundWheel is a part of another");
}

TEST_F(Part, MustHaveATypeUnlessItIsOptional)
{
    const auto cart = CreateObject<Cart>();
    const std::string message = "Wheel must be a ns3::dlearn::test::Wheel, got an empty text or no "
                                "type";
    ExpectRefused([&] { cart->SetAttribute("Wheel", StringValue("")); }, message);
    ExpectRefused([&] { cart->SetAttribute("Wheel", TypeIdValue(TypeId())); }, message);
    cart->SetAttribute("Spare", StringValue(""));
    EXPECT_EQ(cart->m_spare, nullptr);
}

TEST_F(Part, RefusesOtherTypesNoneAndLateness)
{
    const auto cart = CreateObject<Cart>();
    const auto set = [&](const AttributeValue& value) {
        cart->SetAttributeFailSafe("Wheel", value);
    };
    ExpectRefused([&] { set(TypeIdValue(Cart::GetTypeId())); }, "ns3::dlearn::test::Cart");
    ExpectRefused([&] { set(TypeIdValue(Wheel::GetTypeId())); }, "concrete type");
    ExpectRefused([&] { set(PointerValue()); }, "Cart: Wheel must be a ns3::dlearn::test::Wheel");
    for (const std::string text : {"ns3::NoSuchType",
                                   "ns3::dlearn::test::RoundWheel[Spokes]",
                                   "ns3::dlearn::test::RoundWheel[Spokes=5"})
    {
        ExpectRefused([&] { set(StringValue(text)); }, "'" + text + "' is neither a type nor");
    }
    const std::string wheel = "ns3::dlearn::test::RoundWheel";
    ExpectRefused([&] { set(StringValue(wheel + "[Hub=ns3::Hub[Bolts=5|Nuts=3]]")); },
                  wheel + " has no attribute 'Hub'");
    for (const std::string text : {"[Hub=ns3::Hub[Bolts=5]", "[Spokes=5]]", "[Spokes=5][]", "[|]"})
    {
        ExpectRefused([&] { set(StringValue(wheel + text)); }, "is neither a type nor");
    }
    ExpectRefused([&] { set(StringValue(wheel + "[Sides=2]")); },
                  "Cart: Wheel: " + wheel + " has no attribute 'Sides'");
    ExpectRefused([&] { set(StringValue(wheel + "[Spokes=2]")); },
                  "Cart: Wheel: Spokes of " + wheel + " must be a whole number ");
    cart->m_setUp = true;
    ExpectRefused([&] { set(TypeIdValue(RoundWheel::GetTypeId())); }, "after set-up");
}

} // namespace

} // namespace ns3::dlearn
