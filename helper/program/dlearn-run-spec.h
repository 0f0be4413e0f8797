/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_SPEC_H
#define DLEARN_RUN_SPEC_H

#include "dlearn-program-arguments.h"

#include "ns3/dlearn-tracking-scheme.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Largest valid number in options: results with the square of a larger one may not be finite.
 */
constexpr double LARGEST_SETTING = 1e100;

/**
 * @ingroup dlearn
 * Kinds of runs, by the learners that exchange vectors.
 */
enum class RunKind : uint32_t
{
    PEERS = 1,     //!< peers on an undirected, weighted graph
    DIRECTED = 2,  //!< peers on directed graphs, with the steps of a scheme
    FEDERATION = 4 //!< a server, learner 0, and its clients, learners 1, 2, ...
};

/**
 * @ingroup dlearn
 * The options of a run: plain values, as a user writes them. Presets such as LdpOnlinePreset() have
 * the defaults of the programs; a script changes values and passes the spec to a Run:
 *
 * @code
 *   RunSpec spec = LdpOnlinePreset("my-study");
 *   spec.network = "p2p";
 *   spec.loss = 0.1;
 *   Run run(spec);
 *   const RunResults results = run.Execute(std::cout);
 *   WriteResults(spec.out, results);
 * @endcode
 *
 * GetRunOptions() returns the command-line option and the help of each value. Values without a
 * meaning for a kind of run are ignored, and are not options of its programs. A number without a
 * default here has the default of the attribute that its option sets.
 */
struct RunSpec
{
    /**
     * @param kind kind of run
     * @param program name of the program, for results/PROGRAM
     */
    RunSpec(RunKind kind, const std::string& program);

    /** @throw std::invalid_argument naming the first invalid value */
    void Validate() const;

    /** @return whether each round has fresh data of a linear-gaussian problem */
    bool IsLinearGaussian() const { return data == "linear-gaussian"; }

    /** @return DIRECTED: whether the algorithm is gradient tracking, with or without noise */
    bool IsTracking() const;

    /** @return DIRECTED: whether the algorithm mixes with the weights of the graph */
    bool HasAlpha() const;

    /** @return DIRECTED: whether it is gradient tracking without noise */
    bool IsNoiseless() const;

    /** @return peers: their rule, as a factory */
    ObjectFactory GetPeerRule() const;

    /** @return DIRECTED: factor of all noise, 0 for gt */
    double GetNoise() const;

    /** @return DIRECTED: the options of the scheme */
    TrackingChoice GetTrackingChoice() const;

    /** @return DIRECTED: the parameters of the scheme for the rounds 0 to K = rounds - 1 */
    TrackingPlan GetTrackingPlan() const;

    /** @return peers: least time of an asynchronous round; unset for synchronous rounds */
    std::optional<Time> GetPeriod() const;

    /** @return whether energy is measured */
    bool MeasuresEnergy() const { return energy || !battery.empty(); }

    /** @return FEDERATION: whether clients are CafCor's workers */
    bool IsCafCor() const { return algorithm == "cafcor"; }

    /**
     * @return the aggregator in use: in a federation, none if the server's rule has no aggregator,
     *         and Average if it has one but the option is none
     */
    std::string GetAggregator() const;

    /** @return FEDERATION: whether edge servers are between server and clients */
    bool HasEdges() const { return !tiers.empty() || !aggregateAt.empty(); }

    /** @return FEDERATION: whether clients train by gradient steps, with the rule LocalSgd */
    bool TakesSteps() const;

    /** @return FEDERATION: whether privacy protects each sample, whose gradients are clipped */
    bool ProtectsSamples() const { return privacyUnit == "sample" || privacyUnit == "example"; }

    /** @return FEDERATION: sharedNoise, or by default the fastest kind that noiseRecovery allows */
    std::string GetSharedNoise() const
    {
        return !sharedNoise.empty() ? sharedNoise : noiseRecovery ? "pairwise" : "joint";
    }

    /**
     * Read a value that some runs do not use, and mark its option as used, see UsedOptions.
     *
     * @tparam Value type of the member
     * @param member a member of this
     * @return the member
     */
    template <typename Value>
    const Value& Take(const Value& member) const
    {
        taken.insert(&member);
        return member;
    }

    RunKind kind;
    std::string program; //!< name of the program

    Invocation invocation; //!< the command line of the values, if any

