/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PERSONAL_RULES_H
#define DLEARN_PERSONAL_RULES_H

#include "dlearn-client-rule.h"

/**
 * @file
 * Rules of clients with models of their own data, see ClientRule::FindPersonalModel().
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The client of Ditto (Li, Hu, Beirami, Smith, ICML 2021, Algorithm 1). It trains the server's
 * model w as LocalSgd does, and beside it a personal model v_i, which w pulls: on each batch
 *
 *   v_i <- v_i - lambda_t (g_k(v_i) + Lambda (v_i - w)),
 *
 * from its v_i of the last round of the client; first, the initial model. Only w_i - w leaves the
 * client, and v_i changes whether it arrives or not.
 */
class Ditto : public LocalSgd
{
  public:
    static TypeId GetTypeId();

    void SetInitialModel(const ModelVector& model) override;

    /** @return samples of all batches, twice */
    uint64_t GetWork() const override { return 2 * LocalSgd::GetWork(); }

    /** @return v_i */
    const ModelVector* FindPersonalModel() const override { return &m_personal; }

  protected:
    void DoBeginRound() override;
    ModelVector Train(const ModelVector& start, const SampleIndices& samples) override;

    void DoSend() override { m_personal = m_next; }

  private:
    double m_lambda{1};     //!< attribute Lambda
    double m_pull{0};       //!< Lambda of the round
    ModelVector m_personal; //!< v_i
    ModelVector m_next;     //!< v_i at the end of the training
};

/**
 * @ingroup dlearn
 * The client of FedPer (Arivazhagan, Aggarwal, Singh, Choudhary, "Federated learning with
 * personalization layers", 2019). The last entries of its model stay with it: it trains all
 * entries, as LocalSgd, but gets and returns only the others, which the server averages. The rule
 * of the server may be any that has the formats of ServerRule::GetFormat().
 */
class FedPer : public LocalSgd
{
  public:
    static TypeId GetTypeId();

    MessageFormat GetFormat(ModelChannel channel) const override;

    void SetInitialModel(const ModelVector& model) override;

    /** @return all entries, at the end of the last training */
    const ModelVector* FindPersonalModel() const override { return &m_personal; }

  protected:
    void CheckAttributes() const override;

    void DoSend() override { m_personal = GetModel(); }

  private:
    /** @return entries that stay */
    uint32_t CountPersonal() const;

    uint32_t m_entries{0}; //!< attribute PersonalEntries
    ModelVector m_personal;
};

} // namespace ns3::dlearn

#endif // DLEARN_PERSONAL_RULES_H
