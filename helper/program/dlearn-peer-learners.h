/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_LEARNERS_H
#define DLEARN_PEER_LEARNERS_H

#include "dlearn-run-learners.h"

#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/dlearn-sample-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The learners of a run of peers on an undirected, weighted graph.
 */
class PeerLearners : public RunLearners
{
  public:
    /** @param spec what to run, of kind PEERS */
    explicit PeerLearners(const RunSpec& spec);

    /** @return the learners, to set or trace more before a run */
    const std::vector<Ptr<PeerApplication>>& GetPeers() const { return m_peers; }

    /** @return the learners' samples */
    const std::vector<Ptr<SampleStream>>& GetStreams() const { return m_streams; }

    NetworkSetup GetNetworkSetup() const override;
    void Install(Network& network) override;
    std::vector<Ptr<LearnerApplication>> GetApplications() const override;

    std::set<LearnerId> GetColluders() const override
    {
        return m_attack.GetMembers(m_graph.GetSize(), 0, m_spec.byzantine);
    }

    std::unique_ptr<ModelEvaluator> CreateEvaluator() const override;
    void Describe(std::ostream& title) const override;
    void Complete(RunResults& results) const override;

  protected:
    /** For derived classes, which make their own graphs and then LoadTasks(). */
    struct NoGraph
    {
    };

    /** @param spec what to run */
    PeerLearners(const RunSpec& spec, NoGraph);

    /** @param batch samples that each learner gets in a round */
    void LoadTasks(uint32_t batch);

    /** @return which learner sends its state to which; GetGraph() unless overridden */
    virtual Graph GetStateGraph() const { return m_graph; }

    /** @return the graph of the trackers; without edges unless overridden */
    virtual Graph GetTrackerGraph() const;

    /**
     * Give a rule its steps and noise.
     *
     * @param rule of a learner
     * @param id the learner
     */
    virtual void ConfigureRule(UpdateRule& rule, LearnerId id) const;

    /**
     * Give a rule noise and unit of the options.
     *
     * @param rule with an attribute PrivacyUnit, and NoiseMechanism or StateNoise and TrackerNoise
     */
    void ConfigurePrivacy(UpdateRule& rule) const;

    /** @param account gets delta and budget, if they were given */
    void ConfigureAccount(PrivacyAccount& account) const;

    /** The options of privacy accounts are in use, if a learner keeps one. */
    void TakeAccount() const;

    /**
     * @param noise that a rule adds, which gets the option noise
     * @return whether its scale grows by a power that can be set
     */
    bool ConfigureScale(NoiseMechanism& noise) const;

    std::vector<SampleIndices> m_shards; //!< one a learner, in the training data of all

  private:
    mutable bool m_hasDelta{false}; //!< whether accounts need a delta

    Ptr<Task> MakeTask(const LoadedData& loaded) const;

    void CreatePeers(Network& network);

    void ConfigureMixing(PeerApplication& learner, LearnerId id) const;

    /** Make the last learners attackers, if an option says so. */
    void InstallAttack();

    /** @return what each learner begins with */
    std::vector<ModelVector> DrawInitialModels() const;

    /** @return the samples of the honest learners */
    std::vector<Ptr<SampleStream>> GetHonestStreams() const;

    LearnerAttack m_attack;                    //!< what the Byzantine learners do
    std::vector<Ptr<const Task>> m_tasks;      //!< one a learner
    std::vector<Ptr<SampleStream>> m_streams;  //!< one a learner
    std::vector<Ptr<PeerApplication>> m_peers; //!< in the order of the graph
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_LEARNERS_H
