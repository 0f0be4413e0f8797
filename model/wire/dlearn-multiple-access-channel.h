/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MULTIPLE_ACCESS_CHANNEL_H
#define DLEARN_MULTIPLE_ACCESS_CHANNEL_H

#include "dlearn-encoded-message.h"

#include "ns3/dlearn-sparse-projection.h"
#include "ns3/event-id.h"
#include "ns3/mobility-model.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How strongly a client of a MultipleAccessChannel sends.
 */
class PowerControl : public Object
{
  public:
    /** What all know of a client in a slot. */
    struct Link
    {
        double limit{0};   //!< most power that a client may send with, in watts
        double path{0};    //!< mean power gain from the client to the receiver
        double weakest{0}; //!< least mean power gain of the clients of the slot
    };

    static TypeId GetTypeId();

    /**
     * @param link of the client
     * @param fading the client's estimate of its power gain, over the mean one
     * @return power of an entry of mean square 1, in watts, at most the limit; 0: it keeps silent
     */
    virtual double GetPower(const Link& link, double fading) const = 0;

    /** @return the amplitude that the receiver expects of a client that sends, in sqrt(W) */
    virtual double GetAmplitude(const Link& link) const = 0;
};

/**
 * @ingroup dlearn
 * Truncated channel inversion (Zhu, Wang, Huang, IEEE Trans. Wireless Communications 2020): all
 * clients arrive with the same power, and clients in a deep fade keep silent. The power is that of
 * the client with the weakest path at the truncation threshold, so that nobody exceeds the limit;
 * in the paper the average power is limited. With Rayleigh fading the share 1 - exp(-Truncation)
 * of the updates is truncated.
 */
class ChannelInversion : public PowerControl
{
  public:
    static TypeId GetTypeId();

    double GetPower(const Link& link, double fading) const override;
    double GetAmplitude(const Link& link) const override;

  private:
    double m_truncation{0.2}; //!< attribute Truncation
};

/**
 * @ingroup dlearn
 * All clients send with all their power and correct the phase only (GBMA: Sery and Cohen, IEEE
 * Trans. Signal Processing 2020). The receiver divides by the mean gain, so that fading makes the
 * weights of the clients random, and clients with a better path weigh more.
 */
class FullPower : public PowerControl
{
  public:
    static TypeId GetTypeId();

    double GetPower(const Link& link, double /* fading */) const override { return link.limit; }

    double GetAmplitude(const Link& link) const override;

  private:
    double m_meanGain{0}; //!< attribute MeanGain
};

/**
 * @ingroup dlearn
 * A band on which the clients of a federation send their updates at the same time, as analogue
 * signals that add up on the air. In the slot of a round the receiver gets, of every entry,
 *
 *   y = sum_i sqrt(p_i) Re(h_i exp(j (theta_i - arg e_i))) u_i + z,   u_i = sqrt(d) / C w_i x_i,
 *
 * where x_i is the update of d entries, w_i its weight, from 0 to 1, C the attribute Clip, to which
 * longer w_i x_i are shortened, p_i the power that PowerControl chooses, |h_i|^2 the gain by path
 * loss and fading, which stays the same for a slot, e_i the client's estimate of h_i, theta_i a
 * phase error, normal with the standard deviation PhaseError, and z normal with variance k T B F /
 * 2, the real half of the thermal noise of the band B at T = 290 K with the noise figure F. The
 * receiver divides y by sqrt(d) / C sum_i w_i a_i, with the amplitudes a_i that it expects. So it
 * gets the weighted mean of the updates and noise of variance C^2 / d k T B F / 2 / (sum_i w_i
 * a_i)^2 an entry; it learns who has sent.
 *
 * Protect() hides updates in noise. Either all clients send with less power, by a common factor, so
 * that the noise of the receiver is enough (Koda, Yamamoto, Nishio and Morikura, GLOBECOM 2020; Liu
 * and Simeone, "Privacy for Free", IEEE JSAC 2021), or they give a share b of their power to noise
 * (Seif, Tandon and Li, ISIT 2020): u_i = sqrt((1 - b) d) / C w_i x_i + sqrt(b) n_i with n_i
 * standard normal.
 *
 * An entry takes a symbol, and a symbol 1 / B, whatever the number of clients. With Projection < 1
 * clients project their sparse updates by a common random matrix to fewer entries, which take the
 * place of those above, and the receiver recovers the sparse mean (A-DSGD: Amiri and Gunduz, IEEE
 * Trans. Signal Processing 2020), see SparseProjection. The clients are
 * synchronised; a slot begins when all whose answer is awaited have something to send. When the
 * receiver does not wait any longer, the slot is the one that ends then, of those that had
 * something to send when it began. The band carries nothing else, and has no collisions.
 */
