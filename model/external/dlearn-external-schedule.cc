/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-external-schedule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(ExternalSchedule);

TypeId
ExternalSchedule::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ExternalSchedule, ServerSchedule>("ns3::dlearn::ExternalSchedule")
            .AddAttribute("Command",
                          "Command of the shell that starts a process which plans, such as "
                          "python3 planner.py.",
                          StringValue(""),
                          MakeStringAccessor(&ExternalSchedule::m_command),
                          MakeStringChecker())
            .AddAttribute("Timeout",
                          "Longest wait for an answer of the process, in real time.",
                          TimeValue(Minutes(LearnerProcess::PATIENCE.count())),
                          MakeTimeAccessor(&ExternalSchedule::m_timeout),
                          MakeTimeChecker(MilliSeconds(1)));
    return tid;
}

void
ExternalSchedule::DoDispose()
{
    m_process.reset();
    ServerSchedule::DoDispose();
}

void
ExternalSchedule::Setup(const std::vector<LearnerId>& clients)
{
    Require(!m_command.empty(),
            "ExternalSchedule: Command must be the command of a shell, got none");
    m_clients = clients;
}

const LearnerHello&
ExternalSchedule::GetHello() const
{
    if (!m_process)
    {
        m_process = std::make_unique<LearnerProcess>(
            m_command,
            1,
            std::chrono::milliseconds(m_timeout.GetMilliSeconds()));
        m_hello = m_process->Greet(LearnerProcess::MakeGreeting(m_clients.size(), nullptr, nullptr),
                                   LearnerHello::PLANS);
    }
    return m_hello;
}

RoundPlan
ExternalSchedule::Plan(const RoundView& view)
{
    constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();
    const LearnerHello& hello = GetHello();
    LearnerBytes body;
    body.Put(view.round);
    body.Put(Simulator::Now().GetSeconds());
    body.Put(static_cast<uint32_t>(view.clients.size()));
    for (const auto& [id, client] : view.clients)
    {
        body.Put(id);
        body.Put(static_cast<uint32_t>(client.suspected));
        body.Put(client.answered ? *client.answered : UNKNOWN);
        body.Put(client.answered ? client.duration.GetSeconds() : UNKNOWN);
        body.Put(static_cast<double>(client.bytes));
        for (const std::string& name : hello.figures)
        {
            body.Put(client.GetFigure(name, UNKNOWN));
        }
    }
    RoundPlan plan;
    m_process->Ask(LearnerProcess::Question::PLAN, body, [&](LearnerBytes& answer) {
        plan.clients = answer.TakeArray<std::vector<LearnerId>>();
        std::sort(plan.clients.begin(), plan.clients.end());
        for (size_t k = 0; k < plan.clients.size(); ++k)
        {
            const LearnerId id = plan.clients[k];
            Require(view.clients.count(id) > 0 && (k == 0 || plan.clients[k - 1] < id),
                    "clients must be different numbers from 1 to {}, got {}",
                    view.clients.size(),
                    id);
        }
        plan.deadline = MakeTime("the deadline", answer.Take<double>());
        const auto enough = answer.Take<uint32_t>();
        plan.minimum = answer.Take<uint32_t>();
        m_enough = enough > 0 ? enough : std::max<size_t>(plan.clients.size(), 1);
        plan.figures = answer.TakeArray<Figures>();
        RequireSize("the plan", "settings", plan.figures.size(), hello.settings.size());
        Require(std::all_of(plan.figures.begin(),
                            plan.figures.end(),
                            [](double value) { return std::isfinite(value); }),
                "settings must be finite");
        Require(!plan.clients.empty() || plan.deadline.IsStrictlyPositive(),
                "a round without clients needs a deadline");
    });
    m_deadline = plan.deadline;
    return plan;
}

} // namespace ns3::dlearn
