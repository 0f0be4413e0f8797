/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-program.h"

#include "ns3/dlearn-results-writer.h"

#include <exception>
#include <iostream>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ns3::dlearn
{

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
    KeepFreedMemory();
    try
    {
        body();
        return 0;
    }
    catch (const std::exception& error)
    {
        std::cerr << program << ": error: " << error.what() << std::endl;
        return 1;
    }
}

void
RunToFiles(Scenario& scenario)
{
    const std::string out = scenario.GetOptions().out;
    MakeResultsDirectory(out);
    const RunResults results = scenario.Run(std::cout);
    for (const std::string& warning : results.warnings)
    {
        std::cerr << "warning: " << warning << "\n";
    }
    WriteResults(out, results);
    std::cout << "\nReport: " << out << "/report.html" << std::endl;
}

int
RunScenario(const PeerOptions& options, const std::function<void(PeerScenario&)>& customize)
{
    return RunGuarded(options.program, [&] {
        PeerScenario scenario(options);
        if (customize)
        {
            customize(scenario);
        }
        RunToFiles(scenario);
    });
}

} // namespace ns3::dlearn
