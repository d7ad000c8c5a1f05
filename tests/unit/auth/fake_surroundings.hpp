// An environment and files that a test writes down.  Nothing else exists.
#pragma once

#include "auth/machine/surroundings.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gputide::test {

class fake_surroundings final : public auth::surroundings {
  public:
    std::map<std::string, std::string> variables;
    std::map<std::string, std::string> files;
    mutable int reads = 0;
    // The output of a program, or its failure; absent: there is no such program.  What was run stands in `ran`.
    std::map<std::string, auth::program_outcome> programs;
    mutable std::vector<std::vector<std::string>> ran;

    std::optional<std::string> environment(const std::string& name) const override {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
    }

    result<secret_text> read_file(const std::string& path, std::size_t most) const override {
        ++reads;
        const auto found = files.find(path);
        if (found == files.end()) return fail_for_now(path + ": No such file or directory");
        if (found->second.size() > most) return fail(status::limit, path + " is too large");
        return secret_text(found->second);
    }

    result<std::unique_ptr<auth::child_program>> start_program(
        const std::vector<std::string>& arguments, const std::vector<secret_text>& /*variables*/) const override {
        const auto found = programs.find(arguments.front());
        if (found == programs.end()) return fail(error_class::unavailable, arguments.front() + ": not found");
        ran.push_back(arguments);
        return std::unique_ptr<auth::child_program>(std::make_unique<ended_program>(found->second));
    }

  private:
    // Ends at the second look; never, where it has nothing to say.
    class ended_program final : public auth::child_program {
      public:
        explicit ended_program(auth::program_outcome how) : how_(std::move(how)) {}
        std::optional<auth::program_outcome> poll() override {
            return ++looks_ < 2 || how_.how == "never" ? std::nullopt : std::optional(how_);
        }

      private:
        const auth::program_outcome how_;
        int looks_ = 0;
    };
};

inline auth::program_outcome printed(std::string text) {
    return {true, secret_text(std::move(text)), "", "exit status 0"};
}

inline constexpr const char* token_path = "/var/run/secrets/azure/tokens/azure-identity-token";
inline constexpr const char* first_assertion = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnMQ";

// A pod as the workload-identity webhook leaves it.
inline std::shared_ptr<fake_surroundings> webhook_pod() {
    auto out = std::make_shared<fake_surroundings>();
    out->variables = {{"AZURE_CLIENT_ID", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"},
                      {"AZURE_TENANT_ID", "11111111-2222-3333-4444-555555555555"},
                      {"AZURE_FEDERATED_TOKEN_FILE", token_path},
                      {"AZURE_AUTHORITY_HOST", "https://login.microsoftonline.com/"}};
    out->files = {{token_path, first_assertion}};
    return out;
}

}  // namespace gputide::test
