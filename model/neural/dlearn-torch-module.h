/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TORCH_MODULE_H
#define DLEARN_TORCH_MODULE_H

/**
 * @file
 * The interface between TorchTask, which does not depend on LibTorch, and the library dlearn-torch,
 * which is loaded only when a TorchTask is used: LibTorch needs half a second to load, and some
 * builds load hundreds of other libraries.
 */

#include "ns3/dlearn-types.h"

#include <memory>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Samples go through a module with certain parameters. One thread at a time.
 */
class TorchPass
{
  public:
    /** The call that follows Forward(). */
    enum class WayBack
    {
        NONE,          //!< nothing
        TO_PARAMETERS, //!< AddGradient()
        TO_INPUTS      //!< GetInputGradient()
    };

    virtual ~TorchPass() = default;

    /**
     * @param inputs features x samples; the module gets a copy, which it may overwrite
     * @param back the call that follows
     * @return classes x samples: the outputs
     * @throw std::invalid_argument when the module refuses the inputs or returns something else
     */
    virtual Eigen::MatrixXf Forward(const Eigen::MatrixXf& inputs, WayBack back) = 0;

    /**
     * The way back, once after each Forward() that said TO_PARAMETERS.
     *
     * @param slopes derivatives by the outputs, classes x samples
     * @param gradient derivatives by the parameters are added
     * @throw std::invalid_argument when there is none
     */
    virtual void AddGradient(const Eigen::MatrixXf& slopes, VectorRef gradient) = 0;

    /**
     * The way back, once after each Forward() that said TO_INPUTS.
     *
     * @param slopes derivatives by the outputs, classes x samples
     * @return derivatives by the inputs, features x samples
     * @throw std::invalid_argument when there is none
     */
    virtual Eigen::MatrixXf GetInputGradient(const Eigen::MatrixXf& slopes) = 0;
};

/**
 * @ingroup dlearn
 * A TorchScript module: a file that PyTorch wrote, with code and parameters. Its methods may be
 * called from several threads.
 */
class TorchModule
{
  public:
    virtual ~TorchModule() = default;

    /** @return the parameters in the file, one after the other */
    virtual const ModelVector& GetInitialModel() const = 0;

    /**
     * @param theta the parameters to compute with
     * @return computes, as long as the module exists
     */
    virtual std::unique_ptr<TorchPass> Begin(ConstVectorRef theta) const = 0;

    /**
     * Refuse a module whose outputs are not a function of parameters and one sample each that can
     * be differentiated by the parameters, as far as a few samples show.
     *
     * @param inputs features x samples, at least 2 and not all alike
     * @throw std::invalid_argument naming the file and the rule it breaks
     */
    virtual void Check(const Eigen::MatrixXf& inputs) const = 0;

    /**
     * @param input features of one sample
     * @return multiplications in matrix products and convolutions of its gradient, forwards and
     *         back
     * @throw std::invalid_argument as the ways do
     */
    virtual double CountProducts(const Eigen::MatrixXf& input) const = 0;
};

/**
 * @ingroup dlearn
 * The module to load.
 */
struct TorchSource
{
    std::string file;           //!< path of a TorchScript file
    std::vector<int64_t> shape; //!< of a sample: what follows the first dimension of the input
    uint32_t classes{0};        //!< numbers that the module must return for a sample
};

/**
 * @param source the module to load
 * @return the module
 * @throw std::invalid_argument when the file holds no module with parameters of 32-bit floats,
 *        naming the file and the rule
 * @throw std::runtime_error when dlearn was built without LibTorch, saying how to get it, or when
 *        it cannot be loaded
 */
std::shared_ptr<const TorchModule> LoadTorchModule(const TorchSource& source);

} // namespace ns3::dlearn

extern "C"
{
    /** The one function of the library dlearn-torch: LoadTorchModule(); the caller deletes it. */
    ns3::dlearn::TorchModule* DlearnLoadTorchModule(const ns3::dlearn::TorchSource& source);
}

#endif // DLEARN_TORCH_MODULE_H
