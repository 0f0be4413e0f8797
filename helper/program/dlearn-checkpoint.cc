/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-checkpoint.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-output-file.h"
#include "ns3/dlearn-regular-file.h"
#include "ns3/dlearn-state-archive.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ns3::dlearn
{

namespace
{

const std::string HEADING = "dlearn checkpoint 14\n"; //!< with the version of the format

/** @return path of the checkpoint of a directory */
std::string
GetPath(const std::string& directory)
{
    return directory + "/checkpoint.bin";
}

/** @return the bytes' checksum, XXH3 */
uint64_t
GetChecksum(const std::string& bytes)
{
    return XXH3_64bits(bytes.data(), bytes.size());
}

/** @return a file as it is; without size and checksum where there is no regular file */
InputFile
ReadInput(const std::string& path)
{
    InputFile input{path};
    std::error_code none;
    if (std::filesystem::is_regular_file(path, none))
    {
        std::ifstream file(path, std::ios::binary);
        std::string block(1 << 16, '\0');
        while (file.read(block.data(), static_cast<std::streamsize>(block.size())) ||
               file.gcount() > 0)
        {
            const auto size = static_cast<size_t>(file.gcount());
            input.size += size;
            input.checksum = XXH3_64bits_withSeed(block.data(), size, input.checksum);
        }
    }
    return input;
}

} // namespace

std::vector<InputFile>
FindInputs(const std::vector<std::string>& words)
{
    std::vector<InputFile> inputs;
    for (const std::string& word : words)
    {
        const std::string whole = word.substr(std::min(word.find('='), word.size() - 1) + 1);
        const size_t colon = whole.find(':'); // without one the same again, which changes nothing
        const std::string rest = whole.substr(colon + 1);
        for (const std::string& path : {whole, rest, rest.substr(0, rest.rfind(','))})
        {
            std::error_code none;
            // A name without folder, ending or prefix may be that of anything else.
            const bool named =
                colon != std::string::npos || path.find_first_of("/.") != std::string::npos;
            if (named && word.rfind("--ns3::", 0) != 0 &&
                std::filesystem::is_regular_file(path, none))
            {
                inputs.push_back(ReadInput(path));
                break;
            }
        }
    }
    return inputs;
}

std::string
EncodeCheckpoint(Checkpoint checkpoint)
{
    std::string body;
    {
        StateArchive archive;
        archive(checkpoint);
        body = archive.GetBytes();
    }
    checkpoint.state = std::string(); // states may be large
    StateArchive frame;
    uint64_t sum = GetChecksum(body);
    uint64_t size = body.size();
    frame(sum, size);
    return HEADING + frame.GetBytes() + body;
}

Checkpoint
DecodeCheckpoint(std::string bytes, const std::string& path)
{
    Require(bytes.rfind(HEADING, 0) == 0,
            path,
            ": no checkpoint, or of another version: it must begin with '",
            HEADING.substr(0, HEADING.size() - 1),
            "'");
    Checkpoint checkpoint;
    try
    {
        uint64_t sum = 0;
        uint64_t size = 0;
        const size_t begin = HEADING.size() + sizeof(sum) + sizeof(size);
        Require(bytes.size() >= begin, "it ends within its first ", begin, " bytes");
        StateArchive frame(bytes.substr(HEADING.size(), sizeof(sum) + sizeof(size)));
        frame(sum, size);
        bytes.erase(0, begin);
        Require(size == bytes.size(), "it must have ", size, " bytes, has ", bytes.size());
        Require(sum == GetChecksum(bytes), "its checksum is wrong");
        StateArchive body(std::move(bytes));
        body(checkpoint);
        body.CheckEnd();
    }
    catch (const std::invalid_argument& error)
    {
        Require(false, path, ": the checkpoint is damaged: ", error.what());
    }
    return checkpoint;
}

void
WriteCheckpoint(const std::string& directory, Checkpoint checkpoint)
{
    WriteTextFile(GetPath(directory), EncodeCheckpoint(std::move(checkpoint)));
}

Checkpoint
ReadCheckpoint(const std::string& directory)
{
    const std::string path = GetPath(directory);
    std::string bytes(GetRegularFileSize(path), '\0');
    std::ifstream file(path, std::ios::binary);
    Require(file.is_open(),
            path,
            ": cannot be opened, so that there is nothing to resume: ",
            std::strerror(errno));
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    Require(static_cast<size_t>(file.gcount()) == bytes.size(), path, ": cannot be read");
    return DecodeCheckpoint(std::move(bytes), path);
}

void
RequireSameInputs(const Checkpoint& checkpoint, const std::string& directory)
{
    for (const InputFile& then : checkpoint.inputs)
    {
        Require(std::filesystem::exists(then.path),
                then.path,
                " is no longer there, which the run of ",
                GetPath(directory),
                " reads");
        const InputFile now = ReadInput(then.path);
        Require(now.size == then.size && now.checksum == then.checksum,
                then.path,
                " has changed since ",
                GetPath(directory),
                " was written: it had ",
                then.size,
                " bytes, and has ",
                now.size == then.size ? "as many others" : std::to_string(now.size));
    }
}

} // namespace ns3::dlearn
