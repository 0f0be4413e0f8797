/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RANKS_H
#define DLEARN_RANKS_H

#include "ns3/node.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The processes of mpirun that simulate one run on the distributed simulator of ns-3. Each process,
 * a rank, builds the whole scenario, and simulates the nodes whose system id is its number. Without
 * Enable() there is one rank, number 0.
 *
 * All ranks must call Gather() and Share() in the same order. They use another communicator than
 * ns-3.
 */
class Ranks
{
  public:
    /** @return whether dlearn was built with an ns-3 that has its module mpi */
    static bool AreSupported();

    /**
     * Join the other ranks; once, before there is a simulator.
     *
     * @param argc number of words of the command line, from which MPI may remove some
     * @param argv the words
     * @throw std::invalid_argument when it is not supported
     */
    static void Enable(int& argc, char**& argv);

    /** @return whether Enable() was called */
    static bool AreEnabled();

    /** @return the number of this rank */
    static uint32_t GetOwn();

    /** @return how many ranks there are */
    static uint32_t GetCount();

    /**
     * @param bytes of this rank
     * @return those of all ranks, by rank, on rank 0; nothing on the others
     */
    static std::vector<std::string> Gather(const std::string& bytes);

    /**
     * @param bytes of this rank, few
     * @return those of all ranks, by rank, on all of them
     */
    static std::vector<std::string> Share(const std::string& bytes);

    /**
     * Agree with the other ranks on whether to begin. Only the first call has an effect.
     *
     * @param error message of this rank; empty: none
     * @throw std::runtime_error with the error of any rank, the same on all ranks
     */
    static void Agree(const std::string& error);

    /** @return whether all ranks have agreed to begin */
    static bool HaveBegun();

    /** Leave the other ranks, which do the same; after Simulator::Destroy(). */
    static void Disable();

    /** End all ranks at once, with exit status 1. */
    [[noreturn]] static void Abort();
};

/** @return whether this rank simulates the node; true if there is only one rank */
bool IsOnThisRank(const Node& node);

} // namespace ns3::dlearn

#endif // DLEARN_RANKS_H
