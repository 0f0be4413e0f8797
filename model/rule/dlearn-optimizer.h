/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_OPTIMIZER_H
#define DLEARN_OPTIMIZER_H

#include "dlearn-learner-rule.h"

#include "ns3/dlearn-part.h"
#include "ns3/dlearn-types.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How a model w moves along gradients g: a part of clients, and of servers, whose gradient is the
 * averaged update with the opposite sign (Reddi et al., "Adaptive federated optimization", 2021).
 * Its step eta_t is that of a StepSchedule, LearningRate for all t by default, where t are the
 * models of a server, or the rounds of a client, so far.
 *
 * The part has attributes only. What a step leaves for the next one is a State, which the owner
 * keeps, copies and forgets.
 */
class Optimizer : public Object
{
  public:
    static TypeId GetTypeId();

    /** What steps leave for the next one. */
    struct State
    {
        uint32_t steps{0};   //!< steps so far
        ModelVector mean;    //!< of gradients, decayed; empty before the first step
        ModelVector squares; //!< of squared gradients
    };

    /** Moves a model by one step along a gradient of its dimension. */
    using Step = std::function<void(const ModelVector& gradient, State& state, ModelVector& model)>;

    /**
     * @param t of the schedule
     * @return a step with copies of all attributes, which another thread may call
     */
    Step MakeStep(uint32_t t) const;

    /**
     * @param owner and @param rate name the owner and its alias of LearningRate
     * @throw std::invalid_argument when an attribute is out of its range
     */
    void Check(const std::string& owner, const std::string& rate) const;

    /** @return floating-point operations of a step for each entry of the model */
    virtual double GetFlops() const { return 4; }

    /** @return the attribute StepSchedule */
    const StepSchedule& GetSchedule() const { return *m_schedule; }

  protected:
    /** Add the attributes StepSchedule and LearningRate, with this default, to a derived type. */
    static TypeId AddRate(TypeId tid, double rate);

    /** @return the step with the rate eta; it counts no steps */
    virtual Step DoMakeStep(double rate) const = 0;

    virtual void DoCheck() const {}

  private:
    Ptr<StepSchedule> m_schedule; //!< attribute StepSchedule
};

/**
 * @ingroup dlearn
 * Gradient steps with heavy-ball momentum (Polyak, 1964), which at a server is FedAvgM (Hsu, Qi,
 * Brown, 2019):
 *
 *   v <- Momentum v + g,   w <- w - eta_t v,
 *
 * or, with Nesterov, that of Sutskever et al. (2013) in its usual form: w <- w - eta_t (g +
 * Momentum v).
 */
class SgdOptimizer : public Optimizer
{
  public:
    static TypeId GetTypeId();

    /** @return the attribute Momentum */
    double GetMomentum() const { return m_momentum; }

  protected:
    Step DoMakeStep(double rate) const override;
    void DoCheck() const override;

  private:
    double m_momentum{0};   //!< attribute Momentum
    bool m_nesterov{false}; //!< attribute Nesterov
};

/**
 * @ingroup dlearn
 * Steps that are shorter in entries with large gradients (Reddi et al., 2021, Algorithm 2):
 *
 *   m <- Beta1 m + (1 - Beta1) g,   w <- w - eta_t m / (sqrt(v) + Epsilon)   in each entry,
 *
 * with m = 0 and v = Epsilon^2 at the beginning. Derived types say how g^2 enters v.
 */
class AdaptiveOptimizer : public Optimizer
{
  public:
    static TypeId GetTypeId();

    double GetFlops() const override { return 14; }

  protected:
    /** Enters the squares of a gradient into v. */
    using Accumulation = std::function<void(const ModelVector& squares, ModelVector& v)>;

    /** Add all attributes, with these defaults, to a derived type. */
    static TypeId AddMoments(TypeId tid, double beta1, double epsilon, double rate);

    Step DoMakeStep(double rate) const final;
    void DoCheck() const override;

