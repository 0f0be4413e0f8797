/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PROGRAM_H
#define DLEARN_PROGRAM_H

#include "dlearn-process-guards.h"
#include "dlearn-program-arguments.h"
#include "dlearn-run-series.h"
#include "dlearn-run-spec.h"
#include "dlearn-run.h"

#include "ns3/dlearn-page.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A run that a program compares with its first one, by the differing options.
 */
struct RunVariant
{
    std::string name;               //!< of the run and of its folder
    std::vector<std::string> words; //!< options, --name=value
};

/**
 * @ingroup dlearn
 * Make a variant of a run. Options of the user apply to all runs of a comparison and override words
 * of the variant. The results of the variant go to a folder with its name in that of the first run,
 * and its command line repeats this run alone.
 *
 * @param first the first run, with its command line
 * @param variant the changes
 * @return the run; unset if the user's options leave no difference from the first run
 * @throw std::invalid_argument for words that are not options of the first run
 */
std::optional<RunSpec> MakeVariant(const RunSpec& first, const RunVariant& variant);

/**
 * @ingroup dlearn
 * A program for a RunSpec: a preset with a command line.
 *
 * @code
 *   int main(int argc, char* argv[])
 *   {
 *       return RunProgram(LdpOnlinePreset("my-program")).Main(argc, argv, __FILE__);
 *   }
 * @endcode
 *
 * It prints the table of rounds, warnings and the path of the report, and writes the results files,
 * also for a run that fails or is interrupted. If the option runs is above 1, it repeats the run
 * with consecutive run numbers of ns-3: the results files are those of the first run; the mean
 * error after each round goes to model_error.csv.
 *
 * A program may compare its run with variants, which it runs one after the other: each has its
 * results files in a folder with its name in that of the first run, whose report shows all of them
 * in the same plots.
 */
class RunProgram
{
  public:
    /** @param preset the run, unless the command line changes it */
    explicit RunProgram(RunSpec preset);

    /**
     * Add an option to the group Output.
     *
     * @tparam Value as an OptionValue points to
     * @param name name of the option
     * @param help description
     * @param value its default; gets the user's value
     */
    template <typename Value>
    void AddOption(const std::string& name, const std::string& help, Value& value)
    {
        m_more.push_back({name, help, &value});
    }

    /**
     * Compare the run with others, unless the user gives --compare=false.
     *
     * @param name name of the first run in the comparison; it has the name of its network if that
     *        is not the one of the preset
     * @param variants the other runs
     */
    void CompareWith(const std::string& name, std::vector<RunVariant> variants);

    /**
     * Run learners on a network of the program, instead of the option network.
     * @param make creates it for each run; its exceptions are errors of the program
     */
    void SetNetwork(Run::NetworkMaker make) { m_setup.network = std::move(make); }

    /** @param hook called with each run before its simulation */
    void SetBeginHook(Run::Hook hook) { m_setup.begin = std::move(hook); }

    /** @param hook called with each run after its simulation */
    void SetFinishHook(Run::Hook hook) { m_setup.finish = std::move(hook); }

    /**
     * @param argc as of main()
     * @param argv as of main()
     * @param file name of the program's source, __FILE__
     * @return exit status: 0; 1 after an error, or if the mean error of undisturbed runs deviates
     *         from the theory (ModelError::FindDeviations()); 128 plus the number of the signal
     *         that ended the run
     */
    int Main(int argc, char* argv[], const std::string& file);

  private:
    /** A run and its name in the comparison. */
    struct NamedSpec
    {
        std::string name;
        RunSpec spec;
    };

    /** An option of this program only. */
    struct MoreOption
    {
        std::string name;  //!< after the two dashes
        std::string help;  //!< description
        OptionValue value; //!< where it is
    };

    /** Read the command line, see Main(). */
    void Parse(int argc, char* argv[], const std::string& file);

    /** @return the run and its variants */
    std::vector<NamedSpec> MakeSpecs() const;

    /** Run all of them and print the comparison. */
    bool RunAll() const;

    void RunForRankZero(const RunSpec& spec) const;

    void WriteComparison(const std::vector<NamedRun>& runs) const;

    RunSpec m_spec;
    std::vector<MoreOption> m_more; //!< of this program only
    RunSeries::Setup m_setup;
    std::string m_shared; //!< command line without words of single variants
    bool m_compare{true}; //!< whether to run the variants
    std::string m_name;   //!< of the first run in the comparison
    std::vector<RunVariant> m_variants;
};

} // namespace ns3::dlearn

#endif // DLEARN_PROGRAM_H
