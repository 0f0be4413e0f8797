/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_THREAT_MODEL_H
#define DLEARN_THREAT_MODEL_H

#include "ns3/object.h"
#include "ns3/ptr.h"

#include <cstdint>

/**
 * @file
 * The adversaries of the workers of CafCor, and the privacy loss of a worker in one round.
 *
 * CafCor (paper: "Towards Trustworthy Federated Learning with Untrusted Participants", section 4.1
 * and appendix A): worker i sends its clipped gradient plus independent noise of standard deviation
 * s_ind plus sum_j v_ij, where v_ij = -v_ji has standard deviation s_cor and is known only to i and
 * j.
 *
 * The paper's definition 2.2 lets the server see the transcript, all messages; the proof of its
 * lemma A.4 lets it see those of honest workers only. These differ when a worker that counts as
 * Byzantine publishes noise that it shares, as the protocol does: the sum of all messages has no
 * shared noise. TranscriptRate() holds for the definition, LemmaRate() is the lemma as printed.
 */

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  The numbers of workers. */
struct WorkerCounts
{
    uint32_t workers{1};   //!< n, Byzantine ones included
    uint32_t byzantine{0}; //!< f, largest number of Byzantine ones; 2 f < n
};

/** @ingroup dlearn
 *  Standard deviations, per entry, of a worker's noise. */
struct NoiseScales
{
    double correlated{0};  //!< s_cor, of the noise shared by each pair of workers
    double independent{0}; //!< s_ind, of the noise that only the worker knows
};

/**
 * Rate of one round when the server sees every message, q Byzantine workers reveal their secrets to
 * it and the other f - q publish any of the messages made by the protocol (for a general
 * sensitivity D instead of 2C, h = n - f):
 *
 *   e = D^2/2 ((1 - 1/h) / ((n-q) s_cor^2 + s_ind^2) + 1 / (h s_ind^2)).
 *
 * Given what the others published, the noise of the h honest messages has variance
 * (n-q) s_cor^2 + s_ind^2 on vectors that add up to 0, and only s_ind^2 along their sum. With
 * q = f it is LemmaRate().
 *
 * @param counts n and f
 * @param colluding q, at most f
 * @param sensitivity D, largest distance of messages of two data sets of a worker
 * @param noise s_cor and s_ind
 * @return e; infinity without independent noise
 * @throw std::invalid_argument when an argument is out of its range
 */
double TranscriptRate(const WorkerCounts& counts,
                      uint32_t colluding,
                      double sensitivity,
                      const NoiseScales& noise);

/**
 * Rate of one round by lemma A.4, for a server that sees the messages of honest workers only:
 *
 *   e = D^2/2 / ((n-q) s_cor^2 + s_ind^2) * (1 + s_cor^2 / ((f-q) s_cor^2 + s_ind^2)).
 *
 * It is D^2/2 times a diagonal entry of the inverse covariance of the noise of the n-f honest
 * workers, and holds if the messages of the f - q others do not depend on the noise they share.
 *
 * @param counts n and f
 * @param colluding q, at most f
 * @param sensitivity D, as of TranscriptRate()
 * @param noise s_cor and s_ind
 * @return e; infinity without noise, or for q = f without independent noise
 * @throw std::invalid_argument when an argument is out of its range
 */
double LemmaRate(const WorkerCounts& counts,
                 uint32_t colluding,
                 double sensitivity,
                 const NoiseScales& noise);

/** @ingroup dlearn
 *  The adversary: who observes which messages. */
class ThreatModel : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param counts n and f
     * @param sensitivity largest distance of messages of two data sets of a worker
     * @param noise of each worker
     * @return e: the round is (a, a e)-RDP for every worker at every order a; may be infinite
     * @throw std::invalid_argument when an argument is out of its range
     */
    virtual double GetRate(const WorkerCounts& counts,
                           double sensitivity,
                           const NoiseScales& noise) const = 0;

    /**
     * The rate of a worker that was never named a dropout, after the other such workers have
     * revealed to the server the noise that they share with the dropouts: the worst case over which
     * of the dropouts are Byzantine.
     *
     * @param counts n and f
     * @param lost number of dropouts
     * @param sensitivity as of GetRate()
     * @param noise as of GetRate()
     * @return e of the round, at least GetRate()
     * @throw std::invalid_argument as GetRate(), or when more are lost than there are
     */
    double GetRecoveredRate(const WorkerCounts& counts,
                            uint32_t lost,
                            double sensitivity,
                            const NoiseScales& noise) const;

    /**
     * @param counts n and f
     * @return the noise of a plan, up to a common factor; independent unless overridden
     */
    virtual NoiseScales GetShape(const WorkerCounts& /* counts */) const { return {0, 1}; }

    /** @return whether the adversary sees the server's models only; false unless overridden */
    virtual bool TrustsServer() const { return false; }

    /** @return whether one noise on the sum of messages protects all; TrustsServer() unless
     *          overridden */
    virtual bool CountsOnSum() const { return TrustsServer(); }

    /** @return the same adversary with the whole transcript; this one unless overridden */
    virtual Ptr<const ThreatModel> GetTranscriptModel() const { return this; }

  private:
    /** As GetRecoveredRate(), if that is more than GetRate(); 0 unless overridden. */
    virtual double DoGetRecoveredRate(const WorkerCounts& /* counts */,
                                      uint32_t /* lost */,
                                      double /* sensitivity */,
                                      const NoiseScales& /* noise */) const
    {
        return 0;
    }
};

/**
 * @ingroup dlearn
 * CDP: the server is trusted and adds noise of standard deviation s_ind to the average of n clipped
 * gradients, whose sensitivity is D/n. Correlated noise is not used. With a robust aggregate in
 * place of the average the sensitivity is not bounded by D/n; using D/n is the paper's convention,
 * not a theorem.
 */
