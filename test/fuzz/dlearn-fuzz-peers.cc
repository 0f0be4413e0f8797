/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-input-message.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-wire-attacks.h"

#include <sstream>

/**
 * @file
 * Whole peers: of four learners the last sends the input, some of it with headers that are right.
 * The honest ones close all of their rounds and keep finite models.
 */

namespace ns3::dlearn::fuzz
{

namespace
{

constexpr uint32_t ROUNDS = 4;
constexpr LearnerId ATTACKER = 3;
const std::vector<ModelChannel> LISTENED{ModelChannel::STATE,
                                         ModelChannel::TRACKER,
                                         ModelChannel::UPDATE,
                                         ModelChannel::REQUEST};

/** Sends the pieces of an input, a few in each round. */
class FuzzBehavior : public WireBehavior
{
  public:
    /**
     * @param input what to send
     * @param length numbers of a model
     */
    FuzzBehavior(Input& input, uint32_t length)
        : m_input(input),
          m_length(length)
    {
    }

  protected:
    void Attack(const AttackContext& context) override
    {
        const auto names = GetNames(context);
        for (uint32_t k = 0; k < 8 && m_input.HasMore(); ++k)
        {
            const uint8_t what = m_input.TakeByte();
            const LearnerId name = what & 1 ? names[m_input.TakeByte() % names.size()] : ATTACKER;
            const Bytes bytes = TakeMessage(m_input, what, {name, ROUNDS, m_length, LISTENED});
            if (!bytes.empty())
            {
                SendToNeighbors(context, name, {bytes});
            }
        }
    }

  private:
    Input& m_input;    //!< what to send
    uint32_t m_length; //!< numbers of a model
};

/** @return a small run of peers that compute little */
RunSpec
MakeSpec(uint8_t choice)
{
    RunSpec spec = LdpOnlinePreset("fuzz");
    spec.learners = ATTACKER + 1;
    spec.rounds = ROUNDS;
    spec.graph = "complete";
    spec.network = choice & 1 ? "p2p" : "ideal";
    spec.transport = choice & 2 ? "tcp" : "udp";
    spec.algorithm = "dsgd";
    spec.aggregator = "Median";
    spec.byzantine = 1;
    spec.attack = "silent";
    spec.dataSamples = 40;
    spec.evaluateEvery = ROUNDS;
    return spec;
}

} // namespace

std::vector<std::string>
GetSeeds()
{
    const std::string vector(20, '\1');
    std::vector<std::string> seeds;
    for (const char choice : {'\0', '\1', '\2', '\3'})
    {
        seeds.push_back(choice + std::string("\x42\x14", 2) + vector + std::string("\0\0\0", 3) +
                        std::string("\x43\0\x14", 3) + vector + std::string("\0\0\1", 3) +
                        std::string("\0\x20", 2) + std::string(32, '\1'));
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
        const uint32_t length = run.GetTask()->GetDimension();
        run.GetPeers()[ATTACKER]->SetBehavior(Create<FuzzBehavior>(input, length));
        run.SetFinishHook([&checked](Run& finished) {
            for (LearnerId id = 0; id < ATTACKER; ++id)
            {
                const auto peer = finished.GetPeers()[id];
                Demand(peer->GetRecords().size() == ROUNDS, "an honest learner closes all rounds");
                Demand(peer->GetRule()->GetModel().allFinite(), "an honest model is finite");
            }
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
