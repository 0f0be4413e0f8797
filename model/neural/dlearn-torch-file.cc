/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The library dlearn-torch, which calls LibTorch for TorchTask.
 */

#include "dlearn-torch-module.h"

#include "ns3/dlearn-check.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <torch/csrc/autograd/autograd.h>
#include <torch/script.h>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** Make the settings of LibTorch without which results would depend on threads. */
void
PrepareTorchThread()
{
    [[maybe_unused]] static const bool process = [] {
        at::set_num_threads(1);
        try
        {
            at::set_num_interop_threads(1);
        }
        catch (const c10::Error&)
        {
            // Other code in this process has used LibTorch before: only asynchronous code in
            // a module would run there, and its results do not depend on it.
        }
        at::globalContext().setDeterministicAlgorithms(true, false);
        return true;
    }();
    // OpenMP, which LibTorch and oneDNN use, has a number of threads for each thread that calls.
    [[maybe_unused]] static thread_local const bool thread = (at::init_num_threads(), true);
}

/** @return the informative line of a message that also lists places in the code */
std::string
GetTorchReason(const std::exception& error)
{
    const auto* known = dynamic_cast<const c10::Error*>(&error);
    const std::string text = known ? known->what_without_backtrace() : error.what();
    // TorchScript puts it behind its own stack of calls.
    const std::string mark = "RuntimeError: ";
    const size_t marked = text.rfind(mark);
    const size_t first = marked == std::string::npos ? 0 : marked + mark.size();
    return text.substr(first, text.find('\n', first) - first);
}

/** @return the sizes of a tensor, to read */
std::string
DescribeSizes(at::IntArrayRef sizes)
{
    std::ostringstream text;
    for (size_t k = 0; k < sizes.size(); ++k)
    {
        text << (k > 0 ? " x " : "") << sizes[k];
    }
    return text.str();
}

/**
 * Call LibTorch, in the mode that makes results a function of the arguments.
 *
 * @return the result of the call
 * @throw std::invalid_argument instead of the exceptions of LibTorch, with file and rule
 */
template <typename Call>
auto
GuardTorch(const std::string& file, const std::string& rule, const Call& call)
{
    PrepareTorchThread();
    // TorchScript would otherwise watch the first calls and then compute in another order.
    const torch::jit::GraphOptimizerEnabledGuard plain(false);
    try
    {
        return call();
    }
    catch (const std::invalid_argument&)
    {
        throw;
    }
    catch (const std::exception& error)
    {
        throw std::invalid_argument("TorchTask: '" + file + "': " + rule + ": " +
                                    GetTorchReason(error));
    }
}

/** A copy of the module, for one thread at a time. */
struct TorchInstance
{
    torch::jit::Module module;          //!< with whatever parameters
    std::vector<at::Tensor> parameters; //!< of it, those that are learned; contiguous
};

/** A module in a file, and a copy of it for each thread that has computed at the same time. */
class TorchCopies
{
  public:
    explicit TorchCopies(TorchSource source)
        : m_source(std::move(source))
    {
        Load();
        FindParameters();
    }

    /** @return the parameters in the file, one after the other */
    const ModelVector& GetInitialModel() const { return m_initial; }

    /** @return file, shape and classes */
    const TorchSource& GetSource() const { return m_source; }

