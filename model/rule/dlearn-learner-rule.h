/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_RULE_H
#define DLEARN_LEARNER_RULE_H

#include "ns3/dlearn-part.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/dlearn-types.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A step, or a coupling, by round. A part of the rules of peers, servers and clients, which have
 * aliases of its attributes, see AddSchedule().
 */
class StepSchedule : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return the step of round t, from 0; at least 0 */
    virtual double Get(uint32_t round) const = 0;

    /** @throw std::invalid_argument when an attribute is out of its range */
    virtual void Check() const {}

    /** @return the step of round 0; of a warm-up the step at its end */
    double GetInitial() const { return m_initial; }

  private:
    double m_initial{0}; //!< attribute Initial
};

/** @ingroup dlearn
 *  Initial in every round. */
class ConstantSchedule : public StepSchedule
{
  public:
    static TypeId GetTypeId();

    double Get(uint32_t /* round */) const override { return GetInitial(); }
};

/** @ingroup dlearn
 *  Initial (t+1)^-Exponent. */
class PowerSchedule : public StepSchedule
{
  public:
    static TypeId GetTypeId();

    double Get(uint32_t round) const override { return PowerLaw(GetInitial(), -m_exponent, round); }

    double GetExponent() const { return m_exponent; }

  private:
    double m_exponent{0}; //!< attribute Exponent
};

/** @ingroup dlearn
 *  Initial Ratio^t. */
class GeometricSchedule : public StepSchedule
{
  public:
    static TypeId GetTypeId();

    double Get(uint32_t round) const override { return GetInitial() * std::pow(m_ratio, round); }

    void Check() const override;

    double GetRatio() const { return m_ratio; }

  private:
    double m_ratio{0}; //!< attribute Ratio
};

/** @ingroup dlearn
 *  Initial Factor^floor(t / Rounds): a staircase. */
class StepDecaySchedule : public StepSchedule
{
  public:
    static TypeId GetTypeId();

    double Get(uint32_t round) const override
    {
        return GetInitial() * std::pow(m_factor, round / m_rounds);
    }

  private:
    double m_factor{0};   //!< attribute Factor
    uint32_t m_rounds{1}; //!< attribute Rounds
};

/** @ingroup dlearn
 *  Final + (Initial - Final) (1 + cos(pi t / Rounds)) / 2 up to t = Rounds, then Final (Loshchilov
 *  and Hutter, SGDR, 2017, equation 5, without restarts). */
class CosineSchedule : public StepSchedule
{
  public:
    static TypeId GetTypeId();

    double Get(uint32_t round) const override;

  private:
    double m_final{0};    //!< attribute Final
    uint32_t m_rounds{1}; //!< attribute Rounds
};

/** @ingroup dlearn
 *  Initial (t + 1) / Rounds for t < Rounds (Goyal et al., 2017), then Initial a(t - Rounds) / a_0
 *  where a is the schedule Then and a_0 its Initial. */
class WarmUpSchedule : public StepSchedule
{
  public:
    static TypeId GetTypeId();

    double Get(uint32_t round) const override;
    void Check() const override;

  private:
    uint32_t m_rounds{1};     //!< attribute Rounds
    Ptr<StepSchedule> m_then; //!< attribute Then
};

/** @ingroup dlearn
 *  The default schedule of an owner. */
struct DefaultSchedule
{
    ObjectFactory factory; //!< makes the schedule
    double initial;        //!< its attribute Initial
    std::string parameter; //!< name of its other attribute; empty: none
    double value{0};       //!< value of that attribute
    double largest{0};     //!< largest value
};

/** @return a ConstantSchedule: the step of all rounds is initial */
DefaultSchedule ConstantStep(double initial);

/** @return a PowerSchedule: the step is initial (t+1)^-exponent */
DefaultSchedule PowerStep(double initial, double exponent);

/** @return a GeometricSchedule: the step is initial ratio^t */
DefaultSchedule GeometricStep(double initial, double ratio);

/** @ingroup dlearn
 *  The names of a schedule's attributes on its owner. */
struct ScheduleNames
{
    std::string prefix;      //!< of "Schedule", and of the other attribute: "Step", "StepExponent"
    std::string help;        //!< of the schedule's attribute
    std::string initial;     //!< alias of its attribute Initial
    std::string initialHelp; //!< such as "The step in round 0"
};

/**
 * @ingroup dlearn
 * Add the attribute of a schedule to an owner, and aliases of the schedule's attributes.
 *
 * @tparam Owner class that has the attributes
 * @param tid of the owner, or of a class derived from it
 * @param part where the owner keeps the schedule
 * @param isSetUp whether the schedule is fixed
 * @param names of the attributes
 * @param schedule the default
 * @return the TypeId with the attributes
 */
