/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-dataset.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-torch-task.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ns3::dlearn
{
namespace
{

using test::TemporaryFile;

/** All samples of a file, in its order. */
DataOptions
Whole(const std::string& path)
{
    DataOptions options;
    options.data = path;
    options.testFraction = 0;
    options.unitNorm = false;
    return options;
}

TEST(LoadData, GuessesFromTheLabelsWhatAFileIsFor)
{
    const TemporaryFile two("1 1:3 2:4\n2 1:1\n2 2:2\n");
    const TemporaryFile three("1 1:3\n2 1:1\n3 1:2\n");
    const TemporaryFile real("0.5 1:3\n2 1:1\n");
    DataOptions options = Whole(two.GetPath());
    const LoadedData binary = LoadData(options);
    EXPECT_EQ(binary.train->classes, 2U);
    EXPECT_TRUE(DynamicCast<LogisticTask>(CreateTask("auto", binary, 0)));
    EXPECT_TRUE(DynamicCast<SoftmaxTask>(CreateTask("softmax", binary, 0)));

    const LoadedData many = LoadData(Whole(three.GetPath()));
    EXPECT_EQ(many.train->classes, 3U);
    EXPECT_TRUE(DynamicCast<SoftmaxTask>(CreateTask("auto", many, 0)));
    ExpectRefused([&] { CreateTask("logistic", many, 0); }, "data must have 2 classes, got 3");

    const LoadedData regression = LoadData(Whole(real.GetPath()));
    EXPECT_EQ(regression.train->classes, 0U);
    EXPECT_TRUE(DynamicCast<LeastSquaresTask>(CreateTask("auto", regression, 0)));

    // Asked for, whole labels are targets, too.
    options.task = "least-squares";
    const LoadedData targets = LoadData(options);
    EXPECT_EQ(targets.train->classes, 0U);
    EXPECT_EQ(targets.train->labels, Eigen::Vector3d(1, 2, 2));
}

// The last pixels of all images may be 0, which a sparse file does not show.
TEST(LoadData, HasAsManyFeaturesAsTheUserSays)
{
    for (const std::string task : {"auto", "softmax", "least-squares"})
    {
        const TemporaryFile file("1 1:3 2:4\n2 1:1\n");
        DataOptions options = Whole(file.GetPath());
        options.task = task;
        options.features = 4;
        const LoadedData data = LoadData(options);
        EXPECT_EQ(data.train->features,
                  (Eigen::MatrixXd(4, 2) << 3, 1, 4, 0, 0, 0, 0, 0).finished());
        EXPECT_EQ(data.train->classes, task == "least-squares" ? 0U : 2U);
        options.features = 1;
        ExpectRefused([&] { LoadData(options); },
                      "features must be at least 2, the largest index in " + file.GetPath() +
                          ", got 1");
    }
}

TEST(LoadData, KeepsTestSamplesBackAndLosesNone)
{
    std::string text;
    for (int k = 0; k < 40; ++k)
    {
        text += std::to_string(1 + k % 2) + " 1:" + std::to_string(k) + "\n";
    }
    const TemporaryFile file(text);
    DataOptions options = Whole(file.GetPath());
    const LoadedData whole = LoadData(options);
    EXPECT_EQ(whole.train, whole.test) << "the same samples, not a copy";

    options.testFraction = 0.25;
    const LoadedData split = LoadData(options);
    EXPECT_EQ(split.test->GetSize(), 10U);
    std::vector<double> seen;
    for (const DatasetPtr& part : {split.train, split.test})
    {
        for (uint32_t k = 0; k < part->GetSize(); ++k)
        {
            seen.push_back(part->features(0, k));
        }
    }
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen.size(), 40U);
    for (int k = 0; k < 40; ++k)
    {
        EXPECT_EQ(seen[k], k);
    }
    EXPECT_EQ(LoadData(options).test->features, split.test->features);
    options.stream = 100;
    EXPECT_NE(LoadData(options).test->features, split.test->features);
}

/** A file with another ending. */
struct NamedFile
{
    NamedFile(const std::string& text, const std::string& ending)
        : path(TemporaryFile(text).GetPath() + ending)
    {
        std::ofstream(path) << text;
    }

    ~NamedFile() { std::filesystem::remove(path); }

    std::string path;
};

TEST(LoadData, ScoresOnAFileOfTestSamples)
{
    const NamedFile train("a,b,kind\n0,5,dog\n1,0,cat\n2,1,emu\n", ".csv");
    const NamedFile test("a,b,kind\n4,0,emu\n10,0,emu\n", ".csv");
    DataOptions options = Whole(train.path);
    options.testData = test.path;
    options.testFraction = 0.5;
    options.unitNorm = true;
    const LoadedData data = LoadData(options);
    EXPECT_EQ(data.train->GetSize(), 3U) << "test-fraction is for data without test-data";
    EXPECT_EQ(data.test->labels, Eigen::Vector2d(2, 2)) << "as the training data number it";
    EXPECT_EQ(data.test->features, (Eigen::MatrixXd(2, 2) << 0.8, 2, 0, 0).finished());
    EXPECT_TRUE(DynamicCast<SoftmaxTask>(CreateTask("auto", data, 0)));
    const NamedFile turned("b,a,kind\n4,0,emu\n", ".csv");
    options.testData = turned.path;
    ExpectRefused([&] { LoadData(options); },
                  "test-data must have the columns of the data in the same order, a, b; " +
                      turned.path + " has b, a");

    const TemporaryFile real("0.5 1:1\n2 3:1\n");
    const TemporaryFile whole("1 1:1 4:9\n");
    options = Whole(real.GetPath());
    options.testData = whole.GetPath();
    const LoadedData targets = LoadData(options);
    EXPECT_EQ(targets.train->GetFeatures(), 4U);
    EXPECT_EQ(targets.train->features(2, 1), 1);
    EXPECT_EQ(targets.test->classes, 0U);
    EXPECT_EQ(targets.test->features, Eigen::Vector4d(1, 0, 0, 9));
}

TEST(LoadData, KnowsWhoseSamplesAre)
{
    std::string table = "x,label\n";
    std::string owners;
    for (int k = 0; k < 20; ++k)
    {
        table += std::to_string(k) + "," + std::to_string(k % 2) + "\n";
        owners += std::to_string(k / 7) + "\n";
    }
    const NamedFile file(table, ".csv");
    const TemporaryFile lines(owners);
    DataOptions options = Whole(file.path);
    options.partition = "file:" + lines.GetPath();
    options.testFraction = 0.3;
    const Dataset train = *LoadData(options).train;
    ASSERT_EQ(train.GetSize(), 14U);
    for (uint32_t k = 0; k < 14; ++k)
    {
        EXPECT_EQ(train.owners[k], static_cast<uint32_t>(train.features(0, k)) / 7);
    }
    const NamedFile leaf(R"({"users": ["u", "v"], "user_data": {"u": {"x": [[1]], "y": [1]},
                             "v": {"x": [[2]], "y": [0]}}})",
                         ".json");
    options = Whole(leaf.path);
    EXPECT_EQ(LoadData(options).train->owners, (std::vector<uint32_t>{0, 1}));
    options.users = 1;
    EXPECT_EQ(LoadData(options).train->GetSize(), 1U);
}

