// The flags that several subcommands share, and the host's consent that they stand for.
#pragma once

#include "gputide/gputide.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gputided {

// Data goes to stdout, logs to stderr, and the shell gets one of these.
enum exit_code { done = 0, finding = 1, bad_input = 2, source_failed = 3 };

struct options {
    std::vector<std::string> files;
    std::string output = "text";
    std::string scaler;
    std::string ca_file;
    std::string secrets_dir;
    std::string kubeconfig;
    std::string context;
    std::string service_account_dir;
    std::vector<std::string> token_hosts;
    std::vector<std::string> programs;
    bool strict = false;
    bool plain_http = false;
    bool custom_authority = false;
    bool azure_proxy = false;

    bool json() const { return output == "json"; }
};

void add_manifest_flags(CLI::App& to, options& from);  // -f, --scaler
void add_output_flag(CLI::App& to, options& from);     // --output text|json
void add_secrets_flag(CLI::App& to, options& from);    // --secrets-dir
void add_trust_flags(CLI::App& to, options& from);     // what the host allows on the network

// A manifest file as it was read.
struct manifest_file {
    std::string name;
    std::string text;
};

// The file itself, or of a folder its *.yaml, *.yml and *.json by name; throws usage_error where it cannot be read.
std::vector<std::string> manifests_of(const std::string& given);

// Reads every -f (a file, a folder of *.yaml, *.yml and *.json, or - for standard input); throws usage_error with the path
// and the system's reason.
std::vector<manifest_file> read_manifests(const options& from);
std::vector<manifest_file> read_manifests(const options& from,
                                          const std::function<std::string(const std::string& name)>& read);

// Bad usage: the text names the flag or file and the remedy.
struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Options for the library: the environment is allowed here, as the AKS guide's heredoc needs it.
gputide::options library_options(const options& from, const std::vector<manifest_file>& files);

// The scalers that the manifests hold, as "namespace/name".  Throws gputide::failure where a manifest has an error.
std::vector<std::string> scaler_names(const options& from, const std::vector<manifest_file>& files);

// One of them, ready to work.  Nothing is sent.
gputide::scaler open_scaler(const std::string& name, const options& from, const std::vector<manifest_file>& files);

}  // namespace gputided
