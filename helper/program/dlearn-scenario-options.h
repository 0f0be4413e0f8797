/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SCENARIO_OPTIONS_H
#define DLEARN_SCENARIO_OPTIONS_H

#include "dlearn-program-arguments.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One option of a program: its name, what it means, and where its value is.
 */
struct ScenarioOption
{
    std::string name;                                            //!< after the two dashes
    std::string help;                                            //!< for --help
    std::variant<std::string*, bool*, uint32_t*, double*> value; //!< the option's variable
    std::string alias{};                                         //!< another name; empty for none
};

/**
 * @ingroup dlearn
 * The options that all programs share, as a user writes them: data, network, rounds, results.
 * A program changes defaults before AddTo(); AddTo() binds them to the command line; a Scenario
 * reads them. PeerOptions and FederatedOptions add what their learners need.
 */
struct ScenarioOptions
{
    /** @param program name of the program, for results/PROGRAM */
    explicit ScenarioOptions(std::string program);
    virtual ~ScenarioOptions();

    /** @param arguments gets all options, with their defaults as they are now */
    void AddTo(ProgramArguments& arguments);

    /** @return names and values of all options, for summary.json and the report */
    std::vector<std::pair<std::string, std::string>> GetParameters() const;

    /** @throw std::invalid_argument naming the first value out of its range */
    virtual void Validate() const;

    std::string program; //!< name of the program

    std::string task{"auto"};      //!< see CreateTask()
    std::string data{"generated"}; //!< see GetDataNames()
    std::string dataDir;           //!< where data sets lie
    std::string partition{"iid"};  //!< iid, label, sorted or dirichlet:ALPHA
    uint32_t dataSamples{0};       //!< of generated and glyphs; 0: their defaults
    double testFraction{0.2};      //!< kept back for scoring
    bool unitNorm{true};           //!< scale features to norms of at most 1
    bool normalize{false};         //!< images: mean 0, variance 1 in each channel
    bool mirror{false};            //!< images: learn from mirror images, too
    double regularization{0.05};   //!< l2 strength r

    std::string network{"ideal"};   //!< see CreateNetwork()
    std::string transport{"udp"};   //!< udp, broadcast or tcp
    double loss{0};                 //!< packet error rate
    std::string delay{"1ms"};       //!< of a wired link
    std::string rate{"100Mbps"};    //!< of a wired link
    std::string trunkRate{"1Gbps"}; //!< between routers
    uint32_t mtu{0};                //!< largest IP packet in bytes; 0: the network's own
    double side{60};                //!< radio: side of the square in metres
    bool mobility{false};           //!< radio: random waypoint
    uint32_t floatBits{32};         //!< bits of a number on the wire
    std::string compress{"none"};   //!< see CompressionOption

    uint32_t rounds{100};          //!< rounds of every learner, or of the server
    std::string deadline;          //!< longest time of a round; empty for none
    double quorum{1};              //!< share of the messages that closes a round
    std::string churn;             //!< see ChurnSchedule
    std::string links;             //!< see LinkSchedule
    uint32_t evaluateEvery{1};     //!< which rounds are evaluated
    uint32_t evaluationSamples{0}; //!< how many samples for that; 0: all
    uint32_t threads{1};           //!< that compute gradients; results are the same for all
    std::string out;               //!< directory of the results
    bool transcript{false};        //!< whether to write transcript.csv, too

  protected:
    /** @return all options, in the order in which help and reports show them */
    virtual std::vector<ScenarioOption> List();

    /**
     * @param name of a count, for the message
     * @param value must be from 1 to @p most: the command line turns -1 into the largest
     *        number there is
     * @param most largest sensible value
     */
    static void RequireCount(const char* name, uint32_t value, uint32_t most);

    /**
     * @param name of a number, for the message
     * @param value must be finite and at least 0
     */
    static void RequireAtLeastZero(const char* name, double value);
};

} // namespace ns3::dlearn

#endif // DLEARN_SCENARIO_OPTIONS_H
