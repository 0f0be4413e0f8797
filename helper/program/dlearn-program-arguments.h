/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PROGRAM_ARGUMENTS_H
#define DLEARN_PROGRAM_ARGUMENTS_H

#include "ns3/command-line.h"

#include <map>
#include <string>
#include <type_traits>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * ns-3's CommandLine, made strict: what that one ignores (words that are no options, anything
 * after the digits of a number: 2e3 rounds are 2) or aborts on (values of attributes and
 * global values that can not be read) is refused with one message.
 */
class ProgramArguments
{
  public:
    /** @param file name of the program's source, __FILE__ */
    explicit ProgramArguments(const std::string& file);

    /** @param text what --help begins with */
    void Usage(const std::string& text);

    /**
     * @tparam Value std::string, bool or a number
     * @param name of the option
     * @param help what it means
     * @param value its default; gets the user's value
     */
    template <typename Value>
    void AddValue(const std::string& name, const std::string& help, Value& value)
    {
        m_commandLine.AddValue(name, help, value);
        if (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>)
        {
            m_numbers[name] = std::is_integral_v<Value>;
        }
    }

    /**
     * Also chooses a fast scheduler of events, unless --SchedulerType names another.
     *
     * @param argc as of main()
     * @param argv as of main()
     * @throw std::invalid_argument naming the word, and the rule that it breaks
     */
    void Parse(int argc, char* argv[]);

  private:
    void Check(const std::string& word) const;

    CommandLine m_commandLine;             //!< does the rest
    std::map<std::string, bool> m_numbers; //!< options that are numbers -> whole numbers
};

} // namespace ns3::dlearn

#endif // DLEARN_PROGRAM_ARGUMENTS_H
