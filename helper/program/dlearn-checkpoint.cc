/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-checkpoint.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-output-file.h"
#include "ns3/dlearn-regular-file.h"
#include "ns3/dlearn-state-archive.h"

#include <cstdint>
#include <fstream>
#include <stdexcept>

namespace ns3::dlearn
{

namespace
{

const std::string HEADING = "dlearn checkpoint 1\n"; //!< with the version of the format

/** @return path of the checkpoint of a directory */
std::string
GetPath(const std::string& directory)
{
    return directory + "/checkpoint.bin";
}

/** @return the bytes' checksum: FNV-1a of 64 bits */
uint64_t
GetChecksum(const std::string& bytes)
{
    uint64_t sum = 0xcbf29ce484222325;
    for (const char byte : bytes)
    {
        sum = (sum ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
    }
    return sum;
}

} // namespace

std::string
EncodeCheckpoint(Checkpoint checkpoint)
{
    StateArchive body;
    body(checkpoint);
    std::string bytes = body.GetBytes();
    uint64_t sum = GetChecksum(bytes);
    StateArchive frame;
    frame(sum, bytes);
    return HEADING + frame.GetBytes();
}

Checkpoint
DecodeCheckpoint(const std::string& bytes, const std::string& path)
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
        std::string text;
        StateArchive frame(bytes.substr(HEADING.size()));
        frame(sum, text);
        frame.CheckEnd();
        Require(sum == GetChecksum(text), "its checksum is wrong");
        StateArchive body(text);
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
WriteCheckpoint(const std::string& directory, const Checkpoint& checkpoint)
{
    WriteTextFile(GetPath(directory), EncodeCheckpoint(checkpoint));
}

Checkpoint
ReadCheckpoint(const std::string& directory)
{
    const std::string path = GetPath(directory);
    std::string bytes(GetRegularFileSize(path), '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    Require(static_cast<size_t>(file.gcount()) == bytes.size(), path, ": can not be read");
    return DecodeCheckpoint(bytes, path);
}

} // namespace ns3::dlearn