class MultipleAccessChannel : public Object
{
  public:
    /** A message is kept until it is sent. */
    using Message = std::shared_ptr<const EncodedMessage>;

    /** What the receiver gets in a slot. */
    struct Sum
    {
        std::vector<LearnerId> members;   //!< who has sent, in order
        std::vector<LearnerId> truncated; //!< who kept silent, as its channel is too weak or an
                                          //!< account forbids the slot, in order
        ModelVector mean;                 //!< weighted mean of the members' updates; empty: none
    };

    /** Called with the round of a slot and what was received in it. */
    using SumCallback = std::function<void(uint32_t round, const Sum& sum)>;

    /** Called when a message of a client begins to leave, with the joules that it radiates. */
    using SentCallback = std::function<void(const EncodedMessage& message, double joules)>;

    /**
     * Called before a slot with each sender's exposure: its update stands out of the noise as with
     * noise of standard deviation 1 / exposure on each entry. @return whether the slot may be sent
     */
    using ReleaseCallback =
        std::function<bool(uint32_t round, const std::map<LearnerId, double>& exposures)>;

    static TypeId GetTypeId();

    /**
     * A learner joins, as a client or the receiver.
     *
     * @param learner its number
     * @param node has a mobility model
     * @param sent tells it of its own messages
     * @throw std::invalid_argument for a node without a position
     */
    void Attach(LearnerId learner, Ptr<Node> node, SentCallback sent);

    /**
     * @param receiver a learner that has joined
     * @param weights w_i of each client, greater than 0, at most 1
     * @param received gets each sum at the end of its slot
     */
    void SetReceiver(LearnerId receiver,
                     const std::map<LearnerId, double>& weights,
                     SumCallback received);

    bool IsReceiver(LearnerId learner) const { return m_receiver == learner; }

    /**
     * Hide updates in noise. An exposure is w_i |h_i| sqrt(p_i (1 - b) d) / C over the standard
     * deviation of the noise that counts. It holds for a server that uses both parts of the complex
     * signal, whatever the phases and the errors of estimates, which may make it larger than
     * planned.
     *
     * @param noise least standard deviation 1 / exposure for the amplitudes that clients know
     * @param receiver whether the noise of the receiver counts; else that of the clients does,
     * which needs PhaseError and EstimateVariance 0: where phases differ, there are two sums
     * @param release gets the exposures
     */
    void Protect(double noise, bool receiver, ReleaseCallback release);

    /**
     * The updates of a round are awaited: its slot opens.
     *
     * @param round number of the slot
     * @param asked clients that may send
     * @param awaited those of them that it waits for
     */
    void Await(uint32_t round,
               const std::vector<LearnerId>& asked,
               const std::vector<LearnerId>& awaited);

    /** A client has a message to send in the slot of its round, if that is open for it. */
    void Send(LearnerId client, const Message& message);

    /** The receiver waits no longer. @return what it gets of the round; nothing when no client had
     *  something to send in time, or the slot is over or not */
    std::optional<Sum> Close(uint32_t round);

    /** A learner gives up a round: as a client what it has not sent, as the receiver the slot. */
    void Settle(LearnerId learner, uint32_t round);

    /** A learner gives up all rounds. */
    void Leave(LearnerId learner);

    /** @return whether updates are projected to fewer entries */
    bool IsProjecting() const { return m_projection < 1; }

