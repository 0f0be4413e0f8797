/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ranked-program.h"

#include "ns3/dlearn-ranks.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>

namespace ns3::dlearn
{

namespace
{

/** Takes everything and writes nothing. */
class NullBuffer : public std::streambuf
{
  protected:
    int_type overflow(int_type character) override
    {
        return traits_type::not_eof(character);
    }
};

/** @return whether a word of the command line asks for ranks */
bool
AsksForRanks(const std::string& word)
{
    const std::string text =
        word.substr(std::min<size_t>(word.find_first_not_of('-'), word.size()));
    const bool given = word.rfind('-', 0) == 0 && (text == "mpi" || text.rfind("mpi=", 0) == 0);
    return given && text != "mpi=false" && text != "mpi=0" && text != "mpi=f";
}

} // namespace

RankedProgram::RankedProgram(int& argc, char**& argv)
    : m_error(std::cerr.rdbuf())
{
    if (std::any_of(argv + std::min(argc, 1), argv + argc, AsksForRanks))
    {
        // Open MPI would print stack traces where CrashGuard has a line to say.
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

} // namespace ns3::dlearn
