/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-component.h"
#include "ns3/double.h"
#include "ns3/object.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{

namespace
{

/** What a family has in common. */
class Fruit : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::Fruit").SetParent<Object>();
        return tid;
    }
};

/** A part whose parent has an attribute, too. */
class StoneFruit : public Fruit
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::StoneFruit")
                                .SetParent<Fruit>()
                                .AddConstructor<StoneFruit>()
                                .AddAttribute("Stones",
                                              "How many.",
                                              UintegerValue(1),
                                              MakeUintegerAccessor(&StoneFruit::m_stones),
                                              MakeUintegerChecker<uint32_t>(1));
        return tid;
    }

    uint32_t m_stones{0};
};

/** A part with attributes of its own. */
class SourCherryFruit : public StoneFruit
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::SourCherryFruit")
                                .SetParent<StoneFruit>()
                                .AddConstructor<SourCherryFruit>()
                                .AddAttribute("Sugar",
                                              "Share of it.",
                                              DoubleValue(0.1),
                                              MakeDoubleAccessor(&SourCherryFruit::m_sugar),
                                              MakeDoubleChecker<double>(0, 1))
                                .AddAttribute("Ripe",
                                              "Whether it is.",
                                              BooleanValue(false),
                                              MakeBooleanAccessor(&SourCherryFruit::m_ripe),
                                              MakeBooleanChecker());
        return tid;
    }

    double m_sugar{0};
    bool m_ripe{false};
};

/** A part that is not for users. */
class RottenFruit : public Fruit
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::RottenFruit")
                                .SetParent<Fruit>()
                                .AddConstructor<RottenFruit>()
                                .HideFromDocumentation();
        return tid;
    }
};

/** A user's own part. */
class MyFruit : public Fruit
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("mine::MyFruit").SetParent<Fruit>().AddConstructor<MyFruit>();
        return tid;
    }
};

NS_OBJECT_ENSURE_REGISTERED(StoneFruit);
NS_OBJECT_ENSURE_REGISTERED(SourCherryFruit);
NS_OBJECT_ENSURE_REGISTERED(RottenFruit);
NS_OBJECT_ENSURE_REGISTERED(MyFruit);

ComponentFamily
GetFamily()
{
    return {"fruit", Fruit::GetTypeId(), {"Fruit"}, true, {{"morello", "sour-cherry"}}};
}

Ptr<SourCherryFruit>
Parse(const std::string& text)
{
    return ParseComponent(GetFamily(), text).Create<SourCherryFruit>();
}

TEST(Component, NamesAreThoseOfTheTypesThatExist)
{
    const std::vector<std::string> hyphenated{"mine::MyFruit", "morello", "stone"};
    EXPECT_EQ(GetComponentNames(GetFamily()), hyphenated);
    ComponentFamily family = GetFamily();
    family.hyphenated = false;
    family.aliases.clear();
    const std::vector<std::string> capitals{"SourCherry", "Stone", "mine::MyFruit"};
    EXPECT_EQ(GetComponentNames(family), capitals);
}

TEST(Component, IsFoundByAnyOfItsNames)
{
    for (const std::string name : {"sour-cherry",
                                   "SourCherry",
                                   "sourcherry",
                                   "morello",
                                   "Mo-Rello",
                                   "ns3::dlearn::SourCherryFruit"})
    {
        EXPECT_TRUE(IsComponent(GetFamily(), name + ":0.5")) << name;
        EXPECT_EQ(Parse(name)->GetInstanceTypeId(), SourCherryFruit::GetTypeId()) << name;
    }
    EXPECT_TRUE(IsComponent(GetFamily(), "mine::MyFruit"));
    EXPECT_FALSE(IsComponent(GetFamily(), "rotten"));
    EXPECT_FALSE(IsComponent(GetFamily(), ""));
    EXPECT_EQ(GetComponentName("mine::MyFruit,a=1:2"), "mine::MyFruit");
}

TEST(Component, TellsOfWhichTypeATextIs)
{
    for (const std::string name : {"SourCherry", "MORELLO:0.5", "ns3::dlearn::SourCherryFruit,x"})
    {
        EXPECT_TRUE(IsComponentOf(GetFamily(), name, SourCherryFruit::GetTypeId())) << name;
        EXPECT_TRUE(IsComponentOf(GetFamily(), name, StoneFruit::GetTypeId())) << name;
        EXPECT_FALSE(IsComponentOf(GetFamily(), name, MyFruit::GetTypeId())) << name;
    }
    EXPECT_FALSE(IsComponentOf(GetFamily(), "plum", Fruit::GetTypeId()));
    EXPECT_TRUE(IsComponentNamed(GetFamily(), "Morello:0.5", "morello"));
    EXPECT_FALSE(IsComponentNamed(GetFamily(), "sour-cherry", "morello"));
    EXPECT_FALSE(IsComponentNamed(GetFamily(), "plum", "morello"));
}

TEST(Component, ValuesWithoutNamesComeInTheOrderOfTheType)
{
    for (const std::string text :
         {"morello:0.5:true:3", "morello:0.5,ripe=true,stones=3", "morello,Stones=3,0.5,true"})
    {
        const auto cherry = Parse(text);
        EXPECT_EQ(cherry->m_sugar, 0.5) << text;
        EXPECT_TRUE(cherry->m_ripe) << text;
        EXPECT_EQ(cherry->m_stones, 3U) << text << ": of the parent";
    }
}

TEST(Component, FactoryMakesAnObjectForEachOwner)
{
    const ObjectFactory factory = ParseComponent(GetFamily(), "morello:0.5");
    EXPECT_NE(factory.Create<Fruit>(), factory.Create<Fruit>());
}

TEST(Component, RefusesWhatItDoesNotKnow)
{
    const auto refuse = [](const std::string& text, const std::string& message) {
        ExpectRefused([&] { Parse(text); }, message);
    };
    refuse("plum", "fruit must be one of mine::MyFruit, morello, stone; got 'plum'");
    refuse("", "got ''");
    refuse("morello:pips=1", "fruit morello has the parameters ripe, stones, sugar; got 'pips'");
    refuse("morello:1:1:1:1", "fruit morello has the parameters ripe, stones, sugar; got '1'");
    refuse("mine::MyFruit:1", "fruit mine::MyFruit has no parameters; got '1'");
    refuse("morello:sugar=1,Sugar=1", "fruit morello: sugar is given twice");
    refuse("morello:0.5,sugar=1", "fruit morello: sugar is given twice");
    refuse("morello:", "fruit morello: sugar must be a number from 0 to 1, got ''");
    refuse("morello:2", "fruit morello: sugar must be a number from 0 to 1, got '2'");
    refuse("stone:0", "fruit stone: stones must be a whole number of at least 1, got '0'");
    refuse("stone:-1", "stones must be a whole number of at least 1, got '-1'");
}

} // namespace

} // namespace ns3::dlearn