    /** @return a copy of the module that is not in use */
    std::unique_ptr<TorchInstance> Take() const
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        if (!m_idle.empty())
        {
            auto instance = std::move(m_idle.back());
            m_idle.pop_back();
            return instance;
        }
        auto instance = std::make_unique<TorchInstance>();
        GuardTorch(m_source.file, "cannot be copied", [&] {
            const at::NoGradGuard leaves; // copies are not computed from the original
            instance->module = m_original.deepcopy();
            std::map<std::string, at::Tensor> parameters;
            for (const auto& parameter : instance->module.named_parameters())
            {
                parameters[parameter.name] = parameter.value;
            }
            for (const std::string& name : m_learned)
            {
                at::Tensor& tensor = parameters.at(name);
                tensor.set_data(tensor.contiguous());
                tensor.requires_grad_(true);
                instance->parameters.push_back(tensor);
            }
        });
        return instance;
    }

    /** @param instance from Take(), no longer in use */
    void PutBack(std::unique_ptr<TorchInstance> instance) const
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        m_idle.push_back(std::move(instance));
    }

  private:
    void Load()
    {
        std::ifstream stream(m_source.file, std::ios::binary);
        Require(stream.peek() != std::ifstream::traits_type::eof(),
                "TorchTask: '{}' cannot be read, or is empty",
                m_source.file);
        const std::string rule = "must be a TorchScript file, as torch.jit.script(module).save() "
                                 "writes it";
        m_original =
            GuardTorch(m_source.file, rule, [&] { return torch::jit::load(stream, at::kCPU); });
        Require(m_original.find_method("forward").has_value(),
                "TorchTask: '{}': the module must have a method forward()",
                m_source.file);
        m_original.train();
    }

    /** Find the parameters that are learned, and check them. */
    void FindParameters()
    {
        std::map<const void*, std::string> names;
        std::vector<Eigen::VectorXd> parts;
        Eigen::Index size = 0;
        for (const auto& parameter : m_original.named_parameters())
        {
            const at::Tensor& tensor = parameter.value;
            if (!tensor.requires_grad())
            {
                continue;
            }
            const auto require = [&](bool condition, const auto&... rule) {
                Require(condition,
                        "TorchTask: '",
                        m_source.file,
                        "': parameter '",
                        parameter.name,
                        "' must ",
                        rule...);
            };
            require(tensor.scalar_type() == at::kFloat,
                    "be 32-bit float, got ",
                    c10::toString(tensor.scalar_type()));
            const auto [other, isNew] = names.insert({tensor.storage().data(), parameter.name});
            require(isNew || tensor.numel() == 0,
                    "have separate numbers, shares '",
                    other->second,
                    "'");
            const at::Tensor row = tensor.detach().contiguous();
            parts.push_back(Eigen::Map<const Eigen::VectorXf>(row.data_ptr<float>(), row.numel())
                                .cast<double>());
            require(parts.back().allFinite(), "be finite");
            size += parts.back().size();
            m_learned.push_back(parameter.name);
        }
        Require(
            size > 0 && size <= UINT32_MAX,
            "TorchTask: '{}': the module must have from 1 to 4294967295 parameters that require a "
            "gradient, got {}",
            m_source.file,
            size);
        m_initial.resize(size);
        size = 0;
        for (const Eigen::VectorXd& part : parts)
        {
            m_initial.segment(size, part.size()) = part;
            size += part.size();
        }
    }

    TorchSource m_source;                                       //!< file, shape and classes
    torch::jit::Module m_original;                              //!< never called: copies are
    std::vector<std::string> m_learned;                         //!< names of the learned parameters
    ModelVector m_initial;                                      //!< their values
    mutable std::mutex m_mutex;                                 //!< guards the next, and copying
    mutable std::vector<std::unique_ptr<TorchInstance>> m_idle; //!< copies not in use
};

/** Computes with a copy of the module, which it returns in the end. */
class FilePass : public TorchPass
{
  public:
    FilePass(const TorchCopies& copies, ConstVectorRef theta)
        : m_copies(copies),
          m_instance(copies.Take())
    {
        Eigen::Index first = 0;
        for (const at::Tensor& parameter : m_instance->parameters)
        {
            Eigen::Map<Eigen::VectorXf> values(parameter.data_ptr<float>(), parameter.numel());
            values = theta.segment(first, values.size()).cast<float>();
            first += values.size();
        }
    }

    ~FilePass() override { m_copies.PutBack(std::move(m_instance)); }

