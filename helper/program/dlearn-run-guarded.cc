/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-guarded.h"

#include "dlearn-terminate-handler.h"

#include <csignal>
#include <exception>
#include <iostream>
#include <stdexcept>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#if __has_include(<unistd.h>)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace ns3::dlearn
{

namespace
{

/** A full disk and a closed pipe make writing fail, which says so; they must not end the program.
 */
void
IgnoreSignalsOfWriting()
{
#ifdef SIGPIPE
    std::signal(SIGPIPE, SIG_IGN);
#endif
#ifdef SIGXFSZ
    std::signal(SIGXFSZ, SIG_IGN);
#endif
}

/**
 * The first file that a program opens takes the place of a standard stream that is closed, and
 * would get what the program prints. A device that can only be read keeps the place: printing
 * fails.
 */
void
HoldStandardStreams()
{
#ifdef F_GETFD
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    {
        if (fcntl(stream, F_GETFD) == -1)
        {
            open("/dev/null", O_RDONLY); // gets the lowest number that is free
        }
    }
#endif
}

} // namespace

void
KeepFreedMemory()
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int
RunGuarded(const std::string& program, const std::function<void()>& body)
{
    const TerminateHandler handler(program);
    KeepFreedMemory();
    IgnoreSignalsOfWriting();
    HoldStandardStreams();
    try
    {
        body();
        std::cout.flush();
        if (!std::cout)
        {
            throw std::runtime_error("cannot write to the standard output");
        }
        return 0;
    }
    catch (const std::exception& error)
    {
        std::cerr << program << ": error: " << error.what() << std::endl;
    }
    catch (...)
    {
        std::cerr << program << ": error: an exception that is no std::exception" << std::endl;
    }
    return 1;
}

} // namespace ns3::dlearn
