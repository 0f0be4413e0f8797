/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Files of NumPy beside the bytes that numpy.save() writes (NumPy 2.4).
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-files.h"
#include "ns3/dlearn-npy-file.h"

#include <gtest/gtest.h>
#include <string>

namespace
{

using namespace ns3::dlearn;

/** @return a file of version 1, with a header padded as NumPy does */
std::string
MakeNumpyFile(const std::string& dictionary, const std::string& numbers)
{
    std::string header = dictionary;
    header.resize(117, ' ');
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + numbers;
}

/** @return what ReadNpy() makes of these bytes */
ModelVector
ReadBack(const std::string& bytes)
{
    const std::string path = testing::TempDir() + "dlearn-npy-file-test.npy";
    WriteTextFiles({{path, bytes}});
    return ReadNpy(path);
}

const std::string ONE("\0\0\0\0\0\0\xf0\x3f", 8);  // 1 in 64 bits
const std::string TWO("\0\0\0\x40", 4);            // 2 in 32 bits
const std::string HALF("\0\0\0\0\0\0\xe0\xbf", 8); // -0.5 in 64 bits

TEST(NpyFile, IsWrittenAsNumpyWritesIt)
{
    EXPECT_EQ(
        MakeNpy(Eigen::Vector2d(1, -0.5)),
        MakeNumpyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", ONE + HALF));
    EXPECT_EQ(
        MakeNpy(std::vector<ModelVector>{ModelVector::Ones(1), ModelVector::Ones(1)}),
        MakeNumpyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }", ONE + ONE));
}

TEST(NpyFile, IsReadInBothPrecisionsAndAllShapes)
{
    EXPECT_EQ(ReadBack(MakeNpy(ModelVector::LinSpaced(300, -1, 1))),
              ModelVector::LinSpaced(300, -1, 1));
    EXPECT_EQ(ReadBack(MakeNumpyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }",
                                     TWO + TWO)),
              ModelVector::Constant(2, 2));
    EXPECT_EQ(
        ReadBack(MakeNumpyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", HALF)),
        ModelVector::Constant(1, -0.5));
}

TEST(NpyFile, IsRefusedWhenItIsSomethingElse)
{
    const auto refuse = [](const std::string& bytes, const std::string& message) {
        ExpectRefused([&] { ReadBack(bytes); }, "dlearn-npy-file-test.npy: " + message);
    };
    refuse("1,2,3\n", "is not a file of NumPy");
    refuse(MakeNumpyFile("{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }", ONE),
           "must have little-endian floats of 32 or 64 bits");
    refuse(MakeNumpyFile("{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1), }", ONE),
           "must have little-endian floats of 32 or 64 bits in C order");
    refuse(MakeNumpyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", ONE),
           "is cut off");
    refuse(MakeNumpyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }", ""),
           "must have 1 to");
    refuse(MakeNpy(ModelVector::Constant(1, HUGE_VAL)), "all numbers must be finite");
}

} // namespace