    /** @return duration of a slot for vectors with so many entries */
    Time GetSlot(uint32_t entries) const;

    /** Fix the random streams. @return how many are used */
    int64_t AssignStreams(int64_t stream);

    /** @param totals counters of the run; those of the slots are added */
    void Count(std::map<std::string, uint64_t>& totals) const;

  protected:
    void DoDispose() override;

  private:
    struct Learner
    {
        Ptr<MobilityModel> place;
        SentCallback sent;
    };

    struct Slot
    {
        std::set<LearnerId> asked;
        std::set<LearnerId> awaited;                           //!< have not sent yet
        std::map<LearnerId, std::pair<Message, Time>> waiting; //!< since when
        bool begun{false};
        EventId event; //!< its beginning, later its end
    };

    bool IsSetUp() const { return !m_learners.empty(); }

    /** @return power gain from a learner to the receiver by a model */
    double GetGain(Ptr<PropagationLossModel> model, LearnerId learner) const;

    /** What leaves in a slot, and what becomes of it. */
    struct Transmission
    {
        Sum sum;
        std::vector<std::pair<Message, double>> sent; //!< with joules, in the order of the members
    };

    /** The signal of a client. */
    struct Signal
    {
        LearnerId client;
        Message message;
        double power;     //!< of an entry of mean square 1, in watts
        double amplitude; //!< at the receiver, in sqrt(W)
        double estimate;  //!< of it, by the client
        double expected;  //!< amplitude that the receiver expects
        double phase;     //!< at the receiver
    };

    /** @return the signals of those who do not keep silent; adds the others to the truncated */
    std::vector<Signal> Draw(const Slot& slot, Sum& sum) const;

    /** Change signals as Protect() says. @return the share of their power that is noise; nothing
     * when an account forbids the slot */
    std::optional<double> Hide(uint32_t round, std::vector<Signal>& signals) const;

    /** @return how many symbols the vectors take */
    uint32_t CountSymbols(uint32_t entries) const;

    /** @return standard deviation of the receiver's noise, in sqrt(W) */
    double GetNoise() const;

    void Begin(uint32_t round);
    void End(uint32_t round, const Sum& sum);

    /** All that wait send. */
    Transmission Transmit(uint32_t round, Slot& slot);

    /** Tell the senders, which may give up the slot. */
    void Tell(const Transmission& transmission) const;

    double m_bandwidth{0};              //!< attribute Bandwidth
    double m_noiseFigure{0};            //!< attribute NoiseFigure
    double m_power{0};                  //!< attribute Power
    double m_clip{0};                   //!< attribute Clip
    double m_phaseError{0};             //!< attribute PhaseError
    double m_estimateVariance{0};       //!< attribute EstimateVariance
    double m_projection{1};             //!< attribute Projection
    Ptr<PropagationLossModel> m_loss;   //!< attribute Loss
    Ptr<PropagationLossModel> m_fading; //!< attribute Fading; null: none
    Ptr<PowerControl> m_powerControl;   //!< attribute PowerControl
    std::map<LearnerId, Learner> m_learners;
    std::map<LearnerId, double> m_weights;
    double m_least{0};          //!< see Protect()
    bool m_receiverHides{true}; //!< see Protect()
    ReleaseCallback m_release;  //!< see Protect(); empty: no account
    std::optional<LearnerId> m_receiver;
    SumCallback m_received;
    std::map<uint32_t, Slot> m_slots; //!< open ones, by round
    Ptr<NormalRandomVariable> m_noise{CreateObject<NormalRandomVariable>()};
    Ptr<NormalRandomVariable> m_errors{CreateObject<NormalRandomVariable>()};
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()}; //!< of the matrix
    std::optional<SparseProjection> m_matrix;                                   //!< once needed
    uint64_t m_sums{0};
    uint64_t m_truncated{0};
    uint64_t m_clipped{0};
    uint64_t m_withheld{0};
};

} // namespace ns3::dlearn

#endif // DLEARN_MULTIPLE_ACCESS_CHANNEL_H