    Eigen::MatrixXf Forward(const Eigen::MatrixXf& inputs, WayBack back) override
    {
        const TorchSource& source = m_copies.GetSource();
        std::vector<int64_t> sizes{inputs.cols()};
        sizes.insert(sizes.end(), source.shape.begin(), source.shape.end());
        const at::AutoGradMode mode(back != WayBack::NONE);
        GuardTorch(source.file, "forward() failed for an input of " + DescribeSizes(sizes), [&] {
            m_inputs = at::empty(sizes, at::kFloat);
            Eigen::Map<Eigen::MatrixXf>(m_inputs.data_ptr<float>(), inputs.rows(), inputs.cols()) =
                inputs;
            // Only then: elsewhere it would hide that nothing depends on the parameters. A leaf
            // that requires a gradient must not be overwritten, as a module may do with what it
            // gets.
            m_inputs.requires_grad_(back == WayBack::TO_INPUTS);
            const c10::IValue result = m_instance->module.forward(
                {m_inputs.requires_grad() ? m_inputs.clone() : m_inputs});
            Require(result.isTensor(),
                    "TorchTask: '{}': forward() must return one tensor, got {}",
                    source.file,
                    result.tagKind());
            m_outputs = result.toTensor();
        });
        const std::vector<int64_t> wanted{inputs.cols(), source.classes};
        Require(
            m_outputs.sizes() == wanted && m_outputs.scalar_type() == at::kFloat,
            "TorchTask: '{}': forward() must return float numbers of {} (samples x classes), got "
            "{} numbers of {}",
            source.file,
            DescribeSizes(wanted),
            c10::toString(m_outputs.scalar_type()),
            DescribeSizes(m_outputs.sizes()));
        const at::Tensor rows = m_outputs.detach().contiguous();
        return Eigen::Map<const Eigen::MatrixXf>(rows.data_ptr<float>(),
                                                 source.classes,
                                                 inputs.cols());
    }

    void AddGradient(const Eigen::MatrixXf& slopes, VectorRef gradient) override
    {
        TryGradient(slopes, gradient);
    }

    Eigen::MatrixXf GetInputGradient(const Eigen::MatrixXf& slopes) override
    {
        const Eigen::Index features = m_inputs.numel() / slopes.cols();
        const at::Tensor derivative = Differentiate({m_inputs}, slopes).front();
        if (!derivative.defined())
        {
            return Eigen::MatrixXf::Zero(features, slopes.cols());
        }
        return Eigen::Map<const Eigen::MatrixXf>(derivative.data_ptr<float>(),
                                                 features,
                                                 slopes.cols());
    }

    /** @return the module's buffers, which are not learned */
    std::map<std::string, at::Tensor> CopyBuffers() const
    {
        std::map<std::string, at::Tensor> buffers;
        for (const auto& buffer : m_instance->module.named_buffers())
        {
            buffers[buffer.name] = buffer.value.clone();
        }
        return buffers;
    }

    /** @return as AddGradient(): whether the outputs depended on any parameter */
    bool TryGradient(const Eigen::MatrixXf& slopes, VectorRef gradient)
    {
        bool depends = false;
        Eigen::Index first = 0;
        const auto& parameters = m_instance->parameters;
        const auto derivatives = Differentiate(parameters, slopes);
        for (size_t k = 0; k < parameters.size(); ++k)
        {
            const Eigen::Index size = parameters[k].numel();
            if (derivatives[k].defined())
            {
                gradient.segment(first, size) +=
                    Eigen::Map<const Eigen::VectorXf>(derivatives[k].data_ptr<float>(), size)
                        .cast<double>();
                depends = true;
            }
            first += size;
        }
        return depends;
    }

