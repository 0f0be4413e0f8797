/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-torch-task.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>

namespace ns3::dlearn
{
namespace
{

using test::TemporaryFile;

/** Sets an environment variable, or unsets it, until the end of the scope. */
class Environment
{
  public:
    explicit Environment(const char* value)
    {
        if (const char* old = std::getenv(NAME))
        {
            m_old = old;
        }
        Set(value);
    }

    ~Environment() { Set(m_old ? m_old->c_str() : nullptr); }

  private:
    static void Set(const char* value)
    {
        value == nullptr ? unsetenv(NAME) : setenv(NAME, value, 1);
    }

    static constexpr const char* NAME = "DLEARN_DATA";
    std::optional<std::string> m_old; //!< value before
};

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

TEST(LoadData, ScalesByTheLargestNorm)
{
    const TemporaryFile file("1 1:3 2:4\n2 1:1\n");
    DataOptions options = Whole(file.GetPath());
    Eigen::Matrix2d features;
    features << 3, 1, 4, 0;
    EXPECT_EQ(LoadData(options).train->features, features);
    options.unitNorm = true;
    // 5 is the norm of (3, 4); 1e-15 leaves room for one rounding of numbers up to 1.
    EXPECT_TRUE(LoadData(options).train->features.isApprox(features / 5, 1e-15));
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

TEST(LoadData, RefusesWhatItCanNotRead)
{
    for (const double fraction : {1.0, -0.1, std::nan("")})
    {
        DataOptions options;
        options.testFraction = fraction;
        ExpectRefused([&] { LoadData(options); }, "test-fraction must be in [0, 1), got ");
    }
    ExpectRefused([] { LoadData(Whole("mushroms")); },
                  "or the path of a LIBSVM file (may be .gz); got 'mushroms', which is none of "
                  "these and no file that is there");
    const TemporaryFile bad("1 1:1\n2 1:x\n");
    ExpectRefused<std::exception>([&] { LoadData(Whole(bad.GetPath())); }, bad.GetPath() + ":2:");
}

TEST(LoadData, SaysWhereMushroomsComesFrom)
{
    const Environment environment("/no/such/directory");
    EXPECT_EQ(FindDataDirectory(), "/no/such/directory");
    DataOptions options;
    options.data = "mushrooms";
    ExpectRefused([&] { LoadData(options); }, "in '/no/such/directory'; set --data-dir or");
    ExpectRefused([&] { LoadData(options); }, "doi:10.24432/C5959T");
    // The option goes before the environment.
    options.directory = "/nor/this";
    ExpectRefused([&] { LoadData(options); }, "in '/nor/this'; set --data-dir or");
}

TEST(LoadData, ReadsMushrooms)
{
    DataOptions options;
    options.data = "mushrooms";
    options.testFraction = 0;
    if (FindDataDirectory().empty())
    {
        GTEST_SKIP() << "DLEARN_DATA is not set";
    }
    const DatasetPtr data = LoadData(options).train;
    EXPECT_EQ(data->GetSize(), 8124U);
    EXPECT_EQ(data->GetFeatures(), 112U);
    EXPECT_EQ(data->classes, 2U);
    // UCI: 4208 edible, 3916 poisonous.
    EXPECT_EQ((data->labels.array() == 0).count() + (data->labels.array() == 1).count(), 8124);
    EXPECT_EQ(std::max((data->labels.array() == 0).count(), (data->labels.array() == 1).count()),
              4208);
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

TEST(CreateTask, RefusesWhatItDoesNotKnow)
{
    const LoadedData data = LoadData({});
    ExpectRefused([&] { CreateTask("nope", data, 0); }, "task must be auto, least-squares");
    for (const double bad : {-1.0, std::nan(""), double{INFINITY}})
    {
        ExpectRefused([&] { CreateTask("auto", data, bad); },
                      "regularization must be finite and at least 0");
    }
}

} // namespace
} // namespace ns3::dlearn
