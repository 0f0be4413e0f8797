/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Answers of a process of the user to questions of an ExternalTask and an ExternalSchedule.
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-external-schedule.h"
#include "ns3/dlearn-external-task.h"
#include "ns3/string.h"

#include <unistd.h>

namespace ns3::dlearn::fuzz
{

namespace
{

/** @return an answer with its length and first byte */
std::string
MakeAnswer(const LearnerBytes& body)
{
    LearnerBytes head;
    head.Put(static_cast<uint64_t>(1 + body.Get().size()));
    head.Put(uint8_t{0});
    return head.Get() + body.Get();
}

std::string
MakeHello(uint32_t abilities)
{
    LearnerBytes hello;
    hello.Put(uint32_t{2});
    hello.Put(abilities);
    hello.Put(0.0);
    hello.PutArray(std::vector<double>{1, 2});
    hello.PutArray(std::vector<uint64_t>{3, 1});
    for (const char* name : {"figure", "metric", "Setting"})
    {
        hello.Put(uint32_t{1});
        hello.PutArray(std::string(name));
    }
    return MakeAnswer(hello);
}

std::string
MakeTraining()
{
    LearnerBytes trained;
    trained.PutArray(std::vector<double>{3, 4});
    trained.PutArray(std::vector<double>{3, 0.5});
    trained.Put(0.25);
    return MakeAnswer(trained);
}

std::string
MakeScores()
{
    LearnerBytes scores;
    scores.Put(1.5);
    scores.Put(0.5);
    scores.PutArray(std::vector<double>{7});
    return MakeAnswer(scores);
}

std::string
MakeGradient()
{
    LearnerBytes gradient;
    gradient.PutArray(std::vector<double>{-1, 1});
    return MakeAnswer(gradient);
}

std::string
MakePlan()
{
    LearnerBytes plan;
    plan.PutArray(std::vector<uint32_t>{2, 1});
    plan.Put(0.5);
    plan.Put(uint32_t{1});
    plan.Put(uint32_t{1});
    plan.PutArray(std::vector<double>{0.1});
    return MakeAnswer(plan);
}

} // namespace

std::vector<std::string>
GetSeeds()
{
    return {std::string(1, '\0') + MakeHello(31) + MakeTraining() + MakeScores() + MakeGradient(),
            std::string(1, '\1') + MakeHello(8) + MakePlan()};
}

void
Fuzz(Input& input)
{
    const bool plans = input.TakeByte() % 2 == 1;
    std::string file = WriteFile(input.TakeRest());
    file.replace(0, 10, "/proc/" + std::to_string(getpid())); // "/proc/self": of the shell
    const StringValue command("cat " + file + " >&3");
    if (plans)
    {
        const auto schedule = CreateObjectWithAttributes<ExternalSchedule>("Command", command);
        schedule->Setup({1, 2});
        RoundView view;
        view.clients = {{1, {}}, {2, {}}};
        const RoundPlan plan = schedule->Plan(view);
        Demand(plan.clients.size() <= 2, "clients are known, and different");
        Demand(plan.figures.size() == schedule->GetSettings().size(), "there are all settings");
        return;
    }
    const auto task = CreateObjectWithAttributes<ExternalTask>("Command", command);
    task->Start(2, nullptr, nullptr);
    ModelVector model = task->DrawInitialModel(0);
    Demand(model.size() > 0 && model.allFinite(), "the initial model is one");
    if (!task->GetFigures().empty())
    {
        const auto report = task->Train(1, 0, task->GetShards()[0], {{"Setting", 1}}, model);
        Demand(report.figures.size() == task->GetFigures().size(), "there are all figures");
        Demand(model.size() == task->GetDimension(), "the model keeps its length");
    }
    if (model.allFinite())
    {
        task->GetLoss(model, EqualWeights(task->GetShards()[0]));
        ModelVector gradient(model.size());
        task->ClippedGradient(model, EqualWeights(task->GetShards()[1]), 1, gradient);
    }
}

} // namespace ns3::dlearn::fuzz