  private:
    /**
     * @return the derivatives of the outputs by some tensors, contiguous; undefined where the
     *         outputs do not depend on one
     */
    std::vector<at::Tensor> Differentiate(const std::vector<at::Tensor>& by,
                                          const Eigen::MatrixXf& slopes) const
    {
        std::vector<at::Tensor> derivatives(by.size());
        if (!m_outputs.requires_grad())
        {
            return derivatives; // LibTorch would throw, but only when none of them is there
        }
        GuardTorch(m_copies.GetSource().file, "the way back failed", [&] {
            const at::Tensor weights = at::empty({slopes.cols(), slopes.rows()}, at::kFloat);
            Eigen::Map<Eigen::MatrixXf>(weights.data_ptr<float>(), slopes.rows(), slopes.cols()) =
                slopes;
            derivatives = torch::autograd::grad({m_outputs}, by, {weights}, false, false, true);
            for (at::Tensor& derivative : derivatives)
            {
                if (derivative.defined())
                {
                    derivative = (derivative.is_sparse() ? derivative.to_dense() : derivative);
                    derivative = derivative.contiguous();
                }
            }
        });
        return derivatives;
    }

    const TorchCopies& m_copies;               //!< has the file
    std::unique_ptr<TorchInstance> m_instance; //!< of the module
    at::Tensor m_inputs;                       //!< of the last Forward()
    at::Tensor m_outputs;                      //!< of the last Forward()
};

/** The count of a thread. */
struct Count
{
    double products{0}; //!< up to now
    int depth{0};       //!< of counted operations: one may be done by way of another
};

thread_local Count g_count; //!< LibTorch calls functions without arguments of ours

/** An operation that is counted, while it runs. */
struct Operation : public at::ObserverContext
{
    double products{0};  //!< known at its beginning
    double perOutput{0}; //!< for each number that it returns
};

/** @return products of a convolution for each number that its filters sum up or spread */
double
GetProductsPerPlace(const at::Tensor& weight)
{
    return static_cast<double>(weight.numel()) / static_cast<double>(weight.size(0));
}

/** @return its products; null when it is not one that is counted */
std::unique_ptr<Operation>
Examine(const char* name, c10::ArrayRef<const c10::IValue> in)
{
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    const auto numbers = [&in](size_t k) { return static_cast<double>(in[k].toTensor().numel()); };
    // The last dimension of the second factor: how often each number of the first is used.
    const auto columns = [&in](size_t k) { return static_cast<double>(in[k].toTensor().size(-1)); };
    auto operation = std::make_unique<Operation>();
    if (is("aten::mm") || is("aten::bmm"))
    {
        operation->products = numbers(0) * columns(1);
    }
    else if (is("aten::addmm") || is("aten::baddbmm"))
    {
        operation->products = numbers(1) * columns(2);
    }
    else if (is("aten::mv") || is("aten::dot"))
    {
        operation->products = numbers(0);
    }
    else if (is("aten::addmv"))
    {
        operation->products = numbers(1);
    }
    else if (is("aten::convolution"))
    {
        // input, weight, bias, stride, padding, dilation, transposed, ...
        const double each = GetProductsPerPlace(in[1].toTensor());
        const bool transposed = in[6].toBool();
        operation->products = transposed ? numbers(0) * each : 0;
        operation->perOutput = transposed ? 0 : each;
    }
    else if (is("aten::convolution_backward"))
    {
        // output's slope, input, weight, bias, stride, padding, dilation, transposed, output
        // padding, groups, which of the slopes by input, weight, bias are wanted
        const auto wanted = in[10].toBoolList();
        operation->products = numbers(in[7].toBool() ? 1 : 0) *
                              GetProductsPerPlace(in[2].toTensor()) * (wanted[0] + wanted[1]);
    }
    else
    {
        return nullptr;
    }
    return operation;
}

std::unique_ptr<at::ObserverContext>
Begin(const at::RecordFunction& function)
{
    auto operation = Examine(function.name(), function.inputs());
    g_count.depth += operation != nullptr;
    return operation;
}

