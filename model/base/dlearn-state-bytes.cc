/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-state-bytes.h"

#include "dlearn-check.h"

#include <cstring>
#include <utility>

namespace ns3::dlearn
{

StateBytes::StateBytes(std::string bytes)
    : m_loading(true),
      m_bytes(std::move(bytes))
{
}

void
StateBytes::Begin(const std::string& name)
{
    std::string found = name;
    Visit(found);
    Require(found == name,
            "the saved state does not fit the run: expected that of ",
            name,
            " after ",
            m_name.empty() ? "the beginning" : m_name);
    m_name = name;
}

void
StateBytes::CheckEnd() const
{
    Require(m_next == m_bytes.size(),
            "the saved state does not fit the run: ",
            m_bytes.size() - m_next,
            " bytes are left after ",
            m_name);
}

void
StateBytes::Visit(void* value, size_t size)
{
    if (!m_loading)
    {
        m_bytes.append(static_cast<const char*>(value), size);
        return;
    }
    RequireMore(size <= m_bytes.size() - m_next);
    if (size > 0)
    {
        std::memcpy(value, m_bytes.data() + m_next, size);
    }
    m_next += size;
}

void
StateBytes::Visit(std::string& text)
{
    const uint64_t size = VisitSize(text.size());
    if (m_loading)
    {
        text.resize(size);
    }
    Visit(text.data(), size);
}

uint64_t
StateBytes::VisitSize(uint64_t size)
{
    VisitNumber(size);
    // Memory for what is not there must not be asked for.
    RequireMore(!m_loading || size <= m_bytes.size() - m_next);
    return size;
}

void
StateBytes::CheckMatrix(uint64_t rows, uint64_t cols, uint64_t entry, uint64_t wanted) const
{
    constexpr uint64_t MOST = uint64_t{1} << 31; // so that no product overflows
    RequireMore(cols == wanted && rows <= MOST && cols <= MOST &&
                rows * cols <= (m_bytes.size() - m_next) / entry);
}

void
StateBytes::RequireMore(bool fits) const
{
    Require(fits, "the saved state ends within that of ", m_name);
}

} // namespace ns3::dlearn
