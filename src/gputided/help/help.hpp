// Texts made from the option tables: --help, usage errors, completion scripts, man pages.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gputided {

// An option in these texts.
struct option_entry {
    std::vector<std::string> names;  // "-f", "--file"; empty for a positional argument
    std::string value;               // "FILE", "text|json"; "": a flag
    std::vector<std::string> choices;
    std::string help;  // with the default, and "required"
    std::string group;
};

struct command_entry {
    std::string name;  // "replay compare"
    std::string about;
    std::string footer;  // example and remarks
    std::vector<option_entry> options;
};

command_entry command_entry_of(const CLI::App& command);
std::vector<command_entry> command_entries(const CLI::App& root);

// Wraps `text` to lines of at most `width` columns with this indentation.  Keeps its line ends.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

// Returns the text of --help: all commands for the root, otherwise this command.
std::string help_text(const CLI::App& app, std::size_t width);

// Reports whether stdout is a terminal that shows colors, and NO_COLOR does not disable them.
bool is_colored();

// Returns the width of the terminal, from COLUMNS if that is set, within 40 and 140; `usual` if stdout is not a terminal.
std::size_t output_width(std::size_t usual = 100);

// Returns the error in the command line and the remedy.
std::string usage_message(const CLI::App& root, const CLI::ParseError& wrong,
                          const std::vector<std::string>& arguments);

// Return a page of section 1 in the format of man(7), for the program or for a command.
std::string man_page(const std::vector<command_entry>& commands);
std::string man_page_of(const command_entry& command);

}  // namespace gputided