    // Learning
    std::string preset;                  //!< FEDERATION: of RunProgram, see GetPreset()
    std::string algorithm{"ldp-online"}; //!< rule of the peers; or see GetFederatedAlgorithms()
    std::string serverRule;              //!< FEDERATION: a type; empty: the algorithm's
    std::string clientRule;              //!< FEDERATION: a type; empty: the algorithm's
    std::string serverOptimizer;         //!< FEDERATION: a type; empty: the rule's
    std::string clientOptimizer;         //!< FEDERATION: a type; empty: the rule's
    std::string tiers;                   //!< FEDERATION: see ParseTiers(); empty: one tier
    std::string edgeGraph;               //!< FEDERATION: of tiers: see GraphByName(); empty: none
    std::string aggregateAt;             //!< FEDERATION: see PlaceEdges(); empty: nowhere
    std::string edgeRule;                //!< FEDERATION: a type, of edge servers; empty: FedAvg
    std::string serverSchedule;          //!< FEDERATION: a type, above edges; empty: waits for all
    uint32_t edgePeriod{};               //!< FEDERATION: rounds of edge servers in a round
    uint32_t learners{5};                //!< that train; 0: the number in the file of the graph
    uint32_t rounds{};                   //!< rounds of every peer, or of the server
    std::optional<double> stepSize;      //!< of the gradient steps; unset: by data
    std::string localSteps;              //!< FEDERATION: K or inf; empty: see batchSize
    uint32_t epochs{1};                  //!< FEDERATION: passes over a round's samples
    std::optional<uint32_t> batchSize;   //!< samples of a gradient step; unset: by data
    double proximal{};                   //!< FEDERATION: FedProx's mu
    std::string reports;                 //!< FEDERATION: figures that ride with updates
    double serverRate{};                 //!< FEDERATION: the server's step along the update
    double momentum{};                   //!< FEDERATION: of the server; cafcor: of the workers
    double mixing{};                     //!< FEDERATION: FedAsync's share of a fresh model
    std::string aggregator{"none"};      //!< none: the weighted mean
    std::string preAggregator;           //!< several joined by +; empty: none
    std::string initialModel;            //!< file of NumPy; empty: that of the task
    std::string learner;                 //!< command of an ExternalTask; empty: see task
    std::string evaluator;               //!< command of an ExternalEvaluator; empty: none
    std::string planner;                 //!< command of an ExternalSchedule; empty: none
    uint32_t learnerProcesses{};         //!< processes of the learner
    std::string learnerTimeout;          //!< longest wait for them, in real time
    double initStd{0};                   //!< peers: of the noise in initial models
    std::string scheme{"s1"};            //!< DIRECTED: s1, s2 or free
    double alpha{0};                     //!< DIRECTED: coupling of states; 0: the scheme's
    double beta{0};                      //!< DIRECTED: coupling of trackers; 0: the scheme's
    double gamma{0};                     //!< DIRECTED: step; 0: the scheme's
    std::string compensation{"none"};    //!< DIRECTED: of lost trackers: none, running-sum

    // Data
    std::string data{"generated"};   //!< see GetDataNames(), or linear-gaussian
    std::string dataDir;             //!< directory of the data sets
    std::string task{"auto"};        //!< see CreateTask()
    std::string partition{"iid"};    //!< see GetPartitionNames()
    double featureNoise{0};          //!< of the training samples, see AddFeatureNoise()
    double featureRotation{0};       //!< of the training images, see RotateImages()
    std::string dataDrift;           //!< a DataDrift; empty: none
    uint32_t dataSeed{0};            //!< of data, split and partition; 0: RngSeed and RngRun
    std::optional<uint32_t> samples; //!< of a learner in a round; unset: by data
    uint32_t dataSamples{0};         //!< of generated and glyphs; 0: their defaults
    uint32_t features{0};            //!< of a LIBSVM file; 0: the largest index in it
    std::string label;               //!< of CSV files: column of the labels; empty: the last
    uint32_t users{0};               //!< of LEAF files: the first so many; 0: all
    std::string testData;            //!< file with samples for the evaluation
    double testFraction{0.2};        //!< share for the evaluation
    double clientTest{0};            //!< FEDERATION: share of each client's samples, for it
    bool unitNorm{true};             //!< scale features to norms of at most 1
    bool normalize{false};           //!< images: mean 0, variance 1 in each channel
    bool mirror{false};              //!< images: also learn from mirror images
    double regularization{0.05};     //!< l2 strength r
    uint32_t dimension{200};         //!< linear-gaussian: p
    std::string noiseStd{"0.7"};     //!< linear-gaussian: sigma, or one per client
    double heterogeneity{0.5};       //!< linear-gaussian: norm of every gamma_i
    double initialError{1};          //!< linear-gaussian: ||w* - w_0||^2
    uint32_t sparsity{5};            //!< linear-gaussian: non-zero entries of w*; 0 for all
    double drift{0};                 //!< linear-gaussian: step of w* per round

