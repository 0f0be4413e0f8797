/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Runs whose learners are processes that have the same task as this program, beside runs without
 * processes: all numbers are the same to the last bit.
 */

#include "support/dlearn-short-runs.h"

#include "ns3/config.h"
#include "ns3/dlearn-compute-pool.h"
#include "ns3/dlearn-learner-process.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/double.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ns3::dlearn
{
namespace
{

constexpr double STEP = 0.5;
constexpr size_t BATCH = 5;

/** The other side of the protocol, written from its page in the manual. */
class Twin
{
  public:
    /** Answer until the socket is closed. */
    static void Serve()
    {
        Twin twin;
        uint64_t size = 0;
        while (read(SOCKET, &size, sizeof(size)) == sizeof(size))
        {
            std::string body(size, '\0');
            for (size_t begin = 0; begin < size;)
            {
                const ssize_t count = read(SOCKET, body.data() + begin, size - begin);
                ASSERT_GT(count, 0);
                begin += count;
            }
            LearnerBytes question(body.substr(1));
            LearnerBytes answer(std::string(1, '\0'));
            twin.Answer(body[0], question, answer);
            question.RequireEnd();
            size = answer.Get().size();
            ASSERT_EQ(write(SOCKET, &size, sizeof(size)), ssize_t{sizeof(size)});
            ASSERT_EQ(write(SOCKET, answer.Get().data(), size), static_cast<ssize_t>(size));
        }
    }

  private:
    static constexpr int SOCKET = 3;

    DatasetPtr TakeData(LearnerBytes& question, uint32_t features, uint32_t classes)
    {
        Dataset data;
        auto numbers = question.TakeArray<ModelVector>();
        data.features = numbers.reshaped(features, numbers.size() / features);
        data.labels = question.TakeArray<ModelVector>();
        data.classes = classes;
        return std::make_shared<const Dataset>(data);
    }

    static WeightedSamples TakeSamples(LearnerBytes& question)
    {
        WeightedSamples samples;
        samples.indices = question.TakeArray<SampleIndices>();
        samples.weights = question.TakeArray<ModelVector>();
        return samples;
    }

    void Answer(int kind, LearnerBytes& question, LearnerBytes& answer)
    {
        if (kind == 1)
        {
            EXPECT_EQ(question.Take<uint32_t>(), 2U);
            question.Take<uint32_t>(); // learners
            question.Take<uint32_t>(); // seed
            question.Take<uint64_t>(); // run
            const auto features = question.Take<uint32_t>();
            const auto classes = question.Take<uint32_t>();
            const auto train = TakeData(question, features, classes);
            m_task->SetAttribute("Regularization", DoubleValue(0));
            m_task->SetData(train, TakeData(question, features, classes));
            answer.Put(uint32_t{2});
            answer.Put(uint32_t{1 + 2 + 4}); // trains, evaluates, has gradients
            answer.Put(m_task->GetFlopsPerSample());
            answer.PutArray(ModelVector(m_task->DrawInitialModel(0)));
            answer.PutArray(std::vector<uint64_t>());
            answer.Put(uint32_t{0}); // figures
            answer.Put(uint32_t{0}); // metrics
            answer.Put(uint32_t{0}); // settings
        }
        else if (kind == 2)
        {
            question.Take<uint32_t>(); // client
            question.Take<uint32_t>(); // round
            const auto samples = question.TakeArray<SampleIndices>();
            auto model = question.TakeArray<ModelVector>();
            EXPECT_EQ(question.Take<uint32_t>(), 0U); // settings
            ModelVector gradient(model.size());
            for (size_t begin = 0; begin < samples.size(); begin += BATCH)
            {
                const size_t end = std::min(begin + BATCH, samples.size());
                const SampleIndices batch(samples.begin() + begin, samples.begin() + end);
                m_task->BatchGradient(model, batch, gradient);
                model -= STEP * gradient;
            }
            answer.PutArray(model);
            answer.PutArray(std::vector<double>{double(samples.size())});
            answer.Put(0.0);
        }
        else if (kind == 3)
        {
            const auto samples = TakeSamples(question);
            const auto model = question.TakeArray<ModelVector>();
            answer.Put(m_task->GetLoss(model, samples));
            answer.Put(m_task->GetAccuracy(model));
            answer.PutArray(std::vector<double>());
        }
        else
        {
            const auto samples = TakeSamples(question);
            const auto clip = question.Take<double>();
            const auto model = question.TakeArray<ModelVector>();
            ModelVector gradient(model.size());
            m_task->ClippedGradient(model, samples, clip, gradient);
            answer.PutArray(gradient);
        }
    }

    Ptr<SoftmaxTask> m_task{CreateObject<SoftmaxTask>()};
};

/** Not a test: what the runs below start. */
TEST(Twin, DISABLED_Serves)
{
    if (std::getenv("DLEARN_TWIN"))
    {
        Twin::Serve();
    }
}

/** A run, and its name. */
struct Method
{
    std::string name;
    RunSpec spec;
};

Method
MakeFederation(const std::string& algorithm, const std::string& mode = "sync")
{
    RunSpec spec = FedAvgPreset("twins");
    spec.algorithm = algorithm;
    spec.mode = mode;
    spec.reports = algorithm == "fedavg" ? "samples" : ""; // which learners that train send
    spec.batchSize = BATCH;
    spec.rounds = 4;
    return {algorithm == "fedavg" ? mode : algorithm, spec};
}

Method
MakeCafCor()
{
    RunSpec spec = CafCorPreset("twins");
    spec.learners = 4;
    spec.byzantine = 1;
    spec.batchSize = BATCH;
    spec.clip = 0.1;
    spec.rounds = 4;
    return {"cafcor", spec};
}

Method
MakePeers()
{
    RunSpec spec = LdpOnlinePreset("twins");
    spec.algorithm = "dsgd";
    spec.clip = 1; // for its account
    spec.rounds = 5;
    return {"dsgd", spec};
}

class Twins : public testing::TestWithParam<Method>
{
  protected:
    /** What a run leaves behind. */
    struct Outcome
    {
        ModelVector model;
        std::vector<double> losses, accuracies;
        double end;

        auto Tie() const { return std::tie(model, losses, accuracies, end); }
    };

    Twins()
    {
        // For the account of peers, as an ExternalTask does not know it.
        Config::SetDefault("ns3::dlearn::Dsgd::Smoothness", DoubleValue(1));
    }

    ~Twins() override
    {
        ComputePool::Get().SetThreads(1);
        Config::Reset();
    }

    static Outcome Learn(const RunSpec& spec)
    {
        dlearn::Run run(spec);
        std::ostringstream table;
        const RunResults results = run.Execute(table);
        Outcome outcome{results.model, {}, {}, test::GetEnd(results)};
        for (const RoundSummary& round : run.GetSummaries())
        {
            outcome.losses.push_back(round.mean.loss);
            outcome.accuracies.push_back(round.mean.accuracy);
        }
        return outcome;
    }
};

TEST_P(Twins, LearnTheSameToTheLastBit)
{
    RunSpec spec = GetParam().spec;
    spec.network = "wifi-infra";
    spec.loss = 0.02;
    spec.data = "glyphs";
    spec.dataSamples = 200;
    spec.unitNorm = false;
    spec.stepSize = STEP;
    spec.regularization = 0;
    RunSpec outside = spec;
    spec.task = "softmax";
    const Outcome inside = Learn(spec);
    EXPECT_GT(inside.model.norm(), 0);
    outside.task = "auto";
    outside.reports = "";
    outside.invocation.options.insert("data"); // else learners have their own
    outside.learner = "DLEARN_TWIN=1 " + std::filesystem::read_symlink("/proc/self/exe").string() +
                      " --gtest_also_run_disabled_tests --gtest_filter=Twin.DISABLED_Serves";
    for (const uint32_t processes : {1, 4})
    {
        outside.learnerProcesses = processes;
        EXPECT_EQ(Learn(outside).Tie(), inside.Tie()) << processes;
    }
}

INSTANTIATE_TEST_SUITE_P(Methods,
                         Twins,
                         testing::Values(MakeFederation("fedavg"),
                                         MakeFederation("scaffold"),
                                         MakeFederation("fedavg", "buffered"),
                                         MakePeers(),
                                         MakeCafCor()),
                         [](const auto& info) { return info.param.name; });

} // namespace
} // namespace ns3::dlearn
