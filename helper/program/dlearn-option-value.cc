/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-option-value.h"

#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace ns3::dlearn
{

namespace
{

const std::string AUTO = "auto"; //!< text of a value that is nothing

/** Sets the values of options from text. */
class OptionReader
{
  public:
    OptionReader(const std::string& name, const std::string& text)
        : m_name(name),
          m_text(text)
    {
    }

    void operator()(std::string* value) const { *value = m_text; }

    void operator()(bool* value) const
    {
        std::string small = m_text;
        std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) {
            return std::tolower(c);
        });
        const bool yes = small == "true" || small == "t" || small == "1" || small.empty();
        Require(yes || small == "false" || small == "f" || small == "0",
                m_name,
                " must be true or false, got '",
                m_text,
                "'");
        *value = yes;
    }

    void operator()(uint32_t* value) const
    {
        const double number = ParseWhole();
        const uint32_t most = std::numeric_limits<uint32_t>::max();
        Require(number >= 0, m_name, " must be a whole number of at least 0, got '", m_text, "'");
        Require(number <= most, m_name, " must be at most ", most, ", got '", m_text, "'");
        *value = static_cast<uint32_t>(number);
    }

    void operator()(int64_t* value) const
    {
        const double number = ParseWhole();
        const double most = 9.2e18;
        Require(number >= -most && number <= most,
                m_name,
                " must be at most ",
                most,
                ", got '",
                m_text,
                "'");
        *value = std::stoll(m_text);
    }

    void operator()(double* value) const
    {
        const auto number = ParseNumber(m_text);
        Require(number.has_value(), m_name, " must be a number, got '", m_text, "'");
        *value = *number;
    }

    template <typename Value>
    void operator()(std::optional<Value>* value) const
    {
        value->reset();
        if (m_text != AUTO)
        {
            (*this)(&value->emplace());
        }
    }

  private:
    double ParseWhole() const
    {
        Require(IsWholeNumber(m_text, true), m_name, " must be a whole number, got '", m_text, "'");
        return ParseNumber(m_text).value();
    }

    const std::string& m_name; //!< of the option
    const std::string& m_text; //!< what the user wrote
};

/** Prints values of options. */
struct OptionPrinter
{
    std::string operator()(const std::string* value) const { return *value; }

    std::string operator()(const bool* value) const { return *value ? "true" : "false"; }

    std::string operator()(const uint32_t* value) const { return std::to_string(*value); }

    std::string operator()(const int64_t* value) const { return std::to_string(*value); }

    std::string operator()(const double* value) const { return FormatShortest(*value); }

    template <typename Value>
    std::string operator()(const std::optional<Value>* value) const
    {
        return *value ? (*this)(&**value) : AUTO;
    }
};

} // namespace

std::string
PrintOption(const OptionValue& value)
{
    return std::visit([](const auto* pointer) { return OptionPrinter()(pointer); }, value);
}

void
ReadOption(const OptionValue& value, const std::string& name, const std::string& text)
{
    std::visit(OptionReader(name, text), value);
}

} // namespace ns3::dlearn
