/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Several runs on one page: curves over one another, with bands over the seeds; what differs in
 * their settings; what a target costs; whether the differences are more than chance. Runs that
 * differ in --RngRun or --RngSeed only belong together. The first directory is what the others are
 * compared with.
 *
 *   dlearn-compare results/ideal-1 results/ideal-2 results/wifi-1 results/wifi-2
 *   dlearn-compare --target=accuracy:0.9 --out=networks.html results/ideal results/wifi
 *
 * Exit status: 0, or 1 with one line on stderr when a directory does not hold the results of a run.
 */

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-comparison.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-program-arguments.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-results-reader.h"
#include "ns3/dlearn-run-groups.h"

#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

/** What --band may say. */
const std::map<std::string, Band> BANDS{{"range", Band::RANGE},
                                        {"sd", Band::DEVIATION},
                                        {"ci", Band::INTERVAL}};

/** Everything that the command line can say. */
struct Parameters
{
    std::vector<std::string> directories; //!< with results
    std::string out{"compare.html"};      //!< the page
    std::string target;                   //!< METRIC:VALUE; empty for one that all reach
    std::string band{"range"};            //!< of the curves: range, sd or ci

    void Parse(int argc, char* argv[]);
};

void
Parameters::Parse(int argc, char* argv[])
{
    std::vector<char*> options{argv[0]};
    for (int k = 1; k < argc; ++k)
    {
        const std::string word = argv[k];
        if (word.rfind("-", 0) == 0)
        {
            Require(word.rfind("-Rng", 0) != 0 && word.rfind("--Rng", 0) != 0,
                    word,
                    " has no effect: dlearn-compare simulates nothing");
            options.push_back(argv[k]);
        }
        else
        {
            directories.push_back(word);
        }
    }
    ProgramArguments arguments(__FILE__);
    arguments.Usage("Compare runs on one page: dlearn-compare DIR... with the directories that "
                    "--out of the runs named.");
    arguments.AddValue("out", "the page", out);
    arguments.AddValue("target",
                       "METRIC:VALUE to say the cost of, such as accuracy:0.9; by default the "
                       "highest of some accuracies that all runs reach",
                       target);
    arguments.AddValue("band",
                       "of a curve around the mean over seeds: range (lowest to highest), sd "
                       "(standard deviation to either side) or ci (95 % interval of the mean)",
                       band);
    options.push_back(nullptr); // as main() gets them
    arguments.Parse(static_cast<int>(options.size()) - 1, options.data());
    const Invocation& invocation = arguments.GetInvocation();
    for (const auto* words : {&invocation.globals, &invocation.attributes})
    {
        Require(words->empty(),
                "--",
                words->empty() ? "" : words->begin()->first,
                " has no effect: dlearn-compare simulates nothing");
    }
    Require(!directories.empty(),
            "name one directory with results at least: dlearn-compare DIR...");
    Require(!out.empty(), "out must name a file");
    Require(BANDS.count(band) > 0, "band must be range, sd or ci, got '", band, "'");
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunGuarded("dlearn-compare", [&] {
        Parameters parameters;
        parameters.Parse(argc, argv);
        std::optional<Target> target;
        if (!parameters.target.empty())
        {
            target = Target::Parse(parameters.target);
        }
        std::vector<NamedRun> runs;
        for (const std::string& directory : parameters.directories)
        {
            runs.push_back({"", ReadResults(directory)});
        }
        NameByDifferences(runs);
        WriteTextFile(parameters.out, MakeComparison(runs, target, BANDS.at(parameters.band)));
        std::set<std::string> names;
        for (const NamedRun& run : runs)
        {
            names.insert(run.name);
        }
        std::cout << runs.size() << (runs.size() == 1 ? " run of " : " runs of ") << names.size()
                  << (names.size() == 1 ? " configuration\n" : " configurations\n");
        if (const std::string leftOut = DescribeLeftOut(GroupRuns(runs)); !leftOut.empty())
        {
            std::cout << leftOut << "\n";
        }
        std::cout << "\n"
                  << MakeComparisonText(runs, target) << "\nComparison: " << parameters.out
                  << std::endl;
    });
}
