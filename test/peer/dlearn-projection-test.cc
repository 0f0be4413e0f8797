/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-projection.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <cmath>
#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

ModelVector
MakeVector(double x, double y)
{
    ModelVector vector(2);
    vector << x, y;
    return vector;
}

TEST(Projection, NoneKeepsEverything)
{
    ModelVector model = MakeVector(1e300, -3);
    CreateObject<NoProjection>()->Project(model);
    EXPECT_EQ(model, MakeVector(1e300, -3));
}

TEST(Projection, BallScalesDownToItsRadius)
{
    const auto ball = CreateObjectWithAttributes<BallProjection>("Radius", DoubleValue(5));
    ModelVector inside = MakeVector(3, 4);
    ball->Project(inside);
    EXPECT_EQ(inside, MakeVector(3, 4));
    ModelVector outside = MakeVector(-30, 40);
    ball->Project(outside);
    EXPECT_LT((outside - MakeVector(-3, 4)).norm(), 1e-15);
    ModelVector huge = MakeVector(3e200, 4e200); // its square overflows
    ball->Project(huge);
    EXPECT_LT((huge - MakeVector(3, 4)).norm(), 1e-14);
}

TEST(Projection, BoxMovesEachEntry)
{
    const auto box = CreateObjectWithAttributes<BoxProjection>("Lower",
                                                               DoubleValue(-2),
                                                               "Upper",
                                                               DoubleValue(0.5));
    ModelVector model = MakeVector(-7, 7);
    box->Project(model);
    EXPECT_EQ(model, MakeVector(-2, 0.5));
}

// The nearest point: no other point of the set, tried on a fine grid, is nearer; and two
// points come no farther apart, which the privacy ledgers rely on.
TEST(Projection, IsNearestAndNonexpansive)
{
    const auto ball = CreateObjectWithAttributes<BallProjection>("Radius", DoubleValue(1));
    const auto box = CreateObject<BoxProjection>();
    for (const Ptr<Projection>& set : {Ptr<Projection>(ball), Ptr<Projection>(box)})
    {
        ModelVector last = MakeVector(0, 0);
        ModelVector lastImage = last;
        for (int k = 0; k < 50; ++k)
        {
            const ModelVector point = MakeVector(3 * std::sin(1.7 * k), 2 * std::cos(2.3 * k * k));
            ModelVector image = point;
            set->Project(image);
            for (int g = 0; g < 441; ++g)
            {
                ModelVector other = MakeVector(-1 + 0.1 * (g % 21), -1 + 0.1 * (g / 21));
                ModelVector kept = other;
                set->Project(kept);
                if ((kept - other).norm() < 1e-12) // lies in the set
                {
                    EXPECT_LE((image - point).norm(), (other - point).norm() + 1e-12);
                }
            }
            EXPECT_LE((image - lastImage).norm(), (point - last).norm() + 1e-12);
            last = point;
            lastImage = image;
        }
    }
}

TEST(Projection, RefusesEmptySets)
{
    ModelVector model = MakeVector(0, 0);
    const auto ball = CreateObjectWithAttributes<BallProjection>("Radius", DoubleValue(0));
    ExpectRefused([&] { ball->Project(model); },
                  "BallProjection: Radius must be finite and greater than 0, got 0");
    const auto box = CreateObjectWithAttributes<BoxProjection>("Lower", DoubleValue(2));
    ExpectRefused([&] { box->Project(model); },
                  "BoxProjection: Lower must be at most Upper, got 2 and 1");
}

} // namespace