    // Network
    std::string network{"ideal"};          //!< see CreateNetwork()
    std::string transport{"udp"};          //!< udp, broadcast or tcp
    std::string reliable{"none"};          //!< broadcast: see UdpBroadcastTransport
    std::string graph{"ring"};             //!< PEERS: see GraphByName()
    std::string edgeWeight{"0.3"};         //!< PEERS: see WeightsByName()
    std::string stateGraph{"exponential"}; //!< DIRECTED: see MakeTrackingGraphs()
    std::string trackerGraph{"same"};      //!< DIRECTED: as stateGraph; same: the state graph
    std::string powers{"23"};              //!< DIRECTED: of radios, see DrawPowers()
    std::string wifi;                      //!< preset of WifiNetwork; empty: its own
    std::string wifiStandard;              //!< see WifiNetwork; empty: the preset's
    std::string wifiWidth;                 //!< of the channel, in MHz; empty: the preset's
    std::string rateManager;               //!< of GetRateManagerFamily(); empty: the preset's
    std::string pathLoss{"log-distance"};  //!< of Wi-Fi, see GetPathLossFamily()
    std::string fading{"none"};            //!< of Wi-Fi, see GetPathLossFamily()
    std::string routing{"none"};           //!< of wifi-adhoc, see RadioRouting
    double loss{0};                        //!< packet error rate
    std::string delay{"1ms"};              //!< of a wired link
    std::string rate{"100Mbps"};           //!< of a wired link
    std::string trunkRate{"1Gbps"};        //!< between routers
    std::string tcpStack{"host"};          //!< host, or ns3 for that of ns-3
    std::string tcp;                       //!< congestion control; empty: ns-3's default
    std::string queueDisc;                 //!< of interfaces, see LinkQueues
    std::string queueSize;                 //!< see LinkQueues; empty: that of ns-3
    uint32_t mtu{0};                       //!< largest IP packet; 0: the network's default
    uint32_t accessPoints{1};              //!< of wifi-infra
    uint32_t baseStations{1};              //!< of lte
    std::string crossTraffic;              //!< see CrossTraffic
    bool mpi{false};                       //!< whether several ranks simulate the run, see Ranks
    std::string partitionOfRanks{"auto"};  //!< see DivideAmongRanks(), or a file of ReadRanks()
    double side{60};                       //!< radio: side of the square in metres
    std::string mobility{"none"};          //!< radio: see LearnerMobility
    uint32_t floatBits{};                  //!< bits of a number on the wire
    std::string compress{"none"};          //!< see Compress(); FEDERATION: of the updates
    std::string compressModel{"none"};     //!< FEDERATION: of the server's model
    std::string uplink{"packets"};         //!< FEDERATION: how updates travel: packets or air
    double airBandwidth{};                 //!< FEDERATION: of the slots, in Hz
    double airPower{};                     //!< FEDERATION: of a client, in dBm
    double airClip{};                      //!< FEDERATION: norm of a weighted update
    double airProjection{};                //!< FEDERATION: symbols an entry
    std::string airControl{"channel-inversion"}; //!< FEDERATION: a PowerControl
    std::string devices;                         //!< CSV of unequal devices
    std::string clientRate;                      //!< of clients or peers: distribution
    std::string clientDelay;                     //!< of clients or peers: distribution
    std::string clientLoss;                      //!< of clients or peers: distribution
    std::string clientFlops;                     //!< of clients or peers: distribution

    // Energy
    bool energy{false};             //!< whether to measure energy also without batteries
    std::string battery;            //!< joules: a value or a distribution; empty: none
    std::string harvest;            //!< see Battery; empty: the attribute's
    std::string joulesPerOperation; //!< of computing; empty: the attribute's
    std::string txJoulesPerBit;     //!< of devices without energy model; empty: the attribute's
    std::string rxJoulesPerBit;     //!< the same for received bits
    std::string radioEfficiency;    //!< of amplifiers; empty: by uplinkPower

    // Timing
    std::string deadline;            //!< longest time of a round; empty: none
    double quorum{1};                //!< share of the messages that closes a round
    std::string responseTimeout;     //!< longest wait; empty: the attribute's
    std::string timeFrom{"ready"};   //!< time 0: ready (when all learners are), or start
    std::string onMissing{"skip"};   //!< peers: skip, last or wait
    std::string synchrony{"rounds"}; //!< peers: rounds, async or async:PERIOD
    std::string mode{"sync"};        //!< FEDERATION: sync, async or buffered
    std::string sampling;            //!< FEDERATION: who takes part; empty: by samplePlan
    double overSelection{};          //!< FEDERATION: times the clients of a round
    uint32_t minUpdates{};           //!< FEDERATION: fewest of a round
    std::string uplinkAllocation;    //!< FEDERATION: shares of the band; empty: none
    std::string uplinkPower;         //!< FEDERATION: powers of clients; empty: all they have
    double sampleFraction{};         //!< FEDERATION: share of the clients in a round
    uint32_t sampleCount{};          //!< FEDERATION: number of them; 0: by the share
    std::string samplePlan;          //!< FEDERATION: see ScheduledSampling
    uint32_t bufferSize{10};         //!< FEDERATION: updates that make a model
    uint32_t concurrency{};          //!< FEDERATION: clients at work; 0 for all
    std::string staleness{"auto"};   //!< FEDERATION: weight of updates of old models

