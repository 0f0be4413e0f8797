/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STUDY_PARAMETERS_H
#define DLEARN_STUDY_PARAMETERS_H

#include "ns3/dlearn-network.h"
#include "ns3/dlearn-program-arguments.h"
#include "ns3/dlearn-run-spec.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * What the command lines of the programs of this folder share.
 */

namespace ns3::dlearn
{

/** Options of a study; a study has those that it adds to its command line. */
struct StudyParameters
{
    /** @param name of the program, dlearn-study-X; its results go to results/study-X */
    explicit StudyParameters(std::string name);

    /**
     * Add quick, runs and out.
     *
     * @param arguments of the program
     * @param quickHelp effect and duration of quick
     * @param runsHelp default number of runs of a setting; empty: a study without the option
     */
    void AddCommon(ProgramArguments& arguments,
                   const std::string& quickHelp,
                   const std::string& runsHelp = "");

    /** A study that has the options quick, runs and out, and no other. */
    struct Plain
    {
        const char* file;      //!< name of the source, __FILE__
        std::string usage;     //!< what --help begins with
        std::string quickHelp; //!< effect and duration of quick
        uint32_t runs;         //!< of a setting
        uint32_t quickRuns;    //!< default of runs, if quick
    };

    /**
     * Read the command line of a study without own options.
     *
     * @param study its description
     * @param argc as of main()
     * @param argv as of main()
     */
    void ParsePlain(const Plain& study, int argc, char* argv[]);

    /**
     * Add full, for studies that are given it out of habit and for those that are longer then.
     *
     * @param arguments of the program
     * @param help text
     */
    void AddFull(ProgramArguments& arguments, const std::string& help);

    /**
     * Add data and data-dir.
     *
     * @param arguments of the program
     * @param help names of data sets
     */
    void AddData(ProgramArguments& arguments, const std::string& help);

    /**
     * Add network, transport and deadline.
     *
     * @param arguments of the program
     */
    void AddNetwork(ProgramArguments& arguments);

    /**
     * @param arguments of the program
     * @param argc as of main()
     * @param argv as of main()
     * @throw std::invalid_argument for what no study understands
     */
    void Parse(ProgramArguments& arguments, int argc, char* argv[]);

    /**
     * @param usual runs of a setting
     * @param ifQuick runs if quick
     */
    void ChooseRuns(uint32_t usual, uint32_t ifQuick);

    /** @param options get program, data and network, as far as the command line names them */
    void Apply(RunSpec& options) const;

    std::string program;               //!< its name
    bool quick{false};                 //!< whether to do with less
    bool full{false};                  //!< whether to do all
    uint32_t runs{0};                  //!< of each setting; 0: not said
    std::string data{"mnist"};         //!< to learn from
    std::string dataDir;               //!< where data sets are
    std::string network{"ideal"};      //!< see CreateNetwork()
    std::string idealTransport{"udp"}; //!< over an ideal network, where none is named
    std::string transport;             //!< udp, broadcast or tcp; empty: not said
    std::string deadline;              //!< longest time of a round; empty: none
    std::string out;                   //!< directory of the results
};

/** The figures of a study, by name. */
class StudyFigures
{
  public:
    /**
     * @param option of the command line that chooses one
     * @param figures names, and functions that return whether the expected effect shows
     */
    StudyFigures(std::string option,
                 std::vector<std::pair<std::string, std::function<bool()>>> figures);

    /**
     * Run one figure or, for "all", all of them.
     *
     * @param chosen name
     * @param p of the study; its directory of results is made before
     * @return whether all shows
     * @throw std::invalid_argument naming the figures there are
     */
    bool Run(const std::string& chosen, const StudyParameters& p) const;

  private:
    std::string m_option;                                                 //!< its name
    std::vector<std::pair<std::string, std::function<bool()>>> m_figures; //!< in their order
};

/**
 * The body of main(). Peers wait for each other for up to 20 minutes of simulated time unless the
 * command line says otherwise: networks are compared by how late they are.
 *
 * @param program its name
 * @param body returns whether the expected effect shows; exceptions become a line on stderr
 * @return exit status: 0, or 1 when something does not show, or after an error
 */
int RunStudy(const std::string& program, const std::function<bool()>& body);

} // namespace ns3::dlearn

#endif // DLEARN_STUDY_PARAMETERS_H
