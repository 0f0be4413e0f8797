/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-check.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace ns3::dlearn::fuzz
{

Input::Input(const uint8_t* data, size_t size)
    : m_data(data),
      m_size(size)
{
}

bool
Input::HasMore() const
{
    return m_size > 0;
}

uint8_t
Input::TakeByte()
{
    if (m_size == 0)
    {
        return 0;
    }
    --m_size;
    return *m_data++;
}

uint32_t
Input::TakeNumber()
{
    uint32_t number = 0;
    for (int shift = 0; shift < 32; shift += 8)
    {
        number |= uint32_t{TakeByte()} << shift;
    }
    return number;
}

std::vector<uint8_t>
Input::TakeBytes(size_t most)
{
    const size_t count = std::min(most, m_size);
    std::vector<uint8_t> bytes(m_data, m_data + count);
    m_data += count;
    m_size -= count;
    return bytes;
}

std::string
Input::TakeRest()
{
    const auto bytes = TakeBytes(m_size);
    return {bytes.begin(), bytes.end()};
}

std::string
WriteFile(const std::string& bytes, int number)
{
    static const int files[] = {memfd_create("dlearn-fuzz", 0), memfd_create("dlearn-fuzz", 0)};
    const int file = files[number];
    Demand(ftruncate(file, 0) == 0 &&
               pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
           "a file in memory can be written");
    return "/proc/self/fd/" + std::to_string(file);
}

bool
HasLongNumber(const std::string& text)
{
    size_t digits = 0;
    for (const unsigned char c : text)
    {
        digits = std::isdigit(c) ? digits + 1 : 0;
        if (digits > 4)
        {
            return true;
        }
    }
    return false;
}

void
Demand(bool condition, const char* what)
{
    if (!condition)
    {
        std::fprintf(stderr, "not so: %s\n", what);
        std::abort();
    }
}

} // namespace ns3::dlearn::fuzz

/** Called by libFuzzer once; writes the seeds to the folder that DLEARN_FUZZ_SEEDS names. */
extern "C" int
LLVMFuzzerInitialize(int* /* argc */, char*** /* argv */)
{
    if (const char* folder = std::getenv("DLEARN_FUZZ_SEEDS"))
    {
        size_t number = 0;
        for (const std::string& seed : ns3::dlearn::fuzz::GetSeeds())
        {
            std::ofstream file(std::string(folder) + "/seed-" + std::to_string(number++),
                               std::ios::binary);
            file << seed;
        }
    }
    return 0;
}

/** Called by libFuzzer for each input. */
extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    ns3::dlearn::fuzz::Input input(data, size);
    try
    {
        ns3::dlearn::fuzz::Fuzz(input);
    }
    catch (const std::invalid_argument&)
    {
    }
    catch (const std::runtime_error&)
    {
    }
    return 0;
}
