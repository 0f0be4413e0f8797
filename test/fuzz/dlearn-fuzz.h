/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FUZZ_H
#define DLEARN_FUZZ_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/**
 * @file
 * What all fuzz targets share. A target is one source file that defines GetSeeds() and Fuzz(); it
 * becomes a program of libFuzzer, which test/fuzz.sh builds and runs. Whatever is refused with
 * std::invalid_argument or std::runtime_error is refused well; any other exception, a signal, what
 * a sanitizer finds and a Demand() that is not met are failures.
 */

namespace ns3::dlearn::fuzz
{

/** Takes the bytes of an input apart; when they are used up, zeros follow. */
class Input
{
  public:
    /**
     * @param data the bytes
     * @param size how many
     */
    Input(const uint8_t* data, size_t size);

    /** @return whether bytes are left */
    bool HasMore() const;

    /** @return the next byte */
    uint8_t TakeByte();

    /** @return the next four bytes as a number, the lowest first */
    uint32_t TakeNumber();

    /**
     * @param most how many bytes at most
     * @return the next bytes, as many as there are
     */
    std::vector<uint8_t> TakeBytes(size_t most);

    /** @return all other bytes */
    std::string TakeRest();

  private:
    const uint8_t* m_data; //!< bytes that are left
    size_t m_size;         //!< how many
};

/**
 * @param bytes contents
 * @param number which file, 0 or 1
 * @return path of a file in memory with these contents, until the next call with this number
 */
std::string WriteFile(const std::string& bytes, int number = 0);

/**
 * @param text any text
 * @return whether it has so many digits in a row that a reader would only measure allocation
 */
bool HasLongNumber(const std::string& text);

/**
 * @param condition what must hold
 * @param what it is, for the message with which the program aborts otherwise
 */
void Demand(bool condition, const char* what);

/** @return inputs from which to begin; defined by each target */
std::vector<std::string> GetSeeds();

/** @param input what to try; defined by each target */
void Fuzz(Input& input);

} // namespace ns3::dlearn::fuzz

#endif // DLEARN_FUZZ_H
