/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LOCAL_TRAINING_H
#define DLEARN_LOCAL_TRAINING_H

#include "dlearn-client-rule.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The common part of rules of clients that train a local model w_i, starting from the server's
 * model w, and return the difference w_i - w. A derived rule says how they train.
 *
 * For privacy the difference is clipped to norm ClipNorm (attribute; 0, the default, for none) and
 * gets noise, Clip(w_i - w; C) + noise; see FedAvgPlan for the privacy of that and ClientRelease
 * for the account of it, which knows the threat models LocalDp and CentralDp.
 */
class LocalTraining : public ClientRule
{
  public:
    static TypeId GetTypeId();

    void Setup(Ptr<LocalData> data) final;
    void BeginRound(uint32_t round, const ModelVector& model) final;
    void Compute() final;
    ModelVector Send() final;
    void EndRound(bool transmitted) final;
    Ptr<ClientRelease> GetRelease() const final;
    bool CanContinue() const final;
    std::vector<std::string> GetWarnings() const override;
    Ptr<const PrivacyAccount> GetLedger() const final;
    Ptr<const LocalData> GetData() const final;

    /** @return w_i; the server's model before Compute(), zero before the first round */
    const ModelVector& GetModel() const final;

  protected:
    void DoDispose() override;

    /** @return whether Setup() was called */
    bool IsSetUp() const { return m_data != nullptr; }

    /** @return t, the newest round */
    uint32_t GetRound() const { return m_round; }

    /** @throw std::invalid_argument when an attribute does not fit the data */
    virtual void CheckAttributes() const = 0;

    /**
     * A round begins: note what Train() depends on and could change until then, as attributes
     * could. Does nothing unless overridden.
     */
    virtual void DoBeginRound();

    /**
     * @param start the server's model w
     * @param samples of the round, in the order of use
     * @return w_i
     */
    virtual ModelVector Train(const ModelVector& start, const SampleIndices& samples) const = 0;

    Ptr<LocalData> m_data;  //!< the client's own
    Ptr<const Task> m_task; //!< what it learns

  private:
    double m_clipNorm{0};                                        //!< attribute ClipNorm
    Ptr<ClientRelease> m_release{CreateObject<ClientRelease>()}; //!< attribute Release
    uint32_t m_round{0};                                         //!< t
    ModelVector m_start;                                         //!< the server's model
    ModelVector m_model;                                         //!< the client's
};

} // namespace ns3::dlearn

#endif // DLEARN_LOCAL_TRAINING_H
