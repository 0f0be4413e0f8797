/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-rounds-text.h"
#include "support/dlearn-short-runs.h"
#include "task/dlearn-task-test-support.h"

#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-neural-network-task.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-torch-task.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <torch/script.h>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

namespace
{

/** A tensor of a module: name, shape, and what else. */
struct Part
{
    std::string name;           //!< of it
    std::vector<int64_t> shape; //!< of it
    bool learned{true};         //!< requires a gradient
};

/** @return normal numbers, always the same for the same shape and scale */
at::Tensor
MakeNumbers(const std::vector<int64_t>& shape, double scale = 0.3)
{
    Engine engine(shape.size() + 1);
    at::Tensor numbers = at::empty(shape, at::kFloat);
    Eigen::Map<Eigen::VectorXf>(numbers.data_ptr<float>(), numbers.numel()) =
        RandomVector(engine, numbers.numel(), scale).cast<float>();
    return numbers;
}

/**
 * @param parts parameters
 * @param forward lines of the function forward(self, x), with semicolons between them
 * @return a module
 */
torch::jit::Module
MakeModule(const std::vector<Part>& parts, std::string forward)
{
    torch::jit::Module module("Net");
    for (const Part& part : parts)
    {
        module.register_parameter(part.name,
                                  MakeNumbers(part.shape).set_requires_grad(part.learned),
                                  false);
    }
    // As after module.eval() in Python: TorchTask has to switch it on.
    module.register_attribute("training", c10::BoolType::get(), false);
    for (size_t at = 0; (at = forward.find("; ", at)) != std::string::npos;)
    {
        forward.replace(at, 2, "\n    ");
    }
    module.define("def forward(self, x):\n    " + forward + "\n");
    return module;
}

/** @return path of a TorchScript file with the module; the next call overwrites it */
std::string
Save(const torch::jit::Module& module)
{
    const std::string path = testing::TempDir() + "dlearn-torch-task-test.pt";
    module.save(path);
    return path;
}

/** @return a task without data */
Ptr<TorchTask>
MakeTask(const std::string& file, ImageShape shape = {0, 0, 0})
{
    const auto task = CreateObject<TorchTask>();
    task->SetAttribute("File", StringValue(file));
    task->SetAttribute("Channels", UintegerValue(shape.channels));
    task->SetAttribute("Height", UintegerValue(shape.height));
    task->SetAttribute("Width", UintegerValue(shape.width));
    return task;
}

/** A network in TorchScript and as layers of NeuralNetworkTask. */
struct Twin
{
    std::string layers;      //!< of NeuralNetworkTask
    std::vector<Part> parts; //!< of the module
    std::string forward;     //!< of the module
    ImageShape shape;        //!< of a sample
};

/** @return networks of dense layers and of convolutions */
std::vector<Twin>
GetTwins()
{
    return {
        {"fc7,relu,fc5,sigmoid,fc3",
         {{"w1", {7, 12}}, {"b1", {7}}, {"w2", {5, 7}}, {"b2", {5}}, {"w3", {3, 5}}, {"b3", {3}}},
         "x = torch.relu(torch.linear(x.flatten(1), self.w1, self.b1)); "
         "x = torch.sigmoid(torch.linear(x, self.w2, self.b2)); "
         "return torch.linear(x, self.w3, self.b3)",
         {1, 3, 4}},
        {"conv3x3,relu,pool2,conv4x2,relu,fc6,relu,fc3",
         {{"c1", {3, 2, 3, 3}},
          {"b1", {3}},
          {"c2", {4, 3, 2, 2}},
          {"b2", {4}},
          {"w3", {6, 16}},
          {"b3", {6}},
          {"w4", {3, 6}},
          {"b4", {3}}},
         "x = torch.relu(torch.conv2d(x, self.c1, self.b1)); "
         "x = torch.max_pool2d(x, [2, 2]); "
         "x = torch.relu(torch.conv2d(x, self.c2, self.b2)); "
         "x = torch.relu(torch.linear(x.flatten(1), self.w3, self.b3)); "
         "return torch.linear(x, self.w4, self.b4)",
         {2, 9, 8}}};
}

/** TorchTask against NeuralNetworkTask, which computes with 64 bits and shares no kernel with it.
 */
class TorchTwins : public testing::TestWithParam<size_t>
{
  protected:
    static constexpr uint32_t SAMPLES = 150; // more than one pass
    /**
     * A hundred roundings or so of 24 bits. Unequal pools and signs could differ where values are
     * as near as that; with these seeds none are.
     */
    static constexpr double TOLERANCE = 1e-5;