    // Privacy
    std::string threatModel{"none"};  //!< FEDERATION: see ParseThreatModel(); or none
    std::string view{"transcript"};   //!< FEDERATION: see ParseThreatModel()
    double targetEpsilon{27.8};       //!< FEDERATION: determines the noise
    double noiseMultiplier{0};        //!< FEDERATION: noise of fedavg; 0: by the target
    bool secretSampling{false};       //!< FEDERATION: see FedAvgPlan
    double adaptiveClip{};            //!< FEDERATION: quantile of the norms of updates; 0: none
    std::string adjacency{"replace"}; //!< FEDERATION: see ParseAdjacency()
    double clip;                      //!< FEDERATION: C, of what a client releases; peers: of
                                      //!< the gradient of a sample, 0: the task's attribute
    std::string sharedNoise{};        //!< FEDERATION: joint or pairwise; see GetSharedNoise()
    bool noiseRecovery{false};        //!< FEDERATION: whether to remove noise of lost workers
    std::string mechanism;            //!< peers: noise; empty: the algorithm's
    std::string privacyUnit;          //!< unit of privacy; empty: the algorithm's
    double noise{1};                  //!< peers: multiplies the noise
    double noiseExponent{0.1};        //!< PEERS: growth of the noise: learner i = 1, 2, ... has
    double noiseExponentStep{0.01};   //!< (t+1)^(noiseExponent + noiseExponentStep i)
    std::string stateNoiseExponent;   //!< DIRECTED: p_zeta; empty: the scheme's
    std::string trackerNoiseExponent; //!< DIRECTED: p_eta; empty: the scheme's
    double smoothness{};              //!< DIRECTED: L of the account; negative: the task's
    double delta{0};                  //!< of epsilon; 0: the attribute of PrivacyAccount
    double budget{0};                 //!< largest epsilon of a learner; 0: the attribute

    // Attacks
    uint32_t byzantine{0};            //!< f: learners that may be Byzantine, the last ones
    std::string attack{"none"};       //!< see LearnerAttack
    std::string attackers{"fixed"};   //!< FEDERATION: fixed or drawn in each round
    bool omniscient{true};            //!< whether attackers see all honest vectors
    std::string byzantineData{"own"}; //!< FEDERATION: data of Byzantine clients
    bool missingAreByzantine{false};  //!< whether a missing message is one of the f

    // Faults
    std::string churn;  //!< see ChurnSchedule
    std::string links;  //!< see LinkSchedule
    std::string faults; //!< file of a FaultSchedule; empty: none

    // Output
    uint32_t runs{1};               //!< independent runs
    uint32_t evaluateEvery{1};      //!< interval between evaluated rounds
    uint32_t evaluationSamples{0};  //!< samples for the evaluation; 0: all
    uint32_t threads{1};            //!< for gradients; results do not depend on it
    std::string out;                //!< directory of the results
    bool transcript{false};         //!< whether to write transcript.csv
    std::string keepModel{"final"}; //!< final, best, every:N or none
    bool keepPersonal{false};       //!< whether to write personal.npy
    std::string netanim;            //!< file of a NetworkAnimation; empty: none
    std::string unused{"error"};    //!< reaction to an unused option: error or warn

    mutable std::set<const void*> taken; //!< members that are in use, see Take()
};

/// The option data of learners that have their own.
constexpr const char* LEARNER_DATA = "learner";

/**
 * @ingroup dlearn
 * Locally private online learning among peers: the mushrooms setup of Chen and Wang (a ring of five
 * learners with weight 0.3, and labels split between them) on generated data.
 *
 * @param program name of the program
 * @return options of the run
 */
RunSpec LdpOnlinePreset(const std::string& program);

/**
 * @ingroup dlearn
 * Private gradient tracking on a directed graph (Chen, Wang and Zhang). Messages have 64-bit
 * numbers, because rounding would change the sum of the trackers; features are not scaled, because
 * the step sizes of the literature are for unscaled data.
 *
 * @param program name of the program
 * @return options of the run
 */
RunSpec GradientTrackingPreset(const std::string& program);

/**
 * @ingroup dlearn
 * FedAvg on the linear-gaussian problem, whose expected error is known.
 *
 * @param program name of the program
 * @return options of the run
 */
RunSpec FedAvgPreset(const std::string& program);

/**
 * @ingroup dlearn
 * CafCor (Allouah, Guerraoui et al.): workers with correlated noise, some of them Byzantine, and a
 * server with robust aggregation.
 *
 * @param program name of the program
 * @return options of the run
 */
RunSpec CafCorPreset(const std::string& program);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_SPEC_H
