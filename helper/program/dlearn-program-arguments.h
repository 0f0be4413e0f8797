/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PROGRAM_ARGUMENTS_H
#define DLEARN_PROGRAM_ARGUMENTS_H

#include "dlearn-invocation.h"
#include "dlearn-option-value.h"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

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
     * Have more words, as if they were on the command line. Attributes and global values that were
     * given there stay as they are.
     * @param words options, attributes, global values
     * @param overFiles whether they win over those of files that the command line names
     * @throw std::invalid_argument naming the word, and the rule that it breaks
     */
    void ParseMore(const std::vector<std::string>& words, bool overFiles);

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

    /**
     * @param word of the command line or of a file
     * @param typed whether it is of the command line
     */
    void Take(const std::string& word, bool typed);

    /**
     * Take an attribute, a global value or a general argument of ns-3.
     *
     * @param word as it was typed
     * @param name before the equals sign
     * @param value after it
     */
    void TakeGeneral(const std::string& word, const std::string& name, const std::string& value);

    /**
     * @param word as it was typed
     * @param name that no option has
     * @throw std::invalid_argument which names the nearest option
     */
    [[noreturn]] void RefuseUnknown(const std::string& word, const std::string& name) const;

    /**
     * @param name that no option has
     * @return a few options that have the word in their names or help; empty for none or many
     */
    std::string ListRelated(const std::string& name) const;

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