    TorchTwins()
    {
        m_own->SetAttribute("Layers", StringValue(m_twin.layers));
        m_own->SetAttribute("FloatBits", UintegerValue(64));
        for (const Ptr<NetworkTask>& task : {Ptr<NetworkTask>(m_own), Ptr<NetworkTask>(m_torch)})
        {
            task->SetAttribute("Channels", UintegerValue(m_twin.shape.channels));
            task->SetAttribute("Height", UintegerValue(m_twin.shape.height));
            task->SetAttribute("Width", UintegerValue(m_twin.shape.width));
            task->SetAttribute("Regularization", DoubleValue(0.1));
            task->SetData(m_data, RandomData(3, m_data->GetFeatures(), 100, 2));
        }
        Engine engine(21);
        std::uniform_int_distribution<uint32_t> index(0, 39);
        for (uint32_t k = 0; k < SAMPLES; ++k)
        {
            m_samples.indices.push_back(index(engine));
        }
        m_samples.weights = RandomVector(engine, SAMPLES).cwiseAbs() / SAMPLES;
        m_theta = RandomVector(engine, m_own->GetDimension(), 0.3);
    }

    /** @return whether vectors or matrices are equal except for rounding */
    template <typename Matrix>
    static bool Agree(const Matrix& one, const Matrix& other)
    {
        return other.norm() > 0 && (one - other).norm() <= TOLERANCE * other.norm();
    }

