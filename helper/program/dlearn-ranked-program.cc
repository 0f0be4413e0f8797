/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ranked-program.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-ranks.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

namespace ns3::dlearn
{

namespace
{

/** Takes everything and writes nothing. */
class NullBuffer : public std::streambuf
{
  protected:
    int_type overflow(int_type character) override { return traits_type::not_eof(character); }
};

/** @return whether a word of the command line asks for ranks */
bool
AsksForRanks(const std::string& word)
{
    const auto start = std::min<size_t>(word.find_first_not_of('-'), word.size());
    const std::string text = start > 0 ? word.substr(start) : "";
    return text == "mpi" || text == "mpi=true" || text == "mpi=1" || text == "mpi=t";
}

/** @return how many processes the launcher of an MPI library has started together with this one */
int
CountStarted()
{
    int count = 1;
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) // Open MPI; MPICH and Slurm
    {
        const char* text = std::getenv(name);
        count = std::max(count, text ? std::atoi(text) : 1);
    }
    return count;
}

} // namespace

RankedProgram::RankedProgram(int& argc, char**& argv)
    : m_error(std::cerr.rdbuf())
{
    if (std::any_of(argv + std::min(argc, 1), argv + argc, AsksForRanks))
    {
        // Open MPI would print stack traces of a crash.
        setenv("OMPI_MCA_opal_signal", "", 0);
        Ranks::Enable(argc, argv);
        std::atexit(Ranks::Disable); // --help and the like end the program
        if (Ranks::GetOwn() != 0)
        {
            // Not destroyed, as the streams write to it until the process ends.
            const auto null = new NullBuffer;
            std::cout.rdbuf(null);
            std::cerr.rdbuf(null);
        }
    }
}

RankedProgram::~RankedProgram()
{
    Ranks::Disable();
}

void
RankedProgram::Do(const std::string& program, const std::function<void()>& body) const
{
    try
    {
        body();
    }
    catch (const std::exception& error)
    {
        if (!Ranks::AreEnabled())
        {
            throw;
        }
        if (!Ranks::HaveBegun())
        {
            Ranks::Agree(error.what()); // which throws what the first rank has to say
            throw;
        }
        std::ostream(m_error) << program << ": error: rank " << Ranks::GetOwn() << ": "
                              << error.what() << std::endl;
        Ranks::Abort();
    }
}

void
RefuseSeveralWholeRuns(const Invocation& invocation)
{
    Require(invocation.options.count("mpi") > 0 || CountStarted() <= 1,
            "this is one of ",
            CountStarted(),
            " processes that were started together, and each would simulate the whole run: give "
            "--mpi to divide it among them, or --mpi=false if that is wanted");
}

} // namespace ns3::dlearn
