/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PROGRAM_ARGUMENTS_H
#define DLEARN_PROGRAM_ARGUMENTS_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The contents of a command line. A run refuses options without an effect, and records the command
 * line in its results. Of several compared runs only the first is strict, because an option may
 * affect only some of them.
 */
struct Invocation
{
    std::string command;                           //!< for a shell; without the program's folder
    std::set<std::string> options;                 //!< names of the given options
    std::map<std::string, std::string> attributes; //!< of ns-3's types, by full name
    std::map<std::string, std::string> globals;    //!< global values of ns-3
    std::map<std::string, std::string> more;       //!< options of this program only
    bool strict{true};                             //!< whether to refuse options without an effect
};

/**
 * @ingroup dlearn
 * @param invocation a command line
 * @param option name of an option
 * @param missing the missing requirement for an effect of the option; empty: none
 * @throw std::invalid_argument when the option was given, and a requirement is missing
 */
void RefuseWithoutEffect(const Invocation& invocation,
                         const std::string& option,
                         const std::string& missing);

/**
 * @ingroup dlearn
 * Pointer to the value of an option. An unset value is printed as "auto".
 */
using OptionValue = std::variant<std::string*,
                                 bool*,
                                 uint32_t*,
                                 int64_t*,
                                 double*,
                                 std::optional<uint32_t>*,
                                 std::optional<double>*>;

/**
 * @ingroup dlearn
 * @param value the value of an option
 * @return the value as text, as a user would write it
 */
std::string PrintOption(const OptionValue& value);

/**
 * @ingroup dlearn
 * @param value the value of an option, which is set
 * @param name name of the option, for the message
 * @param text the value as text
 * @throw std::invalid_argument naming the option and the violated rule
 */
void ReadOption(const OptionValue& value, const std::string& name, const std::string& text);

/**
 * @ingroup dlearn
 * Refuse an attribute on which ns3::CommandLine would abort.
 *
 * @param name "ns3::TYPE::ATTRIBUTE"
 * @param value its value
 * @return the current name, also for a deprecated name of the type
 * @throw std::invalid_argument when the attribute does not exist or the value is invalid
 */
std::string CheckAttribute(const std::string& name, const std::string& value);

/**
 * @ingroup dlearn
 * Refuse a value on which ns3::CommandLine would abort.
 *
 * @param name name of a global value of ns-3, or of an option with which CommandLine prints
 *        information
 * @param value its value
 * @throw std::invalid_argument when the value is invalid
 */
void CheckGlobal(const std::string& name, const std::string& value);

/**
 * @ingroup dlearn
 * @param name name of an option
 * @return whether ns-3 has a global value of that name
 */
bool IsGlobal(const std::string& name);

/**
 * @ingroup dlearn
 * @param name name of an option
 * @return whether ns3::CommandLine prints information for this option and ends the program
 */
bool IsQuery(const std::string& name);

/**
 * @ingroup dlearn
 * @param word an argument of a program
 * @return the word, quoted for a POSIX shell
 */
std::string QuoteForShell(const std::string& word);

/**
 * @ingroup dlearn
 * The command line of a program: options --name=value in groups, and all arguments of ns-3's
 * CommandLine (attributes, --RngRun, --PrintTypeIds, ...). Unlike CommandLine it is strict: it
 * refuses, with one message, words that CommandLine ignores (words that are not options, text after
 * the digits of a number: 2e3 rounds are 2) and values of attributes and global values on which
 * CommandLine aborts.
 */
class ProgramArguments
{
  public:
    /** @param file name of the program's source, __FILE__ */
    explicit ProgramArguments(const std::string& file);

    /** @param text the first lines of --help */
    void Usage(const std::string& text) { m_usage = text; }

    /** Returns the command-line words in a file or directory. */
    using WordReader = std::function<std::vector<std::string>(const std::string& path)>;

    /**
     * Add an option --NAME=PATH that is replaced by other words.
     *
     * @param name name of the option
     * @param what name of the value, for --help
     * @param help description of the option
     * @param read returns the words
     */
    void AddReader(const std::string& name,
                   const std::string& what,
                   const std::string& help,
                   WordReader read);

    /** @param title title of the following options, for --help */
    void BeginGroup(const std::string& title) { m_group = title; }