TEST(LoadData, GeneratesWhatTheTaskNeeds)
{
    DataOptions options;
    EXPECT_EQ(LoadData(options).train->classes, 2U);
    options.task = "least-squares";
    EXPECT_EQ(LoadData(options).train->classes, 0U);
    options.task = "sine";
    options.testFraction = 0;
    const LoadedData sine = LoadData(options);
    EXPECT_GT(sine.train->GetMaxNorm(), 1) << "not scaled";
    EXPECT_NEAR(sine.train->labels.sum(), 0, 1e-12);
    EXPECT_EQ(CreateTask("sine", sine, 0)->GetInstanceTypeId().GetName(), "ns3::dlearn::SineTask");
}

TEST(LoadData, RefusesOtherFiles)
{
    ExpectRefused([] { LoadData(Whole("mushroms")); },
                  "or of a folder of the latter; got 'mushroms', which is none of these and not a "
                  "file");
    const TemporaryFile bad("1 1:1\n2 1:x\n");
    ExpectRefused<std::exception>([&] { LoadData(Whole(bad.GetPath())); }, bad.GetPath() + ":2:");
}

TEST(CreateTask, MakesNeuralNetworks)
{
    auto images = std::make_shared<Dataset>();
    images->name = "images";
    images->features = Eigen::MatrixXd::Zero(28 * 28, 3);
    images->labels = Eigen::Vector3d(0, 1, 2);
    images->classes = 10;
    const LoadedData data{images, images};
    EXPECT_EQ(CreateTask("cnn", data, 0)->GetDimension(), 431080U);
    EXPECT_EQ(CreateTask("net:pool14,fc3,relu,fc10", data, 0)->GetDimension(), 3 * 5 + 10 * 4U);
    ExpectRefused([&] { CreateTask("net:fc10,fc9", data, 0); }, "must have 10 outputs");
    ExpectRefused([&] { CreateTask("net:", data, 0); }, "net:LAYERS or torch:FILE, got 'net:'");
    ExpectRefused([&] { CreateTask("net:pol2", data, 0); }, "layer 1, 'pol2' at character 1");
    // 112 features are no image.
    ExpectRefused([&] { CreateTask("cnn", LoadData({}), 0); }, "'conv20x5' at character 1");
}

