/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-checkpoint.h"
#include "ns3/dlearn-message.h"
#include "ns3/dlearn-state-archive.h"

namespace ns3::dlearn::fuzz
{

namespace
{

/** Kinds of values that states consist of. */
struct State
{
    std::map<std::pair<uint32_t, ModelChannel>, std::optional<Arrival>> arrivals; //!< messages
    std::vector<std::deque<std::string>> texts;                                   //!< sequences
    Eigen::MatrixXd matrix;                                                       //!< a matrix
    std::set<uint64_t> numbers;                                                   //!< a set
    std::shared_ptr<const ModelVector> shared;                                    //!< shared

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(arrivals, texts, matrix, numbers, shared);
    }
};

} // namespace

std::vector<std::string>
GetSeeds()
{
    Checkpoint checkpoint;
    checkpoint.program = "program";
    checkpoint.words = {"--rounds=5"};
    checkpoint.state = "state";
    State state;
    state.arrivals[{3, ModelChannel::STATE}] = Arrival{ModelVector::Ones(2), 7, {true, false}};
    state.texts = {{"a"}, {}};
    state.matrix = Eigen::MatrixXd::Ones(2, 1);
    state.numbers = {5};
    StateArchive archive;
    archive(state);
    return {std::string(1, '\0') + EncodeCheckpoint(checkpoint), "\1" + archive.GetBytes()};
}

void
Fuzz(Input& input)
{
    const bool file = input.TakeByte() % 2 == 0;
    const std::string bytes = input.TakeRest();
    if (file)
    {
        const Checkpoint checkpoint = DecodeCheckpoint(bytes, "file");
        Demand(DecodeCheckpoint(EncodeCheckpoint(checkpoint), "copy").state == checkpoint.state,
               "what is read can be written");
        return;
    }
    State state; // a state that a checksum does not protect
    StateArchive archive(bytes);
    archive(state);
}

} // namespace ns3::dlearn::fuzz