    /**
     * @param name name of the option
     * @param help description
     * @param value its default; gets the user's value
     * @param aliases other names of it
     * @param alone its value if it is given without one; empty: it needs a value, unless it is
     *        boolean
     */
    void AddOption(const std::string& name,
                   const std::string& help,
                   OptionValue value,
                   const std::vector<std::string>& aliases = {},
                   const std::string& alone = "");

    /**
     * @tparam Value a type to which an OptionValue can point
     * @param name name of the option
     * @param help description
     * @param value its default; gets the user's value
     * @param aliases other names of it
     */
    template <typename Value>
    void AddValue(const std::string& name,
                  const std::string& help,
                  Value& value,
                  const std::vector<std::string>& aliases = {})
    {
        AddOption(name, help, &value, aliases);
    }

    /** Returns values of options, by name, for a value of the option that stands for them. */
    using PresetFinder = std::function<std::map<std::string, std::string>(const std::string&)>;

    /**
     * Let an option change the defaults of other options.
     *
     * @param name name of the option
     * @param find returns the new defaults
     */
    void SetPresets(const std::string& name, PresetFinder find) { m_presets = {name, find}; }

    /** Names the other programs that have an option; empty: none. */
    using OwnerFinder = std::function<std::string(const std::string& name)>;

    /** @param find called for unknown options */
    void SetOwnerFinder(OwnerFinder find) { m_findOwner = std::move(find); }

    /**
     * Set the values; or print information for --help and similar options, and end the program. If
     * an option, attribute or global value is given more than once, the last value counts. This
     * also selects a fast event scheduler, unless --SchedulerType is given.
     *
     * @param argc as of main()
     * @param argv as of main()
     * @throw std::invalid_argument naming the word and the violated rule
     */
    void Parse(int argc, char* argv[]);

    /**
     * Add words as if they were on the command line, unless the command line or its files set the
     * same targets.
     * @param words options, attributes, global values
     * @throw std::invalid_argument naming the word and the violated rule
     */
    void ParseMore(const std::vector<std::string>& words);

    const Invocation& GetInvocation() const { return m_invocation; }

    /**
     * @param options names of options
     * @return the original command line, without these
     */
    std::string MakeCommandWithout(const std::set<std::string>& options) const;

  private:
    struct Option
    {
        std::string group;   //!< title of its group
        std::string name;    //!< after the two dashes
        std::string help;    //!< description
        std::string initial; //!< default value as text
        OptionValue value;
        std::vector<std::string> aliases;
        std::string alone; //!< value if given without one; empty: required
    };

    /** An option that is replaced by other words. */
    struct Reader
    {
        std::string name; //!< after the two dashes
        std::string what; //!< name of its value
        std::string help; //!< description
        WordReader read;
    };

    /** @return the reader of that name, or null */
    const Reader* FindReader(const std::string& name) const;

    /** @return the option of that name or alias, or null */
    Option* Find(const std::string& name);

    /** @return the main name of the option, attribute or global value that a word sets */
    std::string GetTarget(const std::string& word);

    void Take(const std::string& word, bool typed);

    /** Give options that are not given yet the defaults of a preset. */
    void TakePreset(const std::string& preset);

    /** Take an attribute, a global value or a general argument of ns-3. */
    void TakeGeneral(const std::string& word, const std::string& name, const std::string& value);

    [[noreturn]] void RefuseUnknown(const std::string& word, const std::string& name) const;

    /** Pass the general arguments to ns3::CommandLine. */
    void ApplyGeneral();

    void PrintHelp() const;

    std::string m_file;
    std::string m_usage;
    std::string m_group;                //!< of the following options
    std::vector<Option> m_options;      //!< in the order of --help
    std::vector<std::string> m_general; //!< words for ns3::CommandLine
    Invocation m_invocation;
    std::vector<Reader> m_readers;
    OwnerFinder m_findOwner;                        //!< see SetOwnerFinder(); may be empty
    std::pair<std::string, PresetFinder> m_presets; //!< see SetPresets()

    /** The targets of the given words (GetTarget()), and the words. */
    std::vector<std::pair<std::string, std::string>> m_typed;
};

} // namespace ns3::dlearn

#endif // DLEARN_PROGRAM_ARGUMENTS_H
