/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TORCH_COPIES_H
#define DLEARN_TORCH_COPIES_H

#include "dlearn-torch-module.h"

#include <memory>
#include <mutex>
#include <string>
#include <torch/script.h>
#include <vector>

namespace ns3::dlearn
{

/** A copy of the module, for one thread at a time. */
struct TorchInstance
{
    torch::jit::Module module;          //!< with whatever parameters
    std::vector<at::Tensor> parameters; //!< of it, those that are learned; contiguous
};

/**
 * A module in a file, as many copies of it as threads have computed at the same time, and one more.
 * Private to the library dlearn-torch.
 */
class TorchCopies
{
  public:
    /** @param source what to load */
    explicit TorchCopies(TorchSource source);

    /** @return the parameters in the file, one after the other */
    const ModelVector& GetInitialModel() const { return m_initial; }

    /** @return what was loaded */
    const TorchSource& GetSource() const { return m_source; }

    /** @return a copy of the module that is not in use */
    std::unique_ptr<TorchInstance> Take() const;

    /** @param instance from Take(), no longer in use */
    void PutBack(std::unique_ptr<TorchInstance> instance) const;

  private:
    /** Read the file. */
    void Load();

    /** Find the parameters that are learned, and check them. */
    void FindParameters();

    TorchSource m_source;                                       //!< what was loaded
    torch::jit::Module m_original;                              //!< never called: copies are
    std::vector<std::string> m_learned;                         //!< names of the learned parameters
    ModelVector m_initial;                                      //!< their values
    mutable std::mutex m_mutex;                                 //!< guards the next, and copying
    mutable std::vector<std::unique_ptr<TorchInstance>> m_idle; //!< copies not in use
};

} // namespace ns3::dlearn

#endif // DLEARN_TORCH_COPIES_H
