/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-stream-position.h"

#include "dlearn-check.h"

#include "ns3/rng-stream.h"

#include <cstring>
#include <type_traits>

namespace ns3::dlearn
{

namespace
{

/** Reaches what ns-3 shows to derived classes only. */
class StreamAccess : public RandomVariableStream
{
  public:
    /**
     * @param stream a random variable
     * @return its source of random numbers
     */
    static RngStream& Get(const RandomVariableStream& stream)
    {
        return *(stream.*&StreamAccess::Peek)();
    }
};

/**
 * ns-3 shows no state of its generator (MRG32k3a), which is its only member. An object of standard
 * layout and its first member have the same address; a version of ns-3 with another layout does
 * not compile here.
 *
 * @return the state of a generator
 */
char*
GetState(RngStream& stream)
{
    static_assert(std::is_standard_layout_v<RngStream> && sizeof(RngStream) == 6 * sizeof(double));
    return reinterpret_cast<char*>(&stream);
}

} // namespace

std::string
GetStreamPosition(const RandomVariableStream& stream)
{
    return {GetState(StreamAccess::Get(stream)), sizeof(RngStream)};
}

void
SetStreamPosition(const RandomVariableStream& stream, const std::string& position)
{
    Require(position.size() == sizeof(RngStream),
            "the position of a random stream must have ",
            sizeof(RngStream),
            " bytes, got ",
            position.size());
    std::memcpy(GetState(StreamAccess::Get(stream)), position.data(), position.size());
}

} // namespace ns3::dlearn
