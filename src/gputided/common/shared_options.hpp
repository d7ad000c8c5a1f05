// The flags that several subcommands share, and what of them the library has to know: the host's consent.
#pragma once

#include "common/manifests.hpp"
#include "gputide/gputide.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace gputided {

struct shared_options {
    std::vector<std::string> files;
    std::string output = "text";
    std::string scaler;
    std::string ca_file;
    std::string secrets_dir;
    std::string kubeconfig;
    std::string context;
    std::string service_account_dir;
    std::vector<std::string> environment;  // names and prefixes that manifests may read
    std::vector<std::string> token_hosts;
    std::vector<std::string> programs;             // of manifests
    std::vector<std::string> kubeconfig_programs;  // its exec plugins
    bool strict = false;
    bool plain_http = false;
    bool unverified_peers = false;
    bool custom_authority = false;
    bool azure_proxy = false;

    bool json() const { return output == "json"; }
};

void add_manifest_flags(CLI::App& app, shared_options& options);  // -f, --scaler, --profile
void add_output_flag(CLI::App& app, shared_options& options);     // --output text|json
void add_lookup_flags(CLI::App& app, shared_options& options);    // --secrets-dir, --allow-env
void add_trust_flags(CLI::App& app, shared_options& options);     // those, and what the host allows on the network

// Options for the library, the first of `files` being the main text.
gputide::options library_options(const shared_options& options, const std::vector<manifest_file>& files);

}  // namespace gputided
