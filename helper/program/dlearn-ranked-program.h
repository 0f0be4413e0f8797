/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RANKED_PROGRAM_H
#define DLEARN_RANKED_PROGRAM_H

#include "dlearn-program-arguments.h"

#include <functional>
#include <streambuf>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A program that mpirun may have started several times (Ranks): rank 0 prints, the others are
 * silent, and an error on any of them ends all.
 */
class RankedProgram
{
  public:
    /**
     * Join the other ranks if the words of the command line ask for it by --mpi.
     *
     * @param argc number of words, from which MPI may remove some
     * @param argv the words
     * @throw std::invalid_argument when ranks are not supported
     */
    RankedProgram(int& argc, char**& argv);
    ~RankedProgram();

    RankedProgram(const RankedProgram&) = delete;
    RankedProgram& operator=(const RankedProgram&) = delete;

    /**
     * Do the work. With ranks, an error before the simulation is thrown on all of them; one during
     * the simulation is printed, and ends all processes with exit status 1.
     *
     * @param program its name
     * @param body the work
     */
    void Do(const std::string& program, const std::function<void()>& body) const;

  private:
    std::streambuf* m_error; //!< of the standard error, which is silent on ranks other than 0
};

/**
 * @ingroup dlearn
 * @param invocation what a command line said
 * @throw std::invalid_argument when mpirun has started several processes and the command line does
 *        not say --mpi: each of them would write the same results
 */
void RefuseSeveralWholeRuns(const Invocation& invocation);

} // namespace ns3::dlearn

#endif // DLEARN_RANKED_PROGRAM_H
