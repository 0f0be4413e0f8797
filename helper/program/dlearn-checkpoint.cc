/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-checkpoint.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-output-file.h"
#include "ns3/dlearn-regular-file.h"
#include "ns3/dlearn-state-archive.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace ns3::dlearn
{

namespace
{

const std::string HEADING = "dlearn checkpoint 13\n"; //!< with the version of the format

/** @return path of the checkpoint of a directory */
std::string
GetPath(const std::string& directory)
{
    return directory + "/checkpoint.bin";
}

/** @return the bytes' checksum: FNV-1a of 64 bits, on words of eight bytes and then on what is left
 */
uint64_t
GetChecksum(const std::string& bytes)
{
    uint64_t sum = 0xcbf29ce484222325;
    const auto add = [&sum](uint64_t word) { sum = (sum ^ word) * 0x100000001b3; };
    size_t next = 0;
    for (; next + sizeof(uint64_t) <= bytes.size(); next += sizeof(uint64_t))
    {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data() + next, sizeof(word));
        add(word);
    }
    for (; next < bytes.size(); ++next)
    {
        add(static_cast<uint8_t>(bytes[next]));
    }
    return sum;
}

} // namespace

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
    Require(file.is_open(), path, ": cannot be opened, so that there is nothing to resume");
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    Require(static_cast<size_t>(file.gcount()) == bytes.size(), path, ": cannot be read");
    return DecodeCheckpoint(std::move(bytes), path);
}

} // namespace ns3::dlearn
