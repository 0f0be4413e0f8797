/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SCENARIO_OPTIONS_H
#define DLEARN_SCENARIO_OPTIONS_H

#include "dlearn-program-arguments.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * The options that all programs for peers share, as a user writes them. A program changes
 * defaults before AddTo(); AddTo() binds them to the command line; Scenario reads them.
 */
struct ScenarioOptions
{
    /** @param program name of the program, for results/PROGRAM */
    explicit ScenarioOptions(std::string program);

    /** @param arguments gets all options, with their defaults as they are now */
    void AddTo(ProgramArguments& arguments);

    /** @return names and values of all options, for summary.json and the report */
    std::vector<std::pair<std::string, std::string>> GetParameters() const;

    /** @throw std::invalid_argument naming the first number out of its range */
    void Validate() const;

    std::string program; //!< name of the program

    std::string algorithm{"ldp-online"}; //!< ldp-online, dsgd, dola or pdop
    std::string task{"auto"};            //!< auto, logistic, softmax or least-squares
    std::string data{"generated"};       //!< generated, mushrooms or a LIBSVM file
    std::string dataDir;                 //!< where data sets lie
    std::string partition{"label"};      //!< iid, label, sorted or dirichlet:ALPHA
    double testFraction{0.2};            //!< kept back for scoring
    bool unitNorm{true};                 //!< scale features to norms of at most 1

    uint32_t learners{5};         //!< number of learners; 0 as many as a GraphML file has
    std::string graph{"ring"};    //!< see GraphByName()
    std::string weight{"0.3"};    //!< see WeightsByName()
    std::string network{"ideal"}; //!< see CreateNetwork()
    std::string transport{"udp"}; //!< udp, broadcast or tcp
    double loss{0};               //!< packet error rate
    std::string delay{"1ms"};     //!< of a wired link
    std::string rate{"100Mbps"};  //!< of a wired link
    double side{60};              //!< radio: side of the square in metres
    bool mobility{false};         //!< radio: random waypoint
    uint32_t floatBits{32};       //!< bits of a number on the wire

    uint32_t rounds{2000};          //!< rounds of every learner
    uint32_t batch{20};             //!< new samples a round
    double regularization{0.05};    //!< l2 strength r
    double initial{0};              //!< standard deviation of the entries of initial models
    double noise{1};                //!< multiplies the base noise
    double noiseExponent{0.1};      //!< growth of the noise: learner i = 1, 2, ... has
    double noiseExponentStep{0.01}; //!< (t+1)^(noiseExponent + noiseExponentStep i)
    std::string deadline;           //!< longest time of a round; empty for none
    double quorum{1};               //!< share of the messages that closes a round
    std::string missing{"skip"};    //!< skip, last or wait
    std::string churn;              //!< see ChurnSchedule
    uint32_t evaluateEvery{20};     //!< which rounds are evaluated
    std::string out;                //!< directory of the results

  private:
    template <typename Visitor>
    void Visit(Visitor&& visit);
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_SCENARIO_OPTIONS_H
