/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GAUSSIAN_AUDIT_H
#define DLEARN_GAUSSIAN_AUDIT_H

#include "ns3/dlearn-threat-model.h"
#include "ns3/dlearn-types.h"

#include <Eigen/Dense>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

/**
 * @file
 * What a run of CafCor really revealed about each worker, computed from the events of the run and
 * from nothing that the accounts compute. All that an adversary sees is a linear function of
 * gradients and of Gaussian noise. The loss therefore follows from matrices, with one row for each
 * vector seen and one column for each piece of noise, as the divergence of two normal distributions
 * whose means differ.
 */

namespace ns3::dlearn
{

/**
 * Two data sets of a learner move the mean of what is seen by data * x, where every entry of x
 * (one for each round) is at most the sensitivity in absolute value; what is seen is normal with
 * the covariance given. The result is that of gradients of one dimension, so a lower bound for
 * vectors: an account below it is wrong.
 *
 * @param data v x T: row k is what vector k holds of the gradients of each round
 * @param covariance v x v: of the noise of what is seen; may be singular
 * @param sensitivity largest absolute value of an entry of x
 * @return the largest (data x)^T covariance^-1 (data x) / 2 that was found: exact for at most 16
 *         rounds that are seen, a local maximum over signs for more; infinite when some difference
 *         shows without noise
 */
double GetWorstGaussianRate(const Eigen::MatrixXd& data,
                            const Eigen::MatrixXd& covariance,
                            double sensitivity);

/**
 * @ingroup dlearn
 * What both audits have to know.
 */
struct GaussianAuditSetting
{
    uint32_t workers{1};          //!< n, numbered from 0
    std::set<uint32_t> byzantine; //!< whose messages have no independent noise for the adversary
    std::set<uint32_t> colluding; //!< of these, those that reveal the noise that they share
    NoiseScales noise;            //!< s_cor and s_ind; for ReleaseAudit, s_ind is the server's
    double momentum{0};           //!< beta
    double sensitivity{1};        //!< D, largest distance of two gradients of a round
};

/**
 * @ingroup dlearn
 * The view of a curious server: every message and every correction that left its node, of honest
 * and of Byzantine workers. What a Byzantine worker's message holds besides shared noise is taken
 * to be known.
 */
class MessageAudit
{
  public:
    /** @param setting who and how much */
    explicit MessageAudit(GaussianAuditSetting setting);

    /**
     * Data of a round entered a worker's momentum.
     *
     * @param worker who
     * @param round t
     */
    void Draw(uint32_t worker, uint32_t round) { m_drawn.emplace(worker, round); }

    /**
     * A worker's message left: its momentum after the round, with the noise of all rounds so far.
     *
     * @param worker who
     * @param round t
     */
    void Send(uint32_t worker, uint32_t round);

    /**
     * A correction left: what the worker's message of the round holds of noise that it shares
     * with some others.
     *
     * @param worker who answered
     * @param round t
     * @param lost the others
     */
    void Correct(uint32_t worker, uint32_t round, const std::set<uint32_t>& lost);

    /**
     * @param worker an honest one
     * @return the sum of its rounds' rates, see GetWorstGaussianRate()
     */
    double GetRate(uint32_t worker) const;

  private:
    /** One vector that was seen. */
    struct Seen
    {
        uint32_t worker{0};                       //!< who sent it
        uint32_t round{0};                        //!< of which round
        std::optional<std::set<uint32_t>> lost{}; //!< of a correction
    };

    Eigen::MatrixXd GetCovariance() const;
    double GetCovariance(const Seen& one, const Seen& other, uint32_t round) const;

    /** @return covariance of the shared noise in two vectors */
    double GetSharedCovariance(const Seen& one, const Seen& other) const;

    /** @return whether the adversary does not know the noise that two workers share */
    bool IsUnknown(uint32_t one, uint32_t other) const
    {
        return one != other &&
               m_setting.colluding.count(one) + m_setting.colluding.count(other) == 0;
    }

    GaussianAuditSetting m_setting;                  //!< who and how much
    std::set<std::pair<uint32_t, uint32_t>> m_drawn; //!< worker, round
    std::vector<Seen> m_seen;                        //!< all vectors
};

/**
 * @ingroup dlearn
 * The view of who sees the models of a trusted server (CDP): the mean of some workers' messages,
 * plus noise that went through the same momentum as the gradients.
 */
class ReleaseAudit
{
  public:
    /** @param setting who and how much */
    explicit ReleaseAudit(GaussianAuditSetting setting);

    /** As MessageAudit::Draw(). */
    void Draw(uint32_t worker, uint32_t round) { m_drawn.emplace(worker, round); }

    /**
     * The server released a mean.
     *
     * @param step number of the server's noise, increasing; steps may be left out
     * @param messages workers whose messages are in it, and of which round these are
     */
    void Release(uint32_t step, const std::map<uint32_t, uint32_t>& messages)
    {
        m_means[step] = messages;
    }

    /** As MessageAudit::GetRate(). */
    double GetRate(uint32_t worker) const;

  private:
    GaussianAuditSetting m_setting;                           //!< who and how much
    std::set<std::pair<uint32_t, uint32_t>> m_drawn;          //!< worker, round
    std::map<uint32_t, std::map<uint32_t, uint32_t>> m_means; //!< step -> worker -> round
};

} // namespace ns3::dlearn

#endif // DLEARN_GAUSSIAN_AUDIT_H
