/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ranks.h"

#include "dlearn-check.h"

#include "ns3/global-value.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#ifdef DLEARN_WITH_MPI
#include "ns3/mpi-interface.h"

#include <mpi.h>
#endif

namespace ns3::dlearn
{

namespace
{

bool g_enabled = false; //!< whether Enable() was called
bool g_asked = false;   //!< whether Agree() was called
bool g_begun = false;   //!< whether all ranks agreed

#ifdef DLEARN_WITH_MPI

constexpr uint64_t LARGEST_PIECE = 1 << 30; //!< bytes of a message, which an int can count

MPI_Comm g_communicator{MPI_COMM_NULL}; //!< of Gather() and Share()

/** Send bytes to rank 0. */
void
SendBytes(const std::string& bytes)
{
    for (uint64_t at = 0; at < bytes.size(); at += LARGEST_PIECE)
    {
        const auto size = static_cast<int>(std::min<uint64_t>(LARGEST_PIECE, bytes.size() - at));
        MPI_Send(bytes.data() + at, size, MPI_BYTE, 0, 0, g_communicator);
    }
}

std::string
ReceiveBytes(uint32_t rank, uint64_t count)
{
    std::string bytes(count, '\0');
    for (uint64_t at = 0; at < count; at += LARGEST_PIECE)
    {
        const auto size = static_cast<int>(std::min<uint64_t>(LARGEST_PIECE, count - at));
        MPI_Recv(bytes.data() + at,
                 size,
                 MPI_BYTE,
                 static_cast<int>(rank),
                 0,
                 g_communicator,
                 MPI_STATUS_IGNORE);
    }
    return bytes;
}

#endif

} // namespace

void
Ranks::Enable([[maybe_unused]] int& argc, [[maybe_unused]] char**& argv)
{
    Require(AreSupported(),
            "mpi: this dlearn was built with an ns-3 without its module mpi; build ns-3 with "
            "--enable-mpi, and dlearn with it");
    Require(!g_enabled, "Ranks: Enable() can be called only once");
#ifdef DLEARN_WITH_MPI
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DistributedSimulatorImpl"));
    MpiInterface::Enable(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &g_communicator);
    g_enabled = true;
#endif
}

bool
Ranks::AreSupported()
{
#ifdef DLEARN_WITH_MPI
    return true;
#else
    return false;
#endif
}

bool
Ranks::AreEnabled()
{
    return g_enabled;
}

uint32_t
Ranks::GetOwn()
{
#ifdef DLEARN_WITH_MPI
    return g_enabled ? MpiInterface::GetSystemId() : 0;
#else
    return 0;
#endif
}

uint32_t
Ranks::GetCount()
{
#ifdef DLEARN_WITH_MPI
    return g_enabled ? MpiInterface::GetSize() : 1;
#else
    return 1;
#endif
}

std::vector<std::string>
Ranks::Gather(const std::string& bytes)
{
#ifdef DLEARN_WITH_MPI
    if (g_enabled)
    {
        uint64_t own = bytes.size();
        std::vector<uint64_t> sizes(GetCount());
        MPI_Gather(&own, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, g_communicator);
        if (GetOwn() != 0)
        {
            SendBytes(bytes);
            return {};
        }
        std::vector<std::string> all{bytes};
        for (uint32_t rank = 1; rank < sizes.size(); ++rank)
        {
            all.push_back(ReceiveBytes(rank, sizes[rank]));
        }
        return all;
    }
#endif
    return {bytes};
}

std::vector<std::string>
Ranks::Share(const std::string& bytes)
{
#ifdef DLEARN_WITH_MPI
    if (g_enabled)
    {
        const int own = static_cast<int>(bytes.size());
        std::vector<int> sizes(GetCount());
        MPI_Allgather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, g_communicator);
        std::vector<int> begins{0};
        for (const int size : sizes)
        {
            begins.push_back(begins.back() + size);
        }
        std::string joined(begins.back(), '\0');
        MPI_Allgatherv(bytes.data(),
                       own,
                       MPI_BYTE,
                       joined.data(),
                       sizes.data(),
                       begins.data(),
                       MPI_BYTE,
                       g_communicator);
        std::vector<std::string> all;
        for (size_t rank = 0; rank < sizes.size(); ++rank)
        {
            all.push_back(joined.substr(begins[rank], sizes[rank]));
        }
        return all;
    }
#endif
    return {bytes};
}

void
Ranks::Disable()
{
#ifdef DLEARN_WITH_MPI
    if (g_enabled)
    {
        MPI_Comm_free(&g_communicator);
        MpiInterface::Disable();
        g_enabled = false;
    }
#endif
}

void
Ranks::Abort()
{
#ifdef DLEARN_WITH_MPI
    MPI_Abort(MPI_COMM_WORLD, 1);
#endif
    std::abort();
}

void
Ranks::Agree(const std::string& error)
{
    if (g_asked)
    {
        return;
    }
    g_asked = true;
    const std::vector<std::string> errors = Share(error);
    for (uint32_t rank = 0; rank < errors.size(); ++rank)
    {
        if (!errors[rank].empty())
        {
            throw std::runtime_error((rank == 0 ? "" : "rank " + std::to_string(rank) + ": ") +
                                     errors[rank]);
        }
    }
    g_begun = true;
}

bool
Ranks::HaveBegun()
{
    return g_begun;
}

bool
IsOnThisRank(const Node& node)
{
    return node.GetSystemId() == Ranks::GetOwn();
}

} // namespace ns3::dlearn