TEST(CreateTask, SaysHowToGetLibTorch)
{
    if (HasTorch())
    {
        ExpectRefused([] { CreateTask("torch:/no/such/file.pt", LoadData({}), 0); },
                      "TorchTask: '/no/such/file.pt' cannot be read");
        return;
    }
    ExpectRefused<std::runtime_error>([] { CreateTask("torch:x", LoadData({}), 0); },
                                      "TorchTask: dlearn was built without LibTorch; on Debian: "
                                      "apt-get install libtorch-dev, then configure and build "
                                      "again");
}

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

    /** Write images of 1 x 2 pixels as part of MNIST or another set, of one class after the other.
     */
    void WriteIdx(const std::string& part,
                  const std::string& pixels,
                  const std::string& classes = std::string("\0\1", 2),
                  const std::string& folder = "mnist") const
    {
        const char count = char(pixels.size() / 2);
        using namespace std::string_literals;
        const std::string sizes = "\0\0\0"s + count + "\0\0\0\1\0\0\0\2"s;
        Write(folder, part + "-images-idx3-ubyte", "\0\0\x08\x03"s + sizes + pixels);
        Write(folder,
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
    DataOptions options = Whole("cifar10");
    EXPECT_EQ(LoadData(options).train->labels, Eigen::Vector2d(1, 2));
    EXPECT_EQ(LoadData(options).test->labels, Eigen::Vector2d(1, 2));
    options.testFraction = 0.5;
    EXPECT_EQ(LoadData(options).train->GetSize(), 1U);
    EXPECT_EQ(LoadData(options).test->GetSize(), 1U);

    WriteBatch("cifar10", "test_batch.bin", 3);
    const LoadedData split = LoadData(options);
    EXPECT_EQ(split.train->GetSize(), 2U);
    EXPECT_EQ(split.test->labels(0), 3);
}

TEST_F(ImageSets, HoldBackAFifthWhereARunHasNoTestBatch)
{
    for (int batch = 1; batch <= 5; ++batch)
    {
        WriteBatch("cifar10", "data_batch_" + std::to_string(batch) + ".bin", char(batch));
    }
    RunSpec spec = FedAvgPreset("test");
    spec.data = "cifar10";
    spec.dataDir = root.string();
    const dlearn::Run run(spec);
    EXPECT_EQ(run.GetTask()->GetTest().GetSize(), 1U);
    EXPECT_EQ(run.GetTask()->GetTrain().GetSize(), 4U);
}

TEST_F(ImageSets, FindsCifarInTheFolderOfItsArchive)
{
    WriteBatch("cifar-10-batches-bin", "data_batch_1.bin", 7);
    WriteBatch("cifar-10-batches-bin", "data_batch_2.bin", 3);
    EXPECT_EQ(LoadData(Whole("cifar10")).train->labels(0), 7);
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

TEST_F(ImageSets, ReadsTheSplitsOfEmnist)
{
    using namespace std::string_literals;
    WriteIdx("emnist-letters-train", "\x00\x33\x66\x00"s, "\1\2"s, "emnist"); // numbered from 1
    WriteIdx("emnist-letters-test", "\xcc\x00"s, "\2"s, "emnist");
    const LoadedData data = LoadData(Whole("emnist-letters"));
    EXPECT_EQ(data.train->labels, Eigen::Vector2d(1, 2));
    EXPECT_EQ(data.test->GetSize(), 1U);
    EXPECT_EQ(data.test->classes, 3U);
    ExpectRefused([&] { LoadData(Whole("emnist-digits")); },
                  "data set emnist-digits: no file emnist/emnist-digits-train-images-idx3-ubyte");
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
        ExpectRefused([&] { LoadData(Whole("mnist")); },
                      "data set mnist" + rule + std::to_string(label[0]));
    }
    WriteIdx("train", "\x00\x33\x66\x00"s);
    EXPECT_NO_THROW(LoadData(Whole("mnist"))) << "the test images may have one class";
    WriteBatch("cifar10", "data_batch_1.bin", 7);
    ExpectRefused([&] { LoadData(Whole("cifar10")); }, "data set cifar10" + rule + "7");
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

} // namespace
} // namespace ns3::dlearn
