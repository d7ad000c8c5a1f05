// gputided help: prints the help of a command, also as a man page.  gputided completion: prints a shell's completion script, which
// asks `gputided completion SHELL --words -- WORDS...` which words fit.
#include "common/log.hpp"
#include "common/options.hpp"
#include "common/text.hpp"
#include "help/help.hpp"

#include <algorithm>
#include <iostream>

namespace gputided {

namespace {

std::string default_of(const CLI::Option& option) {
    const std::string out = option.get_default_str();
    const bool is_list = option.get_expected_max() > 1 && out.size() > 1 && out.front() == '[';
    return is_list ? out.substr(1, out.size() - 2) : out;
}

option_entry option_of(const CLI::Option& option) {
    option_entry out;
    for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
    if (option.get_type_size_max() != 0)
        out.value = option.get_type_name();  // declared_option gives validators no name
    if (out.value.find('|') != std::string::npos) out.choices = split(out.value, '|');
    out.help = option.get_description();
    if (const std::string text = default_of(option); !text.empty()) out.help += "; default: " + text;
    if (option.get_required()) out.help += "; required";
    out.group = option.get_group();
    return out;
}

}  // namespace

command_entry command_entry_of(const CLI::App& app) {
    command_entry out{app.get_name(), app.get_description(), app.get_footer(), {}};
    std::replace(out.name.begin(), out.name.end(), '-', ' ');  // replay compare, as typed
    for (const CLI::Option* option : app.get_options({})) {
        // An option without a group is hidden.
        if (!option->get_group().empty()) out.options.push_back(option_of(*option));
    }
    return out;
}

std::vector<command_entry> command_entries(const CLI::App& root) {
    std::vector<command_entry> out;
    for (const CLI::App* app : root.get_subcommands({})) out.push_back(command_entry_of(*app));
    return out;
}

namespace {

// Returns the first clause of an explanation, in a line.  zsh gives a meaning to colons and backslashes.
std::string short_text(const std::string& text) {
    constexpr std::size_t max_letters = 80;
    std::string out = text.substr(0, std::min({text.find(';'), text.find('\n'), max_letters}));
    std::replace(out.begin(), out.end(), ':', ' ');
    std::replace(out.begin(), out.end(), '\\', '/');
    return out;
}

// The end of the command line: the word to complete, and the option before it.
struct line_end {
    std::string typed;
    std::string option;  // "": none
    std::string kept;    // start of a word such as --output=js, before the value
};

// Returns the end of a line.  bash passes --output=js as three words, other shells as one.
line_end end_of(const std::vector<std::string>& words) {
    const std::size_t last = words.size() - 1;
    const auto word_before = [&](std::size_t count) { return last >= count ? words[last - count] : std::string(); };
    line_end out{words[last], word_before(1), ""};
    const std::size_t equals = out.typed.find('=');
    if (out.typed == "=") {
        out.typed.clear();
    } else if (out.option == "=") {
        out.option = word_before(2);
    } else if (out.typed.starts_with("--") && equals != std::string::npos) {
        out = {out.typed, out.typed.substr(0, equals), out.typed.substr(0, equals + 1)};
    }
    return out;
}

// The words to offer, one line each: "word\texplanation".
class offer {
  public:
    explicit offer(line_end end) : end_(std::move(end)) {}

    void add(const std::string& word, const std::string& about) {
        if (word.starts_with(end_.typed)) lines_ += word + "\t" + short_text(about) + "\n";
    }

    // Adds the values of the option before the word and of a positional argument, or otherwise the names of options.
    void add_options(const command_entry& command) {
        const std::string before = lines_;
        for (const option_entry& option : command.options) {
            const bool is_value = std::count(option.names.begin(), option.names.end(), end_.option) > 0;
            for (const std::string& choice : is_value || option.names.empty() ? option.choices : no_words)
                add(end_.kept + choice, option.help);
        }
        if (lines_ != before || !end_.typed.starts_with('-')) return;
        for (const option_entry& option : command.options) {
            for (const std::string& name : option.names) add(name, option.help);
        }
    }

    const std::string& lines() const { return lines_; }