template <typename Owner>
TypeId
AddSchedule(TypeId tid,
            Ptr<StepSchedule> Owner::*part,
            std::common_type_t<bool (Owner::*)() const> isSetUp,
            const ScheduleNames& names,
            const DefaultSchedule& schedule)
{
    const std::string holder = names.prefix + "Schedule";
    tid.AddAttribute(holder,
                     names.help,
                     ObjectFactoryValue(schedule.factory),
                     MakePartAccessor(part, isSetUp),
                     MakePartChecker<StepSchedule>())
        .AddAttribute(names.initial,
                      names.initialHelp + ": Initial of the " + holder + ".",
                      AliasDefault(schedule.initial),
                      MakePartAliasAccessor(part, "Initial"),
                      MakeDoubleChecker<double>(0.0));
    if (!schedule.parameter.empty())
    {
        tid.AddAttribute(names.prefix + schedule.parameter,
                         schedule.parameter + " of the " + holder + ".",
                         AliasDefault(schedule.value),
                         MakePartAliasAccessor(part, schedule.parameter),
                         MakeDoubleChecker<double>(0.0, schedule.largest));
    }
    return tid;
}

/** @return v of a schedule (t+1)^-v, 0 for a constant one; NaN for all others */
double GetPowerExponent(const StepSchedule& schedule);

/**
 * @ingroup dlearn
 * The common part of the rules of peers, clients and servers: a model, the work of a round, a
 * privacy account, warnings. Derived interfaces add the steps of a round: UpdateRule for peers,
 * ClientRule and ServerRule for the two sides of a federation.
 */
class LearnerRule : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return the learner's current model */
    virtual const ModelVector& GetModel() const = 0;

    /** @return samples whose gradient the open round, or the first one, evaluates; 0: unknown */
    virtual uint64_t GetWork() const = 0;

    /**
     * Train elsewhere, such as on the clients of an edge server, instead of computing for the time
     * of the application's ComputeModel. For peers and clients.
     *
     * @param done to be called once, later, at the end of the training; a crash may leave it out
     * @return whether it trains elsewhere; false unless overridden
     */
    virtual bool Begin(const std::function<void()>& /* done */) { return false; }

    /** @return false once the privacy budget forbids to send; true unless overridden */
    virtual bool CanContinue() const { return true; }

    /** @return the learner's privacy account; null unless overridden: none */
    virtual Ptr<const PrivacyAccount> GetLedger() const { return nullptr; }

    /** @return conditions of the algorithm's theory that the configuration violates, each
     *          with its name in the paper and the values; empty when all hold */
    virtual std::vector<std::string> GetWarnings() const { return {}; }

    /** Fix the random streams, from @p stream on. @return number of streams used */
    virtual int64_t AssignStreams(int64_t /* stream */) { return 0; }

    /** A Byzantine behaviour gets the rule's vectors: they all count as released. */
    void SetReleased() { m_released = true; }

    /** @return whether all vectors count as released */
    bool IsReleased() const { return m_released || m_observed; }

    /** Omniscient attackers see the rule's vectors before they leave the node: they all count as
     *  released, and noise that a trusted server adds later hides nothing. */
    void SetObserved() { m_observed = true; }

    bool IsObserved() const { return m_observed; }

    /** @return whether listeners of the trace Draw are being called */
    bool IsTracing() const { return m_tracing > 0; }

    /** Signature of the trace Draw: a round, and the positions of its data. */
    using DrawTracedCallback = void (*)(uint32_t round, const SampleIndices& samples);

  protected:
    /**
     * Call the trace Draw: the data of a round have entered the learner's state, and its messages
     * may depend on them. Only the first call for a round counts.
     *
     * @param round the round, not smaller than in any earlier call
     * @param samples positions of its data
     */
    void NoteDraw(uint32_t round, const SampleIndices& samples);

  private:
    bool m_released{false};
    bool m_observed{false};
    uint64_t m_nextDraw{0}; //!< first round that NoteDraw() has not reported
    uint32_t m_tracing{0};  //!< whether listeners of the trace are being called
    CountedTrace<uint32_t, const SampleIndices&> m_drawTrace{m_tracing}; //!< Draw
};

/** @ingroup dlearn
 *  The meaning of a client's update, which decides on which side of it the loss is smaller. */
enum class UpdateKind : uint8_t
{
    DIFFERENCE, //!< the client's model less the one that it was given: to be added
    GRADIENT    //!< a gradient, or a momentum of gradients: to be subtracted
};

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_RULE_H
