/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TORCH_TASK_H
#define DLEARN_TORCH_TASK_H

#include "dlearn-network-task.h"

#include <string>

namespace ns3::dlearn
{

class TorchModule;

/** @return whether dlearn was built with LibTorch */
bool HasTorch();

/**
 * @ingroup dlearn
 * Classification by a neural network from the user (NetworkTask has the loss): a TorchScript file,
 * which PyTorch writes by torch.jit.script(module).save(FILE), run by LibTorch.
 *
 * The model is the vector of the module's parameters that require a gradient, in the order in which
 * LibTorch's named_parameters() lists them; they must be 32-bit floats, and are doubles outside of
 * the task. Parameters that need no gradient, and buffers, keep their values in the file. Learning
 * begins with the parameters in the file.
 *
 * The module receives a tensor of samples x channels x height x width where attributes or data
 * specify the shape of an image, else of samples x features; it returns samples x classes.
 *
 * One object serves all learners, so a gradient must be a function of parameters and samples alone,
 * and a sample's outputs must not depend on the other samples. Modules that draw random numbers
 * (dropout) or that look at the whole batch or remember earlier ones (batch normalization) in
 * training mode, in which everything is computed, are refused; use group normalization.
 *
 * Each thread computes with its own copy of the module, without the optimizations of TorchScript
 * after the first calls: results do not depend on the number of threads or on earlier
 * computations.
 *
 * A TorchScript file is a program; do not load files from sources that you do not trust.
 */
class TorchTask : public NetworkTask
{
  public:
    static TypeId GetTypeId();

    uint32_t GetDimension() const override;

    /**
     * @return two for each multiplication in matrix products and convolutions of the gradient of
     *         the first sample, forwards and back, as LibTorch computed it
     */
    double GetFlopsPerSample() const override;

    /** @return the parameters in the file */
    ModelVector DrawInitialModel(int64_t stream) const override;

  protected:
    void CheckData() const override;
    /**
     * @throw std::invalid_argument when the file is not a module as the class describes
     * @throw std::runtime_error when dlearn was built without LibTorch
     */
    void AdoptData() override;

  private:
    const TorchModule& GetModule() const;

    std::string m_file;                          //!< attribute File
    uint32_t m_samplesAtOnce{64};                //!< attribute SamplesAtOnce
    std::shared_ptr<const TorchModule> m_module; //!< as of SetData()
    double m_products{0};                        //!< of one gradient
};

} // namespace ns3::dlearn

#endif // DLEARN_TORCH_TASK_H
