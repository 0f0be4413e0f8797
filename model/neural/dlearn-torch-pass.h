/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TORCH_PASS_H
#define DLEARN_TORCH_PASS_H

#include "dlearn-torch-copies.h"

#include <map>

namespace ns3::dlearn
{

/**
 * Computes with a copy of the module, which it returns in the end. Private to the library
 * dlearn-torch.
 */
class FilePass : public TorchPass
{
  public:
    /** @param copies outlive this; @param theta the parameters */
    FilePass(const TorchCopies& copies, ConstVectorRef theta);
    ~FilePass() override;

    Eigen::MatrixXf Forward(const Eigen::MatrixXf& inputs, WayBack back) override;
    void AddGradient(const Eigen::MatrixXf& slopes, VectorRef gradient) override;
    Eigen::MatrixXf GetInputGradient(const Eigen::MatrixXf& slopes) override;

    /** @return the module's buffers, which are not learned */
    std::map<std::string, at::Tensor> CopyBuffers() const;

    /** @return as AddGradient(): whether the outputs depended on any parameter */
    bool TryGradient(const Eigen::MatrixXf& slopes, VectorRef gradient);

  private:
    /**
     * @return the derivatives of the outputs by some tensors, contiguous; undefined where the
     *         outputs do not depend on one
     */
    std::vector<at::Tensor> Differentiate(const std::vector<at::Tensor>& by,
                                          const Eigen::MatrixXf& slopes) const;

    const TorchCopies& m_copies;               //!< has the file
    std::unique_ptr<TorchInstance> m_instance; //!< of the module
    at::Tensor m_inputs;                       //!< of the last Forward()
    at::Tensor m_outputs;                      //!< of the last Forward()
};

} // namespace ns3::dlearn

#endif // DLEARN_TORCH_PASS_H
