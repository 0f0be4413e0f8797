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
 * A run that a program compares with its first one: what differs, as on a command line.
 */
struct RunVariant
{
    std::string name;               //!< of the run beside others, and of its folder
    std::vector<std::string> words; //!< options, --name=value
};

/**
 * @ingroup dlearn
 * Options that a user gave hold for all runs of a comparison: those words of a variant that say
 * something else are left out. Its results go to the folder of its name within that of the first
 * run, and its command line repeats it alone.
 *
 * @param first the first run, with its command line
 * @param variant what to change
 * @return the run; nothing when the user's options leave no difference from the first
 * @throw std::invalid_argument for words that are no options of the first run
 */
std::optional<RunSpec> MakeVariant(const RunSpec& first, const RunVariant& variant);

/**
 * @ingroup dlearn
 * A program that runs what a RunSpec says: a preset with a command line.
 *
 * @code
 *   int main(int argc, char* argv[])
 *   {
 *       return RunProgram(LdpOnlinePreset("my-program")).Main(argc, argv, __FILE__);
 *   }
 * @endcode
 *
 * It prints the table of rounds, the warnings and where the report is, and writes the results
 * files, also of a run that fails or is interrupted. With the option runs above 1 it repeats the
 * run with ns-3 runs that follow each other: the results files are those of the first; the mean
 * error after each round goes to model_error.csv.
 *
 * A program may compare its run with variants of it, which it runs one after the other: each has
 * the results files in a folder of its name within that of the first run, whose report lays all of
 * them over one another.
 */
class RunProgram
{
  public:
    /** @param preset what to run unless the command line says otherwise */
    explicit RunProgram(RunSpec preset);

    /**
     * Add an option to the group Output.
     *
     * @tparam Value as an OptionValue points to
     * @param name of the option
     * @param help what it means
     * @param value its default; gets the user's value
     */
    template <typename Value>
    void AddOption(const std::string& name, const std::string& help, Value& value)
    {
        m_more.push_back({name, help, &value});
    }

    /**
     * Compare the run with others, unless the user says --compare=false.
     *
     * @param name what to call the first run beside them, on the network of the preset; on another
     *        one it has the name of that
     * @param variants the others
     */
    void CompareWith(const std::string& name, std::vector<RunVariant> variants);

    /**
     * Have the learners on a network of the program's own in place of the option network.
     * @param make makes it for each run; what it refuses is an error of the program
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
     * @return exit status: 0; 1 after an error, or when nothing disturbs the runs and their mean
     *         error is nevertheless not what theory expects (ModelError::FindDeviations()); 128 and
     *         the number of the signal when one ended the run
     */
    int Main(int argc, char* argv[], const std::string& file);

  private:
    /** A run and what to call it. */
    struct NamedSpec
    {
        std::string name; //!< of the run beside others
        RunSpec spec;     //!< what to run
    };

    /** An option of this program alone. */
    struct MoreOption
    {
        std::string name;  //!< after the two dashes
        std::string help;  //!< what it means
        OptionValue value; //!< where it is
    };

    /** Read the command line, see Main(). */
    void Parse(int argc, char* argv[], const std::string& file);

    /** @return the run, and the variants to compare it with */
    std::vector<NamedSpec> MakeSpecs() const;

    /** Run them all and print how they compare. */
    bool RunAll() const;

    void RunForRankZero(const RunSpec& spec) const;

    void WriteComparison(const std::vector<NamedRun>& runs) const;

    RunSpec m_spec;                     //!< what to run
    std::vector<MoreOption> m_more;     //!< of this program alone
    RunSeries::Setup m_setup;           //!< what the program does in each run
    std::string m_shared;               //!< command line, without what each variant has of its own
    bool m_compare{true};               //!< whether to run the variants, too
    std::string m_name;                 //!< of the first run beside its variants
    std::vector<RunVariant> m_variants; //!< what the run is compared with
};

} // namespace ns3::dlearn

#endif // DLEARN_PROGRAM_H
