/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-image-sets.h"
#include "ns3/dlearn-image-transforms.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ns3::dlearn
{
namespace
{

/** A directory of data sets, removed in the end. */
class ImageSets : public testing::Test
{
  protected:
    ImageSets()
        : root(std::filesystem::temp_directory_path() /
               ("dlearn-image-sets-" + std::to_string(getpid())))
    {
        std::filesystem::create_directory(root);
    }

    ~ImageSets() override { std::filesystem::remove_all(root); }

    /** Write a file into a folder. */
    void Write(const std::string& folder, const std::string& file, const std::string& bytes) const
    {
        std::filesystem::create_directory(root / folder);
        std::ofstream(root / folder / file, std::ios::binary) << bytes;
    }

    /** Write a batch of CIFAR-10: one image of the label, black except for the first pixel. */
    void WriteBatch(const std::string& folder, const std::string& file, char label) const
    {
        Write(folder, file, std::string{label, '\xff'} + std::string(3071, '\0'));
    }

    /** Write images of 1 x 2 pixels as part of MNIST, of one class after the other. */
    void WriteIdx(const std::string& part,
                  const std::string& pixels,
                  const std::string& classes = std::string("\0\1", 2)) const
    {
        const char count = char(pixels.size() / 2);
        using namespace std::string_literals;
        const std::string sizes = "\0\0\0"s + count + "\0\0\0\1\0\0\0\2"s;
        Write("mnist", part + "-images-idx3-ubyte", "\0\0\x08\x03"s + sizes + pixels);
        Write("mnist",
              part + "-labels-idx1-ubyte",
              "\0\0\x08\x01\0\0\0"s + count + classes.substr(0, count));
    }

    /** @return options for all samples of a data set in the directory */
    DataOptions Whole(const std::string& data) const
    {
        DataOptions options;
        options.data = data;
        options.directory = root.string();
        options.testFraction = 0;
        options.unitNorm = false;
        return options;
    }

    const std::filesystem::path root;
};

TEST_F(ImageSets, ReadsBatchesOfCifarInOrder)
{
    WriteBatch("cifar10", "data_batch_2.bin", 2);
    WriteBatch("cifar10", "data_batch_1.bin.gz", 1); // zlib reads plain bytes, too
    WriteBatch("cifar10", "data_batch_2.bin.gz", 9); // the same as data_batch_2.bin
    WriteBatch("cifar10", "readme.bin", 9);
    const RawData whole = ReadImageSet("cifar10", root.string());
    EXPECT_EQ(whole.train.labels, Eigen::Vector2d(1, 2));
    EXPECT_FALSE(whole.test);
    DataOptions options = Whole("cifar10");
    options.testFraction = 0.5;
    EXPECT_EQ(LoadData(options).train->GetSize(), 1U);
    EXPECT_EQ(LoadData(options).test->GetSize(), 1U);

    WriteBatch("cifar10", "test_batch.bin", 3);
    const LoadedData split = LoadData(options);
    EXPECT_EQ(split.train->GetSize(), 2U);
    EXPECT_EQ(split.test->labels(0), 3);
}

TEST_F(ImageSets, FindsCifarInTheFolderOfItsArchive)
{
    WriteBatch("cifar-10-batches-bin", "data_batch_1.bin", 7);
    WriteBatch("cifar-10-batches-bin", "data_batch_2.bin", 3);
    EXPECT_EQ(ReadImageSet("cifar10", root.string()).train.labels(0), 7);
}

TEST_F(ImageSets, SayWhatIsMissing)
{
    const std::string where = "[.gz] in '" + root.string() + "'; set --data-dir or DLEARN_DATA";
    ExpectRefused([&] { ReadImageSet("cifar10", root.string()); },
                  "data set cifar10: no file cifar10/data_batch_*.bin" + where);
    ExpectRefused([&] { ReadImageSet("mnist", root.string()); },
                  "data set mnist: no file mnist/train-images-idx3-ubyte" + where);
    ExpectRefused([] { ReadImageSet("mnist", ""); },
                  "data set mnist: no directory with data is known; set --data-dir or DLEARN_DATA");
    ExpectRefused([&] { ReadImageSet("cifar10", root.string()); }, "www.cs.toronto.edu");
    ExpectRefused([&] { ReadImageSet("fashion-mnist", root.string()); }, "zalandoresearch");
    ExpectRefused([&] { ReadImageSet("glyphs", root.string()); },
                  "ReadImageSet: name must be that of a set of images, got glyphs");
    EXPECT_FALSE(IsImageSet("glyphs"));
}

// The training images have classes 0 and 2, and the model has an output for 1, too. The test images
// may lack classes, or have one more.
TEST_F(ImageSets, MayLackClasses)
{
    using namespace std::string_literals;
    WriteIdx("train", "\x00\x33\x66\x00"s, "\0\2"s);
    for (const auto& [labels, classes] : {std::pair("\0\0"s, 3U), std::pair("\1\4"s, 5U)})
    {
        WriteIdx("t10k", "\xcc\x00\x00\x33"s, labels);
        const LoadedData data = LoadData(Whole("mnist"));
        EXPECT_EQ(data.train->classes, classes);
        EXPECT_EQ(data.test->classes, classes);
        EXPECT_EQ(data.train->labels, Eigen::Vector2d(0, 2));
        EXPECT_EQ(data.test->labels, Eigen::Vector2d(labels[0], labels[1]));
        EXPECT_EQ(CreateTask("softmax", data, 0)->GetDimension(), 2 * classes);
    }
}

// Files of tests may be sorted by class: of 60 images the first 30 are of class 0. Of 20 drawn ones
// all are of one class with a probability of 1.4e-8.
TEST_F(ImageSets, AreEvaluatedOnRandomTestImages)
{
    const std::string classes = std::string(30, '\0') + std::string(30, '\1');
    WriteIdx("train", std::string(120, '\7'), classes);
    WriteIdx("t10k", std::string(120, '\7'), classes);
    RunSpec spec = FedAvgPreset("test");
    spec.data = "mnist";
    spec.dataDir = root.string();
    spec.evaluationSamples = 20;
    const dlearn::Run run(spec);
    const Eigen::VectorXd& labels = run.GetTask()->GetTest().labels;
    ASSERT_EQ(labels.size(), 20);
    EXPECT_EQ(labels.minCoeff(), 0);
    EXPECT_EQ(labels.maxCoeff(), 1);
}

TEST_F(ImageSets, NeedTwoClassesForTraining)
{
    using namespace std::string_literals;
    const std::string rule = ": the training images must have at least 2 classes, all have label ";
    WriteIdx("t10k", "\xcc\x00"s, "\0"s);
    for (const std::string& label : {"\0"s, "\3"s})
    {
        WriteIdx("train", "\x00\x33\x66\x00"s, label + label);
        ExpectRefused([&] { ReadImageSet("mnist", root.string()); },
                      "data set mnist" + rule + std::to_string(label[0]));
    }
    WriteIdx("train", "\x00\x33\x66\x00"s);
    EXPECT_NO_THROW(ReadImageSet("mnist", root.string())) << "the test images may have one class";
    WriteBatch("cifar10", "data_batch_1.bin", 7);
    ExpectRefused([&] { ReadImageSet("cifar10", root.string()); }, "data set cifar10" + rule + "7");
}

TEST_F(ImageSets, ScalesBothPartsAlike)
{
    WriteIdx("train", std::string("\x00\x33\x66\x00", 4)); // 0.2 and 0.4
    WriteIdx("t10k", std::string("\xcc\x00", 2));          // 0.8
    DataOptions options = Whole("mnist");
    options.unitNorm = true;
    const LoadedData scaled = LoadData(options);
    EXPECT_DOUBLE_EQ(scaled.train->features(1, 0), 0.5);
    EXPECT_DOUBLE_EQ(scaled.train->features(0, 1), 1);
    EXPECT_DOUBLE_EQ(scaled.test->features(0, 0), 2);

    // By the training samples 0, 0.2, 0.4, 0: mean 0.15, variance 0.05 - 0.0225.
    options.normalize = true;
    const LoadedData normal = LoadData(options);
    const double deviation = std::sqrt(0.0275);
    EXPECT_NEAR(normal.train->features(0, 0), -0.15 / deviation, 1e-14);
    EXPECT_NEAR(normal.train->features(0, 1), 0.25 / deviation, 1e-14);
    EXPECT_NEAR(normal.test->features(0, 0), 0.65 / deviation, 1e-14);
}

TEST_F(ImageSets, MirrorsTheTrainingSamplesAlone)
{
    WriteIdx("train", std::string("\x00\x33\x66\x00", 4));
    WriteIdx("t10k", std::string("\xcc\x00", 2));
    DataOptions options = Whole("mnist");
    options.mirror = true;
    const LoadedData data = LoadData(options);
    Eigen::MatrixXd features(2, 4);
    features << 0, 102, 51, 0, 51, 0, 0, 102;
    EXPECT_TRUE(data.train->features.isApprox(features / 255, 1e-15));
    EXPECT_EQ(data.test->GetSize(), 1U);
}

TEST(LoadGlyphs, MakesAsManyAsAskedFor)
{
    DataOptions options;
    options.data = "glyphs";
    options.samples = 100;
    const LoadedData data = LoadData(options);
    EXPECT_EQ(data.train->GetSize(), 80U);
    EXPECT_EQ(data.test->GetSize(), 20U);
    EXPECT_EQ(data.train->shape.GetSize(), 784U);
    EXPECT_LE(data.train->GetMaxNorm(), 1 + 1e-15);
    options.normalize = true;
    options.mirror = true;
    const LoadedData changed = LoadData(options);
    EXPECT_EQ(changed.train->GetSize(), 160U);
    EXPECT_NEAR(MeasureChannels(*changed.train).deviations(0), 1, 1e-12);
    options = DataOptions();
    options.samples = 30;
    EXPECT_EQ(LoadData(options).train->GetSize(), 24U);
}

TEST(LoadGlyphs, RefusesWhatOtherDataCanNotDo)
{
    DataOptions options;
    options.normalize = true;
    ExpectRefused([&] { LoadData(options); }, "normalize is for images, got data generated");
    options.normalize = false;
    options.mirror = true;
    ExpectRefused([&] { LoadData(options); }, "mirror is for images, got data generated");
    options.data = "some.svm";
    options.samples = 5;
    ExpectRefused([&] { LoadData(options); },
                  "data-samples is for generated and glyphs, got data some.svm");
}

} // namespace
} // namespace ns3::dlearn
