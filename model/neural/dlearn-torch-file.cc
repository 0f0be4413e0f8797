/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The library dlearn-torch: what it gives to TorchTask.
 */

#include "dlearn-torch-copies.h"
#include "dlearn-torch-guard.h"
#include "dlearn-torch-module.h"
#include "dlearn-torch-pass.h"
#include "dlearn-torch-products.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

namespace
{

/** A module in a file. */
class FileModule : public TorchModule
{
  public:
    /** @param source what to load */
    explicit FileModule(TorchSource source)
        : m_copies(std::move(source))
    {
    }

    const ModelVector& GetInitialModel() const override { return m_copies.GetInitialModel(); }

    std::unique_ptr<TorchPass> Begin(ConstVectorRef theta) const override
    {
        return std::make_unique<FilePass>(m_copies, theta);
    }

    void Check(const Eigen::MatrixXf& inputs) const override;
    double CountProducts(const Eigen::MatrixXf& input) const override;

  private:
    TorchCopies m_copies; //!< of the module
};

void
FileModule::Check(const Eigen::MatrixXf& inputs) const
{
    const std::string where =
        "TorchTask: '" + m_copies.GetSource().file + "': forward() in training mode ";
    FilePass pass(m_copies, m_copies.GetInitialModel());
    const auto buffers = pass.CopyBuffers();
    const at::Tensor random = at::detail::getDefaultCPUGenerator().get_state();
    const Eigen::MatrixXf outputs = pass.Forward(inputs, TorchPass::WayBack::NONE);
    const Eigen::MatrixXf again = pass.Forward(inputs, TorchPass::WayBack::TO_PARAMETERS);
    for (const auto& [name, buffer] : pass.CopyBuffers())
    {
        const auto before = buffers.find(name);
        Require(before != buffers.end() && before->second.equal(buffer),
                where,
                "changes the buffer '",
                name,
                "', but must not remember anything; instead of BatchNorm use GroupNorm");
    }
    Require(at::detail::getDefaultCPUGenerator().get_state().equal(random),
            where,
            "draws random numbers, but must compute the same again; take Dropout and the like out");
    Require(outputs.allFinite(),
            where,
            "must return finite numbers with the parameters in the file, got for a sample ",
            outputs.leftCols(1).transpose());
    Require(outputs == again, where, "returns something else when it is called again");
    // Last, because the checks above explain most failures and what to do about them.
    ModelVector gradient = ModelVector::Zero(m_copies.GetInitialModel().size());
    Require(pass.TryGradient(Eigen::MatrixXf::Ones(again.rows(), again.cols()), gradient),
            where,
            "returns numbers that depend on no parameter differentiably");
    // Batch statistics would differ altogether; sums in another order differ by rounding.
    const Eigen::VectorXf alone = pass.Forward(inputs.leftCols(1), TorchPass::WayBack::NONE);
    const float scale = outputs.cwiseAbs().maxCoeff();
    Require((alone - outputs.col(0)).cwiseAbs().maxCoeff() <= 1e-3F * scale,
            where,
            "returns for a sample what depends on the samples beside it; instead of BatchNorm use "
            "GroupNorm");
}

double
FileModule::CountProducts(const Eigen::MatrixXf& input) const
{
    FilePass pass(m_copies, m_copies.GetInitialModel());
    ModelVector gradient = ModelVector::Zero(m_copies.GetInitialModel().size());
    PrepareTorchThread();
    const TorchProductCounter counter;
    pass.AddGradient(pass.Forward(input, TorchPass::WayBack::TO_PARAMETERS), gradient);
    return counter.Get();
}

} // namespace

} // namespace ns3::dlearn

ns3::dlearn::TorchModule*
DlearnLoadTorchModule(const ns3::dlearn::TorchSource& source)
{
    return new ns3::dlearn::FileModule(source);
}