    /** @return how g^2 enters v, with copies of all attributes */
    virtual Accumulation MakeAccumulation() const = 0;

    /** @return Beta2 for an optimizer with bias correction, where v = 0 at the beginning; else 1 */
    virtual double GetCorrected() const { return 1; }

  private:
    double m_beta1{0};   //!< attribute Beta1
    double m_epsilon{0}; //!< attribute Epsilon
};

/**
 * @ingroup dlearn
 * Adam: v <- Beta2 v + (1 - Beta2) g^2. With BiasCorrection (Kingma and Ba, 2015, Algorithm 1) v
 * begins at 0, and in step k = 1, 2, ... the model moves by m / (1 - Beta1^k) and v / (1 - Beta2^k)
 * in place of m and v. Without it, it is FedAdam of Reddi et al. (2021), for servers.
 */
class AdamOptimizer : public AdaptiveOptimizer
{
  public:
    static TypeId GetTypeId();

  protected:
    Accumulation MakeAccumulation() const override;
    void DoCheck() const override;

    double GetCorrected() const override { return m_correction ? m_beta2 : 1; }

  private:
    double m_beta2{0};       //!< attribute Beta2
    bool m_correction{true}; //!< attribute BiasCorrection
};

/** @ingroup dlearn
 *  Yogi (Zaheer et al., 2018, Algorithm 2): v <- v - (1 - Beta2) sign(v - g^2) g^2. */
class YogiOptimizer : public AdaptiveOptimizer
{
  public:
    static TypeId GetTypeId();

  protected:
    Accumulation MakeAccumulation() const override;
    void DoCheck() const override;

  private:
    double m_beta2{0}; //!< attribute Beta2
};

/** @ingroup dlearn
 *  Adagrad (Duchi, Hazan, Singer, 2011), diagonal: v <- v + g^2. */
class AdagradOptimizer : public AdaptiveOptimizer
{
  public:
    static TypeId GetTypeId();

  protected:
    Accumulation MakeAccumulation() const override;
};

/**
 * @ingroup dlearn
 * Add the attribute Optimizer to an owner, gradient steps by default, and aliases of the
 * optimizer's attributes: StepSchedule, and one of LearningRate.
 *
 * @tparam Owner class that has the attributes
 * @param tid of the owner, or of a class derived from it
 * @param part where the owner keeps the optimizer
 * @param isSetUp whether the optimizer is fixed
 * @param along what a step follows, in words, after "The step"
 * @param rate name of the alias of LearningRate
 * @param initial its default
 * @return the TypeId with the attributes
 */
template <typename Owner>
TypeId
AddOptimizer(TypeId tid,
             Ptr<Optimizer> Owner::*part,
             std::common_type_t<bool (Owner::*)() const> isSetUp,
             const std::string& along,
             const std::string& rate,
             double initial)
{
    return tid
        .AddAttribute("Optimizer",
                      "What makes a step of " + along + ".",
                      ObjectFactoryValue(ObjectFactory(SgdOptimizer::GetTypeId().GetName(),
                                                       "LearningRate",
                                                       DoubleValue(initial))),
                      MakePartAccessor(part, isSetUp),
                      MakePartChecker<Optimizer>())
        .AddAttribute("StepSchedule",
                      "The step along " + along + ": StepSchedule of the Optimizer.",
                      AliasDefaultOf<ObjectFactoryValue>(ConstantStep(initial).factory),
                      MakePartAliasAccessor(part, "StepSchedule"),
                      MakePartChecker<StepSchedule>())
        .AddAttribute(rate,
                      "The first step, greater than 0: LearningRate of the Optimizer.",
                      AliasDefault(initial),
                      MakePartAliasAccessor(part, "LearningRate"),
                      MakeDoubleChecker<double>(0.0));
}

} // namespace ns3::dlearn

#endif // DLEARN_OPTIMIZER_H