class CentralDp : public ThreatModel
{
  public:
    static TypeId GetTypeId();

    double GetRate(const WorkerCounts& counts,
                   double sensitivity,
                   const NoiseScales& noise) const override;

    bool TrustsServer() const override { return true; }

  private:
    double DoGetRecoveredRate(const WorkerCounts& counts,
                              uint32_t lost,
                              double sensitivity,
                              const NoiseScales& noise) const override;
};

/**
 * @ingroup dlearn
 * LDP: no secrets are shared, or the server knows them all. Correlated noise does not count;
 * e = D^2 / (2 s_ind^2).
 */
class LocalDp : public ThreatModel
{
  public:
    static TypeId GetTypeId();

    double GetRate(const WorkerCounts& counts,
                   double sensitivity,
                   const NoiseScales& noise) const override;
};

/**
 * @ingroup dlearn
 * Updates add up on the air (MultipleAccessChannel), and the curious server has only what its
 * receiver hears of the sum; who sends and the channels are public. With ReceiverNoise the noise of
 * the receiver protects clients: this trusts that its noise figure is true, and that the server has
 * no better antenna, second one or better place. Else only the noise that all clients add
 * protects: this trusts all of them. e = D^2 / (2 s_ind^2), where s_ind is the noise of a slot on
 * an update of weight 1.
 */
class AirDp : public LocalDp
{
  public:
    static TypeId GetTypeId();

    bool CountsOnSum() const override { return true; }

    bool HasReceiverNoise() const { return m_receiverNoise; }

  private:
    bool m_receiverNoise{true}; //!< attribute ReceiverNoise
};

/**
 * @ingroup dlearn
 * The server is curious, sees every message, and some of the Byzantine workers reveal their secrets
 * to it: TranscriptRate().
 */
class TranscriptModel : public ThreatModel
{
  public:
    double GetRate(const WorkerCounts& counts,
                   double sensitivity,
                   const NoiseScales& noise) const override;

    /**
     * @param counts n and f
     * @return the noise with the least variance, (f s_cor^2 + s_ind^2) / h, in the mean of the h
     *         honest messages if the others are missing, of all noise with the same epsilon.
     *         Without Byzantine workers one message is missing
     */
    NoiseScales GetShape(const WorkerCounts& counts) const override;

  private:
    double DoGetRecoveredRate(const WorkerCounts& counts,
                              uint32_t lost,
                              double sensitivity,
                              const NoiseScales& noise) const override;

    /** @return q */
    virtual uint32_t GetColluding(const WorkerCounts& counts) const = 0;
};

/**
 * @ingroup dlearn
 * SecLDP: q = Colluding Byzantine workers reveal their secrets; 0, the default, is SecLDP of the
 * paper's experiments.
 */
class SecretLocalDp : public TranscriptModel
{
  public:
    static TypeId GetTypeId();

  private:
    uint32_t GetColluding(const WorkerCounts& counts) const override;

    uint32_t m_colluding{0}; //!< attribute Colluding
};

/** @ingroup dlearn
 *  ByzLDP: all Byzantine workers reveal their secrets. */
class ByzantineLocalDp : public TranscriptModel
{
  public:
    static TypeId GetTypeId();

  private:
    uint32_t GetColluding(const WorkerCounts& counts) const override { return counts.byzantine; }
};

/**
 * @ingroup dlearn
 * SecLDP and ByzLDP as the paper computes them, for its figures: LemmaRate(), and the paper's
 * noise. The server sees no message of a Byzantine worker. If such a worker follows the
 * protocol, this account is too small, and that of GetTranscriptModel() holds.
 */
class LemmaLocalDp : public ThreatModel
{
  public:
    static TypeId GetTypeId();

    double GetRate(const WorkerCounts& counts,
                   double sensitivity,
                   const NoiseScales& noise) const override;

    /**
     * @param counts n and f
     * @return no independent noise while a Byzantine worker keeps its secrets (the paper's
     *         remark on theorem 4.1), else s_cor = s_ind (its corollary 4.1)
     */
    NoiseScales GetShape(const WorkerCounts& counts) const override;

    /** @return SecretLocalDp with the same number of colluding workers */
    Ptr<const ThreatModel> GetTranscriptModel() const override;

  private:
    double DoGetRecoveredRate(const WorkerCounts& counts,
                              uint32_t lost,
                              double sensitivity,
                              const NoiseScales& noise) const override;

    uint32_t m_colluding{0}; //!< attribute Colluding
};

/**
 * @ingroup dlearn
 * The properties of a planned run (CafCorPlan, FedAvgPlan) that the privacy account of a client
 * needs: the adversary, the sensitivity of a message, and its noise.
 */
struct ReleaseTerms
{
    Ptr<const ThreatModel> model; //!< the adversary
    WorkerCounts counts;          //!< n and f
    double clip{0};               //!< C, norm to which the client, or its task, clips
    bool perSample{false};        //!< whether the gradient of each sample is clipped
    double sensitivity{0};        //!< D, largest distance of messages of two data sets
    NoiseScales noise;            //!< of a client, or of a trusted server (independent)
    double planned{0};            //!< rate e of a round as planned
    double secretShare{0};        //!< weight of the client's update in a model of a trusted server
                                  //!< if the client takes part, which is secret; 0: no secret

    /** @return rate of a worker that was never named a dropout, after others were */
    double GetRecoveredRate(uint32_t dropped) const
    {
        return model->GetRecoveredRate(counts, dropped, sensitivity, noise);
    }

    /** @return rate of a worker that was named a dropout: only independent noise protects it */
    double GetExposedRate() const;
};

} // namespace ns3::dlearn

#endif // DLEARN_THREAT_MODEL_H
