#include "capi/options.hpp"

#include "base/text.hpp"
#include "capi/guard.hpp"
#include "capi/structs.hpp"

namespace gputide::capi {
namespace {

constexpr std::uint32_t known_flags = GPUTIDE_ALLOW_ENVIRONMENT | GPUTIDE_ALLOW_PLAIN_HTTP |
                                      GPUTIDE_ALLOW_CUSTOM_AUTHORITY | GPUTIDE_ENABLE_AZURE_PROXY | GPUTIDE_STRICT;

std::string or_empty(const char* text) { return text != nullptr ? text : ""; }

std::vector<std::string> listed(const char* text) {
    std::vector<std::string> out;
    if (text == nullptr) return out;
    for (const std::string_view part : split(text, ',')) {
        if (const std::string_view one = trim(part); !one.empty()) out.emplace_back(one);
    }
    return out;
}

runtime::host_options host_of(const gputide_options& from) {
    const auto has = [&](std::uint32_t flag) { return (from.flags & flag) != 0; };
    runtime::host_options out;
    out.allow_environment = has(GPUTIDE_ALLOW_ENVIRONMENT);
    out.strict = has(GPUTIDE_STRICT);
    out.permissions.allow_plain_http = has(GPUTIDE_ALLOW_PLAIN_HTTP);
    out.permissions.allow_custom_authority = has(GPUTIDE_ALLOW_CUSTOM_AUTHORITY);
    out.permissions.enable_azure_proxy = has(GPUTIDE_ENABLE_AZURE_PROXY);
    out.permissions.allowed_token_hosts = listed(from.allowed_token_hosts);
    out.permissions.allowed_programs = listed(from.allowed_programs);
    out.permissions.ca_file = or_empty(from.ca_file);
    out.permissions.secrets_dir = or_empty(from.secrets_dir);
    out.cluster.kubeconfig = or_empty(from.kubeconfig);
    out.cluster.context = or_empty(from.kube_context);
    out.cluster.service_account_dir = or_empty(from.service_account_dir);
    out.cluster.ca_file = out.permissions.ca_file;
    out.cluster.read_environment = out.allow_environment;
    out.scaler = or_empty(from.scaler);
    return out;
}

result<void> add_files(const gputide_options& from, std::vector<config::text_file>& files) {
    if (from.file_count == 0) return {};
    if (from.files == nullptr) return fail(status::invalid, "options.files: NULL, and file_count is not 0");
    if (from.file_size < sizeof(gputide_file)) {
        return fail(status::invalid, "options.file_size: set it to sizeof(gputide_file)");
    }
    for (std::uint32_t i = 0; i < from.file_count; ++i) {
        result<gputide_file> file = read_element(from.files, from.file_size, i, "options.files");
        if (!file) return std::move(file).failure();
        result<std::string_view> content = input_text(file->text, file->size_bytes, "options.files[].text");
        if (!content) return std::move(content).failure();
        files.push_back({file->name != nullptr ? file->name : "<file " + std::to_string(i + 1) + ">", *content});
    }
    return {};
}

}  // namespace

result<host_input> read_input(const char* text, std::int64_t size_bytes, const gputide_options* options) {
    result<std::string_view> content = input_text(text, size_bytes, "text");
    if (!content) return std::move(content).failure();
    host_input out;
    if (options == nullptr) {
        out.files.push_back({"<text>", *content});
        return out;
    }
    result<gputide_options> given = read_struct(options, "options");
    if (!given) return std::move(given).failure();
    if ((given->flags & ~known_flags) != 0) {
        return fail(status::too_new, "options.flags: a flag is set that this library does not know");
    }
    out.host = host_of(*given);
    out.files.push_back({given->text_name != nullptr ? given->text_name : "<text>", *content});
    if (result<void> added = add_files(*given, out.files); !added) return std::move(added).failure();
    return out;
}

}  // namespace gputide::capi
