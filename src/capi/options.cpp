#include "capi/options.hpp"

#include "auth/credential.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "capi/entry.hpp"
#include "capi/structs.hpp"
#include "http/message.hpp"

#include <algorithm>

namespace gputide::capi {
namespace {

constexpr std::uint32_t option_flags = GPUTIDE_ALLOW_ENVIRONMENT | GPUTIDE_ALLOW_PLAIN_HTTP |
                                       GPUTIDE_ALLOW_CUSTOM_AUTHORITY | GPUTIDE_ENABLE_AZURE_PROXY | GPUTIDE_STRICT |
                                       GPUTIDE_VERIFIED_PEERS | GPUTIDE_ALLOW_UNVERIFIED_PEERS;

std::string or_empty(const char* text) { return text != nullptr ? text : ""; }

std::vector<std::string> listed(const char* text) {
    std::vector<std::string> out;
    if (text == nullptr) return out;
    for (const std::string_view part : split(text, ',')) {
        if (const std::string_view entry = trim(part); !entry.empty()) out.emplace_back(entry);
    }
    return out;
}

// The prefix of programs for kubeconfigs.  They are separate from programs for manifests: the operator writes the kubeconfig,
// but the author of a manifest also chooses the program's arguments.
constexpr std::string_view of_kubeconfig = "kubeconfig:";

pipeline::host_options host_of(const gputide_options& options) {
    const auto has = [&](std::uint32_t flag) { return (options.flags & flag) != 0; };
    pipeline::host_options out;
    out.allowed_environment = listed(options.allowed_environment);
    if (has(GPUTIDE_ALLOW_ENVIRONMENT)) out.allowed_environment.emplace_back("*");
    out.strict = has(GPUTIDE_STRICT);
    out.permissions.allow_plain_http = has(GPUTIDE_ALLOW_PLAIN_HTTP);
    out.permissions.allow_custom_authority = has(GPUTIDE_ALLOW_CUSTOM_AUTHORITY);
    out.permissions.enable_azure_proxy = has(GPUTIDE_ENABLE_AZURE_PROXY);
    out.permissions.allowed_token_hosts = listed(options.allowed_token_hosts);
    for (std::string& program : listed(options.allowed_programs)) {
        const bool is_kubeconfigs = std::string_view(program).starts_with(of_kubeconfig);
        if (is_kubeconfigs) program.erase(0, of_kubeconfig.size());
        (is_kubeconfigs ? out.cluster.allowed_programs : out.permissions.allowed_programs)
            .push_back(std::move(program));
    }
    out.permissions.ca_file = or_empty(options.ca_file);
    out.permissions.proxy = or_empty(options.proxy);
    out.permissions.user_agent = or_empty(options.user_agent);
    out.permissions.verified_peers = has(GPUTIDE_VERIFIED_PEERS);
    out.permissions.unverified_peers = has(GPUTIDE_ALLOW_UNVERIFIED_PEERS);
    out.permissions.secrets_dir = or_empty(options.secrets_dir);
    out.cluster.kubeconfig = or_empty(options.kubeconfig);
    out.cluster.context = or_empty(options.kube_context);
    out.cluster.service_account_dir = or_empty(options.service_account_dir);
    out.cluster.read_environment = pipeline::may_read(out, "KUBECONFIG");
    out.scaler = or_empty(options.scaler);
    return out;
}

result<void> add_files(const gputide_options& options, std::vector<manifest::text_file>& files) {
    return for_each(options.files, options.file_size, options.file_count, "options.files",
                    [&](const gputide_file& file, std::uint32_t index) -> result<void> {
                        result<std::string_view> text = input_text(file.text, file.size_bytes, "options.files[].text");
                        if (!text) return text.take_failure();
                        const std::string unnamed = format_text("<file {}>", index + 1);
                        files.push_back({file.name != nullptr ? file.name : unnamed, *text});
                        return {};
                    });
}

result<void> check_network(const auth::host_permissions& permissions) {
    if (!permissions.proxy.empty() && permissions.proxy != http::environment_proxy &&
        !http::parse_url(permissions.proxy)) {
        return fail(status::invalid, "options.proxy: expected \"environment\" or a URL such as http://proxy:3128");
    }
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
    if (std::ranges::any_of(permissions.user_agent, control)) {
        return fail(status::invalid, "options.user_agent: contains a control character");
    }
    return {};
}

}  // namespace

result<host_input> read_input(const char* text, std::int64_t size_bytes, const gputide_options* options) {
    result<std::string_view> content = input_text(text, size_bytes, "text");
    if (!content) return content.take_failure();
    host_input out;
    if (options == nullptr) {
        out.files.push_back({"<text>", *content});
        return out;
    }
    result<gputide_options> given = read_struct(options, "options");
    if (!given) return given.take_failure();
    if (result<void> ok = check_flags(given->flags, option_flags, "options.flags"); !ok) return ok.take_failure();
    out.host = host_of(*given);
    result<std::string_view> roots = optional_text(given->ca_pem, given->ca_pem_bytes, "options.ca_pem");
    if (!roots) return roots.take_failure();
    out.host.permissions.ca_pem = *roots;
    if (result<void> ok = check_network(out.host.permissions); !ok) return ok.take_failure();
    out.host.cluster.connection = auth::connection_of(out.host.permissions);
    out.files.push_back({given->text_name != nullptr ? given->text_name : "<text>", *content});
    if (result<void> added = add_files(*given, out.files); !added) return added.take_failure();
    return out;
}

}  // namespace gputide::capi
