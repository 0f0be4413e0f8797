/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-torch-module.h"
#include "dlearn-torch-task.h"

#ifdef DLEARN_WITH_TORCH
#include <dlfcn.h>
#endif
#include <stdexcept>

namespace ns3::dlearn
{

#ifdef DLEARN_WITH_TORCH

namespace
{

using LoadFunction = decltype(&DlearnLoadTorchModule);

/** @return the function of the library dlearn-torch, which is beside the library of this code */
LoadFunction
FindLoadFunction()
{
    std::string path = "libdlearn-torch.so";
    Dl_info here{};
    if (dladdr(reinterpret_cast<void*>(&FindLoadFunction), &here) != 0 && here.dli_fname)
    {
        const std::string file = here.dli_fname;
        path = file.substr(0, file.rfind('/') + 1) + path;
    }
    // Never closed: LibTorch has threads and registries that would not survive.
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* function = library ? dlsym(library, "DlearnLoadTorchModule") : nullptr;
    if (!function)
    {
        throw std::runtime_error(std::string("TorchTask: cannot load LibTorch: ") + dlerror());
    }
    return reinterpret_cast<LoadFunction>(function);
}

} // namespace

bool
HasTorch()
{
    return true;
}

std::shared_ptr<const TorchModule>
LoadTorchModule(const TorchSource& source)
{
    static const LoadFunction load = FindLoadFunction();
    return std::shared_ptr<const TorchModule>(load(source));
}

#else

bool
HasTorch()
{
    return false;
}

std::shared_ptr<const TorchModule>
LoadTorchModule(const TorchSource& /* source */)
{
    throw std::runtime_error("TorchTask: dlearn was built without LibTorch; on Debian: apt-get "
                             "install libtorch-dev, then configure and build again");
}

#endif

} // namespace ns3::dlearn