    const Twin m_twin{GetTwins()[GetParam()]};
    DatasetPtr m_data{RandomData(3, static_cast<uint32_t>(m_twin.shape.GetSize()), 40)};
    Ptr<NeuralNetworkTask> m_own{CreateObject<NeuralNetworkTask>()};
    Ptr<TorchTask> m_torch{MakeTask(Save(MakeModule(m_twin.parts, m_twin.forward)))};
    WeightedSamples m_samples;
    ModelVector m_theta;
};

TEST_P(TorchTwins, LossAndGradientsAgree)
{
    ASSERT_EQ(m_torch->GetDimension(), m_own->GetDimension());
    EXPECT_NEAR(m_torch->GetLoss(m_theta, m_samples),
                m_own->GetLoss(m_theta, m_samples),
                TOLERANCE * m_own->GetLoss(m_theta, m_samples));
    for (const double clipNorm : {0.0, 0.05, 0.5, 4.0, 1e9})
    {
        EXPECT_TRUE(Agree(GradientAt(*m_torch, m_theta, m_samples, clipNorm),
                          GradientAt(*m_own, m_theta, m_samples, clipNorm)))
            << clipNorm;
    }
    EXPECT_EQ(m_torch->GetAccuracy(m_theta), m_own->GetAccuracy(m_theta));
    EXPECT_TRUE(Agree(m_torch->GetModelGradient(m_theta, m_data->features, m_data->labels),
                      m_own->GetModelGradient(m_theta, m_data->features, m_data->labels)));
    EXPECT_TRUE(Agree(m_torch->GetInputGradient(m_theta, m_data->features, m_data->labels),
                      m_own->GetInputGradient(m_theta, m_data->features, m_data->labels)));
}

// What LibTorch was seen to multiply, and what the plan of layers says.
TEST_P(TorchTwins, CountTheSameOperations)
{
    EXPECT_EQ(m_torch->GetFlopsPerSample(), m_own->GetFlopsPerSample());
}

TEST_P(TorchTwins, PassesAndThreadsDoNotMatter)
{
    const ModelVector once = GradientAt(*m_torch, m_theta, m_samples);
    const ModelVector clipped = GradientAt(*m_torch, m_theta, m_samples, 0.5);
    const double loss = m_torch->GetLoss(m_theta, m_samples);
    std::vector<std::thread> threads;
    std::vector<int> equal(4);
    for (size_t k = 0; k < equal.size(); ++k)
    {
        threads.emplace_back([&, k, task = PeekPointer(m_torch)] {
            for (int repeat = 0; repeat < 5; ++repeat)
            {
                const ModelVector other = m_theta * (1.0 + static_cast<double>(k));
                GradientAt(*task, other, EqualWeights({0, 1}));
                equal[k] += GradientAt(*task, m_theta, m_samples) == once &&
                            GradientAt(*task, m_theta, m_samples, 0.5) == clipped &&
                            task->GetLoss(m_theta, m_samples) == loss;
            }
        });
    }
    for (std::thread& thread : threads)
    {
        thread.join();
    }
    EXPECT_EQ(equal, std::vector<int>(4, 5)) << "the same to the last bit";
    m_torch->SetAttribute("SamplesAtOnce", UintegerValue(7));
    m_torch->SetData(m_data, nullptr);
    EXPECT_TRUE(Agree(GradientAt(*m_torch, m_theta, m_samples), once));
}

INSTANTIATE_TEST_SUITE_P(Layers, TorchTwins, testing::Values(0, 1));

/** A convolution, group normalization and global mean: nothing that NeuralNetworkTask has. */
const std::vector<Part> NORMALIZED_PARTS{{"c", {4, 1, 3, 3}}, {"w", {3, 4}}, {"b", {3}}};
const std::string NORMALIZED_FORWARD = "x = torch.conv2d(x, self.c, None, [1, 1], [1, 1]); "
                                       "x = torch.tanh(torch.group_norm(x, 2, None, None)); "
                                       "return torch.linear(x.mean([2, 3]), self.w, self.b)";

TEST(TorchTask, GradientIsTheSlopeOfTheLoss)
{
    const auto data = RandomData(3, 25, 20);
    data->shape = {1, 5, 5};
    const auto task = MakeTask(Save(MakeModule(NORMALIZED_PARTS, NORMALIZED_FORWARD)));
    task->SetData(data, nullptr);
    const ModelVector theta = task->DrawInitialModel(0);
    const WeightedSamples all = EqualWeights(Range(0, 20));
    const ModelVector gradient = GradientAt(*task, theta, all);
    const double step = 0.01;
    Engine engine(5);
    for (int k = 0; k < 5; ++k)
    {
        ModelVector direction = RandomVector(engine, theta.size()).normalized();
        const double slope = (task->GetLoss(theta + step * direction, all) -
                              task->GetLoss(theta - step * direction, all)) /
                             (2 * step);
        // Rounding 1e-7 / step, curvature step^2.
        EXPECT_NEAR(direction.dot(gradient), slope, 2e-4) << k;
    }
    EXPECT_GT(gradient.norm(), 0.01);
}

TEST(TorchTask, BeginsAtTheParametersOfTheFile)
{
    const std::vector<Part> parts{{"w", {3, 4}}, {"fixed", {3}, false}, {"b", {3}}};
    torch::jit::Module module =
        MakeModule(parts, "return torch.linear(x, self.w, self.b) + self.fixed");
    // As PyTorch writes a transposed matrix: its numbers are not in the order of rows.
    module.setattr("w", MakeNumbers({4, 3}).t().set_requires_grad(true));
    const auto task = MakeTask(Save(module));
    const auto data = RandomData(3, 4, 5);
    task->SetData(data, nullptr);
    const ModelVector model = task->DrawInitialModel(3);
    ASSERT_EQ(model.size(), 15) << "what needs no gradient is not learned";
    const at::Tensor stored = MakeNumbers({4, 3});
    for (int row = 0; row < 3; ++row)
    {
        for (int column = 0; column < 4; ++column)
        {
            EXPECT_EQ(model[4 * row + column], stored[column][row].item<float>());
        }
    }
    // One dense layer without an image: scores = W x + b + fixed.
    const at::Tensor bias = MakeNumbers({3});
    Eigen::VectorXd scores = data->features.col(0).transpose() * model.head(12).reshaped(4, 3);
    for (int k = 0; k < 3; ++k)
    {
        scores[k] += 2 * bias[k].item<float>();
    }
    const double right = scores[static_cast<Eigen::Index>(data->labels[0])];
    EXPECT_NEAR(task->GetLoss(model, EqualWeights({0})),
                std::log((scores.array() - right).exp().sum()),
                1e-6);
    EXPECT_EQ(task->GetFlopsPerSample(), 2 * 2 * 12.0) << "forwards, and back to the weights";
    EXPECT_EQ(task->GetSensitivity(), INFINITY);
    EXPECT_EQ(task->GetLoss(ModelVector::Constant(15, 1e100), EqualWeights({0})), INFINITY);
}

/** Expect that a module is refused, with the name of the file and why. */
void
ExpectModuleRefused(const torch::jit::Module& module,
                    const std::string& message,
                    ImageShape shape = {0, 0, 0})
{
    const std::string file = Save(module);
    const auto task = MakeTask(file, shape);
    const auto data = RandomData(3, 4, 5);
    const auto set = [&] {
        try
        {
            task->SetData(data, nullptr);
        }
        catch (const std::invalid_argument& error)
        {
            const std::string text = error.what();
            EXPECT_EQ(text.rfind("TorchTask: '" + file + "': ", 0), 0U) << text;
            EXPECT_EQ(text.find('\n'), std::string::npos) << text;
            throw;
        }
    };
    ExpectRefused(set, message);
}

const std::vector<Part> DENSE{{"w", {3, 4}}, {"b", {3}}};

TEST(TorchTask, RefusesFilesThatAreNoModule)
{
    const auto data = RandomData(3, 4, 5);
    const auto refuse = [&](const std::string& file, const std::string& message) {
        ExpectRefused([&] { MakeTask(file)->SetData(data, nullptr); }, message);
    };
    refuse("", "File must name a TorchScript file, got none");
    refuse("/no/such/file.pt", "TorchTask: '/no/such/file.pt' cannot be read");
    const std::string path = testing::TempDir() + "dlearn-torch-task-test.txt";
    std::ofstream(path) << "conv20x5,relu\n";
    refuse(path,
           "TorchTask: '" + path +
               "': must be a TorchScript file, as torch.jit.script(module).save() writes it: "
               "PytorchStreamReader failed");
    ExpectModuleRefused(torch::jit::Module("Net"), "the module must have a method forward()");
    ExpectModuleRefused(MakeModule({}, "return x"),
                        "must have from 1 to 4294967295 parameters that require a gradient, got 0");
    auto wide = MakeModule({}, "return x");
    wide.register_parameter("w", at::zeros({2}, at::kDouble).set_requires_grad(true), false);
    ExpectModuleRefused(wide, "parameter 'w' must be 32-bit float, got Double");
    auto shared = MakeModule(DENSE, "return torch.linear(x, self.w, self.b)");
    shared.register_parameter("tied", shared.attr("w").toTensor(), false);
    ExpectModuleRefused(shared, "parameter 'tied' must have separate numbers, shares 'w'");
    auto broken = MakeModule(DENSE, "return torch.linear(x, self.w, self.b)");
    broken.setattr("b", at::full({3}, INFINITY).set_requires_grad(true));
    ExpectModuleRefused(broken, "parameter 'b' must be finite");
}

TEST(TorchTask, RefusesModulesThatDoNotFitTheData)
{
    const auto dense = MakeModule(DENSE, "return torch.linear(x, self.w, self.b)");
    ExpectModuleRefused(dense,
                        "forward() failed for an input of 4 x 1 x 2 x 2: mat1 and mat2 shapes "
                        "cannot be multiplied (8x2 and 4x3)",
                        {1, 2, 2});
    ExpectModuleRefused(MakeModule({{"w", {2, 4}}}, "return torch.linear(x, self.w)"),
                        "must return float numbers of 4 x 3 (samples x classes), got Float numbers "
                        "of 4 x 2");
    ExpectModuleRefused(MakeModule({{"w", {3, 4}}}, "return torch.linear(x, self.w).double()"),
                        "got Double numbers of 4 x 3");
    ExpectModuleRefused(MakeModule({{"w", {3, 4}}}, "return [torch.linear(x, self.w)]"),
                        "forward() must return one tensor, got GenericList");
    ExpectModuleRefused(
        MakeModule({{"w", {3, 4}}}, "return torch.log(torch.linear(x, self.w) * 0)"),
        "must return finite numbers with the parameters in the file, got for a "
        "sample -inf -inf -inf");
    const auto task = MakeTask(Save(dense));
    ExpectRefused([&] { task->SetData(RandomData(0, 4, 5), nullptr); },
                  "TorchTask: data must have at least 2 classes, got 0");
}

/** Forwards all is well, but what the way back needs is overwritten. */
const std::string NO_WAY_BACK = "x = torch.sigmoid(torch.linear(x, self.w, self.b)); "
                                "x.mul_(2); "
                                "return x";

TEST(TorchTask, RefusesModulesWithoutAWayBack)
{
    for (const std::string forward : {"return torch.linear(x, self.w, self.b).detach()",
                                      "return torch.linear(x, self.w.detach(), self.b.detach())",
                                      "return torch.sigmoid(x.narrow(1, 0, 3))"})
    {
        ExpectModuleRefused(MakeModule(DENSE, forward), "depend on no parameter differentiably");
    }
    ExpectModuleRefused(MakeModule(DENSE, NO_WAY_BACK),
                        "the way back failed: one of the variables needed for gradient computation "
                        "has been modified by an inplace operation");
    // Only the way back of a single sample, from which the operations are counted.
    ExpectModuleRefused(MakeModule(DENSE,
                                   "x = torch.sigmoid(torch.linear(x, self.w, self.b)); "
                                   "return x.mul_(1) if x.size(0) == 1 else x * 1"),
                        "the way back failed: one of the variables needed");
}

// Operations in place may come first, as in PyTorch, where the data need no gradient.
TEST(TorchTask, ModulesMayOverwriteTheirInput)
{
    const auto plain = MakeTask(
        Save(MakeModule(DENSE, "x = (x - 0.5) * 2; return torch.linear(x, self.w, self.b)")));
    const auto data = RandomData(3, 4, 5);
    const Eigen::MatrixXd features = data->features;
    plain->SetData(data, nullptr);
    const auto inPlace = MakeTask(
        Save(MakeModule(DENSE, "x.sub_(0.5); x.mul_(2); return torch.linear(x, self.w, self.b)")));
    inPlace->SetData(data, nullptr);
    const ModelVector theta = plain->DrawInitialModel(0);
    const WeightedSamples all = EqualWeights(Range(0, 5));
    // The same operations on the same numbers: equal to the last bit.
    EXPECT_EQ(inPlace->GetLoss(theta, all), plain->GetLoss(theta, all));
    EXPECT_EQ(GradientAt(*inPlace, theta, all), GradientAt(*plain, theta, all));
    EXPECT_EQ(inPlace->GetInputGradient(theta, data->features, data->labels),
              plain->GetInputGradient(theta, data->features, data->labels));
    EXPECT_EQ(inPlace->GetAccuracy(theta), plain->GetAccuracy(theta));
    EXPECT_EQ(data->features, features);
}

// LibTorch has no derivative then, or a sparse one: a row of a table for each class of inputs.
TEST(TorchTask, DerivativesMayBeMissingOrSparse)
{
    const auto data = RandomData(3, 4, 6);
    data->features.row(0) << 1, 2, 0, 1, -1, -1;
    const auto find = [&](const std::string& rows) {
        const auto task = MakeTask(Save(MakeModule({{"w", {3, 3}}}, rows)));
        task->SetData(data, nullptr);
        return task;
    };
    const std::string index = "torch.abs(x.narrow(1, 0, 1).flatten()).long(), ";
    const auto sparse = find("return torch.embedding(self.w, " + index + "-1, False, True)");
    const auto dense = find("return torch.embedding(self.w, " + index + "-1, False, False)");
    const ModelVector theta = dense->DrawInitialModel(0);
    const WeightedSamples all = EqualWeights(Range(0, 6));
    const ModelVector gradient = GradientAt(*dense, theta, all);
    EXPECT_GT(gradient.norm(), 0.01);
    EXPECT_LE((GradientAt(*sparse, theta, all) - gradient).norm(), 1e-6 * gradient.norm());
    EXPECT_EQ(dense->GetInputGradient(theta, data->features, data->labels),
              Eigen::MatrixXd::Zero(4, 6));
    const auto sometimes = find("y = x.narrow(1, 0, 3); "
                                "return torch.linear(y, self.w) if bool(x[0, 0] >= 0) else y");
    EXPECT_GT(GradientAt(*sometimes, theta, EqualWeights({0})).norm(), 0.01);
    EXPECT_EQ(GradientAt(*sometimes, theta, EqualWeights({4})), ModelVector::Zero(9));
}

TEST(TorchTask, RefusesModulesThatAreNoFunctionOfTheSample)
{
    const std::string dense = "x = torch.linear(x, self.w, self.b); ";
    ExpectModuleRefused(MakeModule(DENSE, dense + "return torch.dropout(x, 0.5, self.training)"),
                        "draws random numbers, but must compute the same again; take Dropout");
    const std::string norm = "return torch.batch_norm(x, None, None, ";
    // The names of buffers must be known before the code is, so this is not one for MakeModule().
    torch::jit::Module remembering("Net");
    remembering.register_parameter("w", MakeNumbers({3, 4}).set_requires_grad(true), false);
    remembering.register_buffer("mean", at::zeros({3}));
    remembering.register_buffer("variance", at::ones({3}));
    remembering.define("def forward(self, x):\n"
                       "    x = torch.linear(x, self.w)\n"
                       "    return torch.batch_norm(x, None, None, self.mean, self.variance, True, "
                       "0.1, 1e-5, False)\n");
    ExpectModuleRefused(remembering,
                        "changes the buffer 'mean', but must not remember anything; instead of "
                        "BatchNorm use GroupNorm");
    ExpectModuleRefused(MakeModule(DENSE, dense + norm + "None, None, True, 0.1, 1e-5, False)"),
                        "returns for a sample what depends on the samples beside it; instead of "
                        "BatchNorm use GroupNorm");
    auto counting = torch::jit::Module("Net");
    counting.register_parameter("w", MakeNumbers({3, 4}).set_requires_grad(true), false);
    counting.register_attribute("calls", c10::IntType::get(), c10::IValue(0));
    counting.define("def forward(self, x):\n"
                    "    self.calls = self.calls + 1\n"
                    "    return torch.linear(x, self.w) * self.calls\n");
    ExpectModuleRefused(counting, "returns something else when it is called again");
}

// The alphabet again and again, of which each user has seen one half: the last of three characters
// determines the next. By chance one of 26 is right, and of what one user knows one half.
TEST(TorchRun, LearnsTheNextCharacterOfLeafsText)
{
    const std::string path = testing::TempDir() + "dlearn-torch-task-test.json";
    std::ofstream file(path);
    file << R"({"users": ["A", "B"], "user_data": {)";
    for (const int first : {0, 13})
    {
        std::string x;
        std::string y;
        for (int k = first; k < first + 13; ++k)
        {
            const auto letter = [k](int ahead) { return std::string(1, 'a' + (k + ahead) % 26); };
            x += (x.empty() ? "\"" : ", \"") + letter(0) + letter(1) + letter(2) + "\"";
            y += (y.empty() ? "\"" : ", \"") + letter(3) + "\"";
        }
        file << (first == 0 ? "\"A\"" : ", \"B\"") << ": {\"x\": [" << x << "], \"y\": [" << y
             << "]}";
    }
    file << "}}";
    file.close();
    RunSpec spec = FedAvgPreset("system-test");
    spec.data = path;
    spec.partition = "users";
    spec.testFraction = 0;
    spec.learners = 2;
    spec.network = "ideal";
    spec.rounds = 60;
    spec.stepSize = 2;
    spec.regularization = 0;
    spec.task = "torch:" +
                Save(MakeModule(
                    {{"e", {80, 8}}, {"i", {64, 8}}, {"h", {64, 16}}, {"b", {64}}, {"o", {80, 16}}},
                    "x = torch.embedding(self.e, x.long()); "
                    "s = torch.zeros([1, x.size(0), 16]); "
                    "x, h, c = torch.lstm(x, [s, s], [self.i, self.h, "
                    "self.b, self.b], True, 1, 0., False, False, True); "
                    "return torch.linear(x[:, -1], self.o)"));
    EXPECT_GT(GetFinalAccuracy(spec), 0.9);
}

TEST(TorchRun, ResultsDoNotDependOnThreads)
{
    const std::string task = "torch:" + Save(MakeModule({{"c", {4, 1, 5, 5}}, {"w", {10, 4}}},
                                                        "x = torch.relu(torch.conv2d(x, self.c)); "
                                                        "return torch.linear(x.mean([2, 3]), "
                                                        "self.w)"));
    RunSpec options = CafCorPreset("system-test");
    options.data = "glyphs";
    options.dataSamples = 600;
    options.task = task;
    options.learners = 4;
    options.byzantine = 1;
    options.rounds = 5;
    options.network = "ideal";
    ExpectSameForAllThreads<dlearn::Run>(options, 500);
}

} // namespace
