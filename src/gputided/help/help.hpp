// Texts that are made from the option tables: --help, errors of usage, completion scripts of shells, man pages.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gputided {

// One option as these texts show it.
struct option_entry {
    std::vector<std::string> names;  // "-f", "--file"; of a positional argument: none
    std::string value;               // "FILE", "text|json"; "": a flag
    std::vector<std::string> choices;
    std::string help;  // with its default, and whether it is required
    std::string group;
    bool takes_file = false;
    bool is_repeatable = false;
};

struct command_entry {
    std::string name;  // "replay compare"
    std::string about;
    std::string footer;  // the example, and remarks
    std::vector<option_entry> options;
};

command_entry command_entry_of(const CLI::App& command);
std::vector<command_entry> command_entries(const CLI::App& root);

// Returns the second words of commands of two words: "compare", "tune" for "replay"; the name alone may be a command, too.
std::vector<std::string> second_words(const std::vector<command_entry>& commands, const std::string& first);

// Returns a line per word group of `text`, each at most `width` columns wide and indented; keeps its own line ends.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

// Returns the text of --help: of all commands for the root, else of this command.
std::string help_text(const CLI::App& app, std::size_t width);

// Returns the width of the terminal, or 100.
std::size_t output_width();

// Returns what is wrong with the command line, and what to write instead.
std::string usage_message(const CLI::App& root, const CLI::ParseError& wrong,
                          const std::vector<std::string>& arguments);

// shell: bash, zsh or fish.
std::string completion_script(const std::vector<command_entry>& commands, const std::string& shell);

// Returns a page of section 1 in the format of man(7): of the program, or of a command.
std::string man_page(const std::vector<command_entry>& commands);
std::string man_page_of(const command_entry& command);

}  // namespace gputided
