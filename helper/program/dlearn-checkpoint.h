/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CHECKPOINT_H
#define DLEARN_CHECKPOINT_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A file that a run reads, as it was.
 */
struct InputFile
{
    std::string path;     //!< as an option has it
    uint64_t size{0};     //!< in bytes
    uint64_t checksum{0}; //!< of all bytes, XXH3

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(path, size, checksum);
    }
};

/**
 * @ingroup dlearn
 * @param words options of a run
 * @return the regular files that values of options name, whole, with a slash or dot in the name, or
 *         after a prefix (csv:FILE)
 */
std::vector<InputFile> FindInputs(const std::vector<std::string>& words);

/**
 * @ingroup dlearn
 * What a run needs to go on where another one was: checkpoint.bin in the directory of the results.
 */
struct Checkpoint
{
    std::string program;            //!< that wrote it
    std::vector<std::string> words; //!< options, attributes and global values of the run
    bool complete{false};           //!< whether the run has ended, so that there is no state
    std::vector<InputFile> inputs;  //!< what options name; none of a run that has ended
    Time time;                      //!< simulated time of the state
    std::string state;              //!< of everything that changes, bytes of a StateArchive

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(program, words, complete, inputs, time, state);
    }
};

/**
 * @ingroup dlearn
 * @param checkpoint what to write
 * @return the bytes of the file: a line of text, length and checksum, and the checkpoint
 */
std::string EncodeCheckpoint(Checkpoint checkpoint);

/**
 * @ingroup dlearn
 * @param bytes of a file
 * @param path of the file, for the message
 * @return what is in it
 * @throw std::invalid_argument for a file that is damaged, cut short, or no checkpoint of this
 *        version on such a machine
 */
Checkpoint DecodeCheckpoint(std::string bytes, const std::string& path);

/**
 * @ingroup dlearn
 * Replace the checkpoint of a directory.
 *
 * @param directory of the results
 * @param checkpoint what to write
 * @throw std::runtime_error with the path and the reason of the system; the file is then as it was
 */
void WriteCheckpoint(const std::string& directory, Checkpoint checkpoint);

/**
 * @ingroup dlearn
 * @param directory of the results
 * @return its checkpoint
 * @throw std::invalid_argument as DecodeCheckpoint(), and when there is none
 */
Checkpoint ReadCheckpoint(const std::string& directory);

/**
 * @ingroup dlearn
 * @param checkpoint of a run that is to go on
 * @param directory of its results
 * @throw std::invalid_argument naming a file that the run reads and that has changed
 */
void RequireSameInputs(const Checkpoint& checkpoint, const std::string& directory);

} // namespace ns3::dlearn

#endif // DLEARN_CHECKPOINT_H
