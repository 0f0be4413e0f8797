/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STATE_BYTES_H
#define DLEARN_STATE_BYTES_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Bytes that values are saved to, one after the other, or loaded from in the same order: what a
 * StateArchive is made of. Nothing that is loaded is trusted: what does not fit is refused with
 * std::invalid_argument, before memory is asked for.
 */
class StateBytes
{
  public:
    /** Bytes to save to. */
    StateBytes() = default;

    /**
     * Bytes to load from.
     * @param bytes what was saved
     */
    explicit StateBytes(std::string bytes);

    /** @return whether values are loaded; else they are saved */
    bool IsLoading() const
    {
        return m_loading;
    }

    /** @return what was saved so far, or all that is to be loaded */
    const std::string& GetBytes() const
    {
        return m_bytes;
    }

    /**
     * What follows belongs together. Loading refuses bytes that have something else here.
     * @param name of it
     */
    void Begin(const std::string& name);

    /** @throw std::invalid_argument when something is left to be loaded */
    void CheckEnd() const;

    /**
     * @param value that is saved, or gets what was saved
     * @param size of it in bytes
     */
    void Visit(void* value, size_t size);

    /** @param text that is saved or loaded */
    void Visit(std::string& text);

    /**
     * @param value a number, saved or loaded
     */
    template <typename Number>
    void VisitNumber(Number& value)
    {
        Visit(&value, sizeof(value));
    }

    /**
     * @param size number of items that follow, when it is saved; each takes a byte at least
     * @return the same, or the number that was saved
     */
    uint64_t VisitSize(uint64_t size);

    /**
     * Check the size of a matrix that follows, when it is loaded.
     *
     * @param rows of the matrix
     * @param cols of the matrix
     * @param entry bytes of an entry
     * @param wanted columns that it must have
     */
    void CheckMatrix(uint64_t rows, uint64_t cols, uint64_t entry, uint64_t wanted) const;

  private:
    /**
     * @param fits whether what is to be loaded is there
     * @throw std::invalid_argument when it is not
     */
    void RequireMore(bool fits) const;

    bool m_loading{false}; //!< whether values are loaded
    std::string m_bytes;   //!< saved, or to be loaded
    size_t m_next{0};      //!< byte that is loaded next
    std::string m_name;    //!< of the last Begin()
};

} // namespace ns3::dlearn

#endif // DLEARN_STATE_BYTES_H
