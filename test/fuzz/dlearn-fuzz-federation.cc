/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-input-message.h"

#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/simulator.h"

#include <sstream>

/**
 * @file
 * Whole federations: the input arrives at the server from the last of four clients, or at this
 * client from the server, some of it with headers that are right. The server closes all of its
 * rounds and keeps a finite model, because it tolerates one client that is wrong.
 */

namespace ns3::dlearn::fuzz
{

namespace
{

constexpr uint32_t ROUNDS = 4;
constexpr LearnerId SERVER = 0;
constexpr LearnerId CLIENT = 4;
const std::vector<ModelChannel> TO_SERVER{ModelChannel::UPDATE,
                                          ModelChannel::ANSWER,
                                          ModelChannel::MODEL};
const std::vector<ModelChannel> TO_CLIENT{ModelChannel::MODEL,
                                          ModelChannel::REQUEST,
                                          ModelChannel::UPDATE};

/** @return a small federation that computes little, with a second step or without */
RunSpec
MakeSpec(uint8_t choice)
{
    RunSpec spec = choice & 4 ? CafCorPreset("fuzz") : FedAvgPreset("fuzz");
    spec.learners = CLIENT;
    spec.rounds = ROUNDS;
    spec.network = choice & 1 ? "p2p" : "ideal";
    spec.transport = choice & 2 ? "tcp" : "udp";
    spec.aggregator = "Median";
    spec.byzantine = 1;
    spec.attack = "none";
    spec.omniscient = false;
    spec.deadline = "20ms";
    spec.evaluateEvery = ROUNDS;
    if (choice & 4)
    {
        spec.threatModel = "byzldp";
        spec.noiseRecovery = true;
        spec.dataSamples = 40;
        spec.batchSize = 5;
    }
    else
    {
        spec.dimension = 5;
        spec.samples = 5;
    }
    return spec;
}

/** Schedule the pieces of an input, each from the sender's own address and port. */
void
Inject(Input& input, const Federation& federation, uint32_t length)
{
    Time when = NanoSeconds(1); // all have started by then
    for (uint32_t k = 0; k < 32 && input.HasMore(); ++k)
    {
        const uint8_t what = input.TakeByte();
        const bool up = what & 1;
        const LearnerId from = up ? CLIENT : SERVER;
        const LearnerId to = up ? SERVER : CLIENT;
        when += MicroSeconds(100 * input.TakeByte());
        const auto bytes =
            TakeMessage(input, what, {from, ROUNDS, length, up ? TO_SERVER : TO_CLIENT});
        if (!bytes.empty())
        {
            const auto sender = federation.GetLearners().at(from);
            Simulator::Schedule(when, [sender, to, bytes] {
                using State = LearnerApplication::State;
                const State state = sender->GetState();
                if (state != State::FINISHED && state != State::STOPPED) // else it has no socket
                {
                    sender->GetExchange()->SendBytes(0, {to}, bytes);
                }
            });
        }
    }
}

} // namespace

std::vector<std::string>
GetSeeds()
{
    const std::string vector(20, '\1');
    std::vector<std::string> seeds;
    for (char choice = 0; choice < 8; ++choice)
    {
        seeds.push_back(choice + std::string("\x42\1\x14", 3) + vector + std::string(3, '\0') +
                        std::string("\x43\1\x14", 3) + vector + std::string("\0\0\1", 3) +
                        std::string("\0\1\x20", 3) + std::string(32, '\1'));
    }
    return seeds;
}

void
Fuzz(Input& input)
{
    bool checked = false;
    try
    {
        Run run(MakeSpec(input.TakeByte()));
        Inject(input,
               run.GetFederation(),
               run.GetFederation().server->GetRule()->GetModel().size());
        run.SetFinishHook([&checked](Run& finished) {
            const auto server = finished.GetFederation().server;
            Demand(server->GetRecords().size() == ROUNDS, "the server closes all rounds");
            Demand(server->GetRule()->GetModel().allFinite(), "the server's model is finite");
            checked = true;
        });
        std::ostringstream table;
        run.Execute(table);
    }
    catch (const std::exception& error)
    {
        Demand(false, error.what()); // here nothing is to be refused
    }
    Demand(checked, "the run ends well");
}

} // namespace ns3::dlearn::fuzz
