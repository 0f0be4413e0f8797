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
    /** @param spec options of the run, of kind PEERS */
    explicit PeerLearners(const RunSpec& spec);

    /** @return the learners, for example to set attributes or connect traces before a run */
    const std::vector<Ptr<PeerApplication>>& GetPeers() const { return m_peers; }

    const std::vector<Ptr<SampleStream>>& GetStreams() const { return m_streams; }

    NetworkSetup GetNetworkSetup() const override;
    void Install(Network& network) override;
    std::vector<Ptr<LearnerApplication>> GetApplications() const override;

    std::set<LearnerId> GetColluders() const override
    {
        return m_attack.GetMembers(m_graph.GetSize(), 0, m_spec.byzantine);
    }

    void Describe(std::ostream& title) const override;
    void Complete(RunResults& results) const override;

  protected:
    std::unique_ptr<ModelEvaluator> DoCreateEvaluator() const override;

    /** For derived classes, which create their graphs and then call LoadTasks(). */
    struct NoGraph
    {
    };

    PeerLearners(const RunSpec& spec, NoGraph);

    /** @param batch number of samples of a learner in a round */
    void LoadTasks(uint32_t batch);

    /** @return the graph of the states; GetGraph() unless overridden */
    virtual Graph GetStateGraph() const { return m_graph; }

    /** @return the graph of the trackers; without edges unless overridden */
    virtual Graph GetTrackerGraph() const;

    /**
     * Set the step sizes and the noise of a rule.
     *
     * @param rule rule of the learner
     * @param id the learner
     */
    virtual void ConfigureRule(UpdateRule& rule, LearnerId id) const;

    /**
     * Set the noise and the privacy unit of a rule from the options.
     *
     * @param rule a rule with an attribute PrivacyUnit, and NoiseMechanism or StateNoise and
     *        TrackerNoise
     */
    void ConfigurePrivacy(UpdateRule& rule) const;

    /** Set delta and budget of an account from the options, if given. */
    void ConfigureAccount(PrivacyAccount& account) const;

    /** Mark the options of privacy accounts as used, if a learner has an account. */
    void TakeAccount() const;

    /**
     * @param noise mechanism of a rule, which gets the option noise
     * @return whether its scale grows with a settable power of the round
     */
    bool ConfigureScale(NoiseMechanism& noise) const;

    std::vector<SampleIndices> m_shards; //!< one per learner, in the training data of all

  private:
    mutable bool m_hasDelta{false}; //!< whether accounts need a delta

    Ptr<Task> MakeTask(const LoadedData& loaded) const;

    void CreatePeers(Network& network);

    void ConfigureMixing(PeerApplication& learner, LearnerId id) const;

    /** Make the last learners attackers, if the options ask for it. */
    void InstallAttack();

    std::vector<ModelVector> DrawInitialModels() const;

    /** @return the samples of the honest learners */
    std::vector<Ptr<SampleStream>> GetHonestStreams() const;

    std::vector<Ptr<const Task>> m_tasks;      //!< one per learner
    std::vector<Ptr<SampleStream>> m_streams;  //!< one per learner
    std::vector<Ptr<PeerApplication>> m_peers; //!< in the order of the graph
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_LEARNERS_H
