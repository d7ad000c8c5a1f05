// Completion scripts.  They complete commands, options, and values of options with a fixed set; otherwise file names.
#include "common/text.hpp"
#include "help/help.hpp"

#include <algorithm>

namespace gputided {
namespace {

// Returns 'replay compare'|'replay tune': the commands that have two words.
std::string pairs(const std::vector<command_entry>& commands, const char* separator) {
    std::vector<std::string> out;
    for (const command_entry& command : commands) {
        if (command.name.find(' ') != std::string::npos) out.push_back("'" + command.name + "'");
    }
    return joined(out, separator);
}

// Returns the first clause of an explanation, without characters that have a meaning in a shell's table.
std::string short_text(const std::string& text) {
    constexpr std::size_t max_letters = 80;
    std::string out = text.substr(0, std::min({text.find(';'), text.find('\n'), max_letters}));
    std::replace_if(
        out.begin(), out.end(), [](char letter) { return letter == '[' || letter == ']' || letter == ':'; }, ' ');
    std::replace(out.begin(), out.end(), '\\', '/');
    return out;
}

// A word that can follow "gputided".
struct first_word {
    std::string word;
    std::string about;  // of its first command
    std::vector<std::string> seconds;
};

std::vector<first_word> first_words(const std::vector<command_entry>& commands) {
    std::vector<first_word> out;
    for (const command_entry& command : commands) {
        const std::string word = split(command.name, ' ').front();
        const bool is_known =
            std::any_of(out.begin(), out.end(), [&](const auto& known) { return known.word == word; });
        if (!is_known) out.push_back({word, short_text(command.about), second_words(commands, word)});
    }
    return out;
}

std::string bash_script(const std::vector<command_entry>& commands) {
    std::string options, values, words;
    for (const command_entry& command : commands) {
        std::vector<std::string> all;
        for (const option_entry& option : command.options) {
            all.insert(all.end(), option.names.begin(), option.names.end());
            for (const std::string& name : option.choices.empty() ? std::vector<std::string>{} : option.names)
                values +=
                    "        '" + command.name + " " + name + "') words='" + joined(option.choices, " ") + "' ;;\n";
        }
        options += "            '" + command.name + "') words='" + joined(all, " ") + "' ;;\n";
    }
    std::string names;
    for (const first_word& first : first_words(commands)) {
        names += first.word + " ";
        if (!first.seconds.empty())
            words += "        " + first.word + ") words='" + joined(first.seconds, " ") + "' ;;\n";
    }
    return "# bash completion of gputided; printed by: gputided completion bash\n"
           "_gputided() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]-} "
           "words=''\n"
           "    if [[ $current == '=' ]]; then current=''; elif [[ $previous == '=' ]]; then "
           "previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    COMPREPLY=()\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        COMPREPLY=($(compgen -W '" +
           names +
           "--help --version' -- \"$current\"))\n"
           "        return\n"
           "    fi\n"
           "    if ((COMP_CWORD == 2)); then case $command in\n" +
           words +
           "    esac; fi\n"
           "    case \"$command ${COMP_WORDS[2]-}\" in\n"
           "        " +
           pairs(commands, "|") +
           ") ((COMP_CWORD > 2)) && command=\"$command ${COMP_WORDS[2]}\" ;;\n"
           "    esac\n"
           "    case \"$command $previous\" in\n" +
           values + "        *) if [[ $current == -* ]]; then case $command in\n" + options +
           "        esac; fi ;;\n"
           "    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "}\n"
           "complete -o default -F _gputided gputided\n";
}

// Returns a specification for zsh's _arguments: '*'{-f,--file}'[manifest file]:FILE:_files'.
std::string zsh_option(const option_entry& option) {
    const std::string values = option.choices.empty() ? "_files" : "(" + joined(option.choices, " ") + ")";
    if (option.names.empty()) return shell_quoted("*:" + short_text(option.value) + ":" + values);
    const std::string names = option.names.size() == 1 ? option.names.front() : "{" + joined(option.names, ",") + "}";
    std::string rest = "[" + short_text(option.help) + "]";
    if (!option.value.empty()) rest += ":" + short_text(option.value) + ":" + values;
    return std::string(option.is_repeatable ? "'*'" : "") + names + shell_quoted(rest);
}

std::string zsh_script(const std::vector<command_entry>& commands) {
    std::string names, cases, words;
    for (const first_word& first : first_words(commands)) {
        names += "    " + shell_quoted(first.word + ":" + first.about) + "\n";
        if (!first.seconds.empty())
            words += "    (" + first.word + ") ((CURRENT == 3)) && compadd -- " + joined(first.seconds, " ") + " ;;\n";
    }
    for (const command_entry& command : commands) {
        cases += "    (" + shell_quoted(command.name) + ") _arguments -s";
        for (const option_entry& option : command.options) cases += " \\\n      " + zsh_option(option);
        cases += " ;;\n";
    }
    return "#compdef gputided\n"
           "# zsh completion of gputided; printed by: gputided completion zsh\n"
           "_gputided() {\n"
           "  local -a commands=(\n" +
           names +
           "  )\n"
           "  if ((CURRENT == 2)); then _describe command commands; return; fi\n"
           "  local command=$words[2]\n"
           "  case $command in\n" +
           words +
           "  esac\n"
           "  case \"$words[2] $words[3]\" in\n"
           "    (" +
           pairs(commands, "|") +
           ") if ((CURRENT > 3)); then command=\"$words[2] $words[3]\"; shift words; "
           "((CURRENT--)); fi ;;\n"
           "  esac\n"
           "  shift words; ((CURRENT--))\n"
           "  case $command in\n" +
           cases +
           "  esac\n"
           "}\n"
           "if [[ $funcstack[1] == _gputided ]]; then _gputided \"$@\"; else compdef _gputided gputided; fi\n";
}

std::string fish_option(const std::string& condition, const option_entry& option) {
    std::string out = "complete -c gputided -n " + shell_quoted(condition);
    for (const std::string& name : option.names)
        out += name.size() == 2 ? " -s " + name.substr(1) : " -l " + name.substr(2);
    if (!option.choices.empty()) {
        out += " -x -a '" + joined(option.choices, " ") + "'";
    } else if (!option.value.empty()) {
        out += option.takes_file ? " -r -F" : " -r";
    }
    return out + " -d " + shell_quoted(short_text(option.help)) + "\n";
}

std::string fish_script(const std::vector<command_entry>& commands) {
    std::string out =
        "# fish completion of gputided; printed by: gputided completion fish\n"
        "function __gputided_in --description 'Whether the command on the line is this one'\n"
        "    set -l words (commandline -opc)\n"
        "    set -l command \"$words[2]\"\n"
        "    switch \"$words[2..3]\"\n"
        "        case " +
        pairs(commands, " ") +
        "\n"
        "            set command \"$words[2..3]\"\n"
        "    end\n"
        "    test \"$command\" = \"$argv\"\n"
        "end\n"
        "complete -c gputided -n __fish_use_subcommand -s h -l help -d 'print this help'\n"
        "complete -c gputided -n __fish_use_subcommand -s V -l version -d 'print the version'\n";
    for (const first_word& first : first_words(commands)) {
        out += "complete -c gputided -f -n __fish_use_subcommand -a " + first.word + " -d " +
               shell_quoted(first.about) + "\n";
        // If the first word is also a command by itself, a file name may follow it.
        const bool is_command = std::any_of(commands.begin(), commands.end(),
                                            [&](const command_entry& command) { return command.name == first.word; });
        for (const std::string& second : first.seconds)
            out += std::string("complete -c gputided") + (is_command ? "" : " -f") + " -n '__gputided_in " +
                   first.word + "' -a " + second + "\n";
    }
    for (const command_entry& command : commands) {
        for (const option_entry& option : command.options) {
            if (!option.names.empty()) out += fish_option("__gputided_in " + command.name, option);
        }
    }
    return out;
}

}  // namespace

std::string completion_script(const std::vector<command_entry>& commands, const std::string& shell) {
    if (shell == "bash") return bash_script(commands);
    return shell == "zsh" ? zsh_script(commands) : fish_script(commands);
}

}  // namespace gputided
