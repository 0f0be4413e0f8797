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
 * What a command line said. A run refuses what it said without effect, and its results record it.
 * Of runs that a program compares only the first is strict: an option may mean something to some of
 * them.
 */
struct Invocation
{
    std::string command;                           //!< for a shell; without the program's folder
    std::set<std::string> options;                 //!< names of options that it had
    std::map<std::string, std::string> attributes; //!< of ns-3's types, by full name
    std::map<std::string, std::string> globals;    //!< global values of ns-3
    std::map<std::string, std::string> more;       //!< options that only this program has
    bool strict{true};                             //!< refuse what has no effect
};

/**
 * @ingroup dlearn
 * @param invocation what a command line said
 * @param option name of an option
 * @param missing what the option needs to have an effect, and is not there; empty for nothing
 * @throw std::invalid_argument when the command line had the option, and something is missing
 */
void RefuseWithoutEffect(const Invocation& invocation,
                         const std::string& option,
                         const std::string& missing);

/**
 * @ingroup dlearn
 * Where the value of an option is. A value that is not set prints as "auto".
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
 * @param value of an option
 * @return it as text, as a user would write it
 */
std::string PrintOption(const OptionValue& value);

/**
 * @ingroup dlearn
 * @param value of an option; gets what the text says
 * @param name of the option, for the message
 * @param text as a user writes it
 * @throw std::invalid_argument naming the option, and the rule that the text breaks
 */
void ReadOption(const OptionValue& value, const std::string& name, const std::string& text);

/**
 * @ingroup dlearn
 * Refuse an attribute that ns3::CommandLine would abort on.
 *
 * @param name "ns3::TYPE::ATTRIBUTE"
 * @param value its value
 * @return its name, also where the given one has an older name of the type, which ns-3 knows, too
 * @throw std::invalid_argument when there is no such attribute, or it cannot have the value
 */
std::string CheckAttribute(const std::string& name, const std::string& value);

/**
 * @ingroup dlearn
 * Refuse a value that ns3::CommandLine would abort on.
 *
 * @param name of a global value of ns-3, or of an option that makes its CommandLine print something
 * @param value its value
 * @throw std::invalid_argument when it cannot have the value
 */
void CheckGlobal(const std::string& name, const std::string& value);

/**
 * @ingroup dlearn
 * @param name of an option
 * @return whether ns-3 has a global value of that name
 */
bool IsGlobal(const std::string& name);

/**
 * @ingroup dlearn
 * @param name of an option
 * @return whether ns3::CommandLine prints something because of it, and ends the program
 */
bool IsQuery(const std::string& name);

/**
 * @ingroup dlearn
 * @param word an argument of a program
 * @return it as a POSIX shell takes it
 */
std::string QuoteForShell(const std::string& word);

/**
 * @ingroup dlearn
 * The command line of a program: options --name=value in groups, and all that ns-3's CommandLine
 * knows besides (attributes, --RngRun, --PrintTypeIds, ...). Unlike that one it is strict: what it
 * ignores (words that are no options, anything after the digits of a number: 2e3 rounds are 2) or
 * aborts on (values of attributes and global values that cannot be read) is refused with one
 * message.
 */
class ProgramArguments
{
  public:
    /** @param file name of the program's source, __FILE__ */
    explicit ProgramArguments(const std::string& file);

    /** @param text what --help begins with */
    void Usage(const std::string& text) { m_usage = text; }

    /** Returns the words that a file or directory stands for. */
    using WordReader = std::function<std::vector<std::string>(const std::string& path)>;

    /**
     * Have an option --NAME=PATH that stands for other words.
     *
     * @param name of the option
     * @param what a path is, for --help
     * @param help what the option means
     * @param read returns the words
     */
    void AddReader(const std::string& name,
                   const std::string& what,
                   const std::string& help,
                   WordReader read);

    /** @param title of the options that are added next, for --help */
    void BeginGroup(const std::string& title) { m_group = title; }

    /**
     * @param name of the option
     * @param help what it means
     * @param value its default; gets the user's value
     * @param aliases other names of it
     * @param alone its value when none is written; empty: it needs one, unless it is true or false
     */
    void AddOption(const std::string& name,
                   const std::string& help,
                   OptionValue value,
                   const std::vector<std::string>& aliases = {},
                   const std::string& alone = "");

    /**
     * @tparam Value as an OptionValue points to
     * @param name of the option
     * @param help what it means
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

    /** Says which other programs have an option; nothing for none. */
    using OwnerFinder = std::function<std::string(const std::string& name)>;

    /** @param find is asked about options that this program does not have */
    void SetOwnerFinder(OwnerFinder find) { m_findOwner = std::move(find); }

    /**
     * Set the values; or print what --help and its like ask for, and end the program. Of an option,
     * attribute or global value that is given more than once, the last value counts. Also chooses
     * a fast scheduler of events, unless --SchedulerType names another.
     *
     * @param argc as of main()
     * @param argv as of main()
     * @throw std::invalid_argument naming the word, and the rule that it breaks
     */
    void Parse(int argc, char* argv[]);

    /**
     * Have more words, as if they were on the command line, for what that and the files that it
     * names do not say.
     * @param words options, attributes, global values
     * @throw std::invalid_argument naming the word, and the rule that it breaks
     */
    void ParseMore(const std::vector<std::string>& words);

    /** @return what the command line said */
    const Invocation& GetInvocation() const { return m_invocation; }

    /**
     * @param options names of options
     * @return the command line that was typed, without these
     */
    std::string MakeCommandWithout(const std::set<std::string>& options) const;

  private:
    /** One option. */
    struct Option
    {
        std::string group;                //!< title
        std::string name;                 //!< after the two dashes
        std::string help;                 //!< what it means
        std::string initial;              //!< its default as text
        OptionValue value;                //!< where it is
        std::vector<std::string> aliases; //!< other names
        std::string alone;                //!< its value when none is written; empty: it needs one
    };

    /** An option that stands for others. */
    struct Reader
    {
        std::string name; //!< after the two dashes
        std::string what; //!< what its value is
        std::string help; //!< what it means
        WordReader read;  //!< returns the others
    };

    /** @return the option of that name that reads words; null for none */
    const Reader* FindReader(const std::string& name) const;

    /** @return the option of that name or alias; null for none */
    Option* Find(const std::string& name);

    /** @return what a word sets, by its only name, whatever the name in the word */
    std::string GetTarget(const std::string& word);

    void Take(const std::string& word, bool typed);

    /** Take an attribute, a global value or a general argument of ns-3. */
    void TakeGeneral(const std::string& word, const std::string& name, const std::string& value);

    [[noreturn]] void RefuseUnknown(const std::string& word, const std::string& name) const;

    /** Hand the general arguments to ns3::CommandLine. */
    void ApplyGeneral();

    /** Print what --help asks for. */
    void PrintHelp() const;

    std::string m_file;                 //!< name of the source
    std::string m_usage;                //!< what --help begins with
    std::string m_group;                //!< of the options that are added next
    std::vector<Option> m_options;      //!< in the order of --help
    std::vector<std::string> m_general; //!< words for ns-3's own command line
    Invocation m_invocation;            //!< what the command line said
    std::vector<Reader> m_readers;      //!< options that stand for others
    OwnerFinder m_findOwner;            //!< see SetOwnerFinder(); may be empty

    /** What the words that were typed set, and the words. */
    std::vector<std::pair<std::string, std::string>> m_typed;
};

} // namespace ns3::dlearn

#endif // DLEARN_PROGRAM_ARGUMENTS_H