void
End(const at::RecordFunction& function, at::ObserverContext* context)
{
    const auto* operation = static_cast<const Operation*>(context);
    if (operation == nullptr || --g_count.depth > 0)
    {
        return;
    }
    g_count.products += operation->products;
    if (operation->perOutput > 0)
    {
        g_count.products +=
            operation->perOutput * static_cast<double>(function.outputs().at(0).toTensor().numel());
    }
}

/**
 * Counts the multiplications in matrix products and convolutions, forwards and back, that LibTorch
 * does in this thread while the counter exists. Operations on single values (activations,
 * normalization, biases) are not counted.
 */
class TorchProductCounter
{
  public:
    TorchProductCounter()
    {
        g_count = {};
        m_handle = at::addThreadLocalCallback(at::RecordFunctionCallback(&Begin, &End)
                                                  .needsInputs(true)
                                                  .needsOutputs(true)
                                                  .scopes({at::RecordScope::FUNCTION}));
    }

    ~TorchProductCounter() { at::removeCallback(m_handle); }

    TorchProductCounter(const TorchProductCounter&) = delete;
    TorchProductCounter& operator=(const TorchProductCounter&) = delete;

    /** @return multiplications up to now */
    double Get() const { return g_count.products; }

  private:
    uint64_t m_handle; //!< of the observer
};

/** A module in a file. */
class FileModule : public TorchModule
{
  public:
    explicit FileModule(TorchSource source)
        : m_copies(std::move(source))
    {
    }

    const ModelVector& GetInitialModel() const override { return m_copies.GetInitialModel(); }

    std::unique_ptr<TorchPass> Begin(ConstVectorRef theta) const override
    {
        return std::make_unique<FilePass>(m_copies, theta);
    }

    void Check(const Eigen::MatrixXf& inputs) const override
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
            Require(
                before != buffers.end() && before->second.equal(buffer),
                "{}changes the buffer '{}', but must not remember anything; instead of BatchNorm "
                "use GroupNorm",
                where,
                name);
        }
        Require(
            at::detail::getDefaultCPUGenerator().get_state().equal(random),
            where,
            "draws random numbers, but must compute the same again; take Dropout and the like out");
        Require(outputs.allFinite(),
                "{}must return finite numbers with the parameters in the file, got for a sample {}",
                where,
                outputs.leftCols(1).transpose());
        Require(outputs == again, where, "returns something else when it is called again");
        // Last, because the checks above explain most failures and their remedies.
        ModelVector gradient = ModelVector::Zero(m_copies.GetInitialModel().size());
        Require(pass.TryGradient(Eigen::MatrixXf::Ones(again.rows(), again.cols()), gradient),
                where,
                "returns numbers that depend on no parameter differentiably");
        // Batch statistics would differ altogether; sums in another order differ by rounding.
        const Eigen::VectorXf alone = pass.Forward(inputs.leftCols(1), TorchPass::WayBack::NONE);
        const float scale = outputs.cwiseAbs().maxCoeff();
        Require(
            (alone - outputs.col(0)).cwiseAbs().maxCoeff() <= 1e-3F * scale,
            where,
            "returns for a sample what depends on the samples beside it; instead of BatchNorm use "
            "GroupNorm");
    }

    double CountProducts(const Eigen::MatrixXf& input) const override
    {
        FilePass pass(m_copies, m_copies.GetInitialModel());
        ModelVector gradient = ModelVector::Zero(m_copies.GetInitialModel().size());
        PrepareTorchThread();
        const TorchProductCounter counter;
        pass.AddGradient(pass.Forward(input, TorchPass::WayBack::TO_PARAMETERS), gradient);
        return counter.Get();
    }

  private:
    TorchCopies m_copies; //!< of the module
};

} // namespace

} // namespace ns3::dlearn

ns3::dlearn::TorchModule*
DlearnLoadTorchModule(const ns3::dlearn::TorchSource& source)
{
    return new ns3::dlearn::FileModule(source);
}