  private:
    inline static const std::vector<std::string> no_words;
    const line_end end_;
    std::string lines_;
};

constexpr char bash_script[] = R"(# bash completion of gputided; printed by: gputided completion bash
_gputided() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <("${COMP_WORDS[0]}" completion bash --words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _gputided gputided
)";

constexpr char zsh_script[] = R"(#compdef gputided
# zsh completion of gputided; printed by: gputided completion zsh
_gputided() {
  local -a found=("${(@f)$("${(Q)words[1]}" completion zsh --words -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -z $found ]]; then _files; return; fi
  found=("${(@)found/$'\t'/:}")
  _describe gputided found
}
if [[ $funcstack[1] == _gputided ]]; then _gputided "$@"; else compdef _gputided gputided; fi
)";

constexpr char fish_script[] = R"(# fish completion of gputided; printed by: gputided completion fish
function __gputided_words --description 'The words that may stand here'
    set -l words (commandline -opc) (commandline -ct)
    $words[1] completion fish --words -- $words[2..] 2>/dev/null
end
complete -c gputided -n '__gputided_words | string length -q' -f -a '(__gputided_words)'
)";

// Returns what may be the last word of a command line, a line each: "word\texplanation".  words: those after the program's name; must
// not be empty.
std::string completions(const std::vector<command_entry>& commands, const std::vector<std::string>& words) {
    offer out(end_of(words));
    const std::string joined_name = words.size() > 2 ? words[0] + " " + words[1] : "";
    const command_entry* chosen = nullptr;
    std::string before;  // the first word of the last command; commands with the same one are neighbors
    for (const command_entry& command : commands) {
        const std::vector<std::string> names = split(command.name, ' ');
        if (words.size() == 1 && names.front() != before) out.add(names.front(), command.about);
        if (words.size() == 2 && names.size() == 2 && names.front() == words.front()) out.add(names[1], command.about);
        const bool is_better = command.name == joined_name || (chosen == nullptr && command.name == words.front());
        if (words.size() > 1 && is_better) chosen = &command;
        before = names.front();
    }
    if (words.size() == 1) {
        out.add("--help", "print this help");
        out.add("--version", "print the version");
    }
    if (chosen != nullptr) out.add_options(*chosen);
    return out.lines();
}

std::string completion_script(const std::string& shell) {
    return shell == "bash" ? bash_script : shell == "zsh" ? zsh_script : fish_script;
}

struct help_options {
    const CLI::App* root = nullptr;
    std::vector<std::string> words;  // "replay", "compare"
    bool man = false;
};

struct completion_options {
    const CLI::App* root = nullptr;
    std::string shell;
    bool is_asked = false;           // by a script, for the words that fit; otherwise the script is printed
    std::vector<std::string> words;  // of the line that the script completes
};

int help(const help_options& options) {
    const std::string name = joined(options.words, " ");
    if (name.empty()) {
        std::cout << (options.man ? man_page(command_entries(*options.root))
                                  : help_text(*options.root, output_width()));
        return done;
    }
    for (const CLI::App* command : options.root->get_subcommands({})) {
        const command_entry entry = command_entry_of(*command);
        if (entry.name != name) continue;
        std::cout << (options.man ? man_page_of(entry) : help_text(*command, output_width()));
        return done;
    }
    throw usage_error("help: no command " + one_line(name) + "; gputided --help lists the commands");
}

int completion(const completion_options& options) {
    if (!options.is_asked && !options.words.empty())
        throw usage_error("completion: " + one_line(options.words.front()) + " was not expected");
    std::cout << (options.words.empty() ? completion_script(options.shell)
                                        : completions(command_entries(*options.root), options.words));
    return done;
}

}  // namespace

void add_help(subcommands& commands) {
    help_options& options = commands.add("help", "Help of a command", "gputided help replay compare", &help);
    CLI::App& app = commands.app();
    options.root = app.get_parent();
    app.add_option("COMMAND", options.words, "the command; without it: all commands")->type_name("COMMAND");
    option_list add(app);
    add("--man", options.man, "print its man page, in the format of man(7)");
}

void add_completion(subcommands& commands) {
    completion_options& options =
        commands.add("completion", "Completion script of a shell",
                     "source <(gputided completion bash)\n"
                     "gputided completion zsh > ~/.zfunc/_gputided          # a folder of fpath\n"
                     "gputided completion fish > ~/.config/fish/completions/gputided.fish",
                     &completion);
    CLI::App& app = commands.app();
    options.root = app.get_parent();
    option_list add(app);
    add("SHELL", options.shell, "the shell").one_of({"bash", "zsh", "fish"}).required();
    app.add_flag("--words", options.is_asked)->group("");  // both are hidden in --help
    app.add_option("WORDS", options.words)->group("");
}

}  // namespace gputided
