// Clouds, endpoints and credentials of the Azure sources.
#include "source/azure/azure.hpp"

#include "auth/credential.hpp"
#include "auth/open.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/json/scratch.hpp"
#include "http/message.hpp"
#include "wire/errors.hpp"

#include <memory>
#include <utility>

namespace gputide::source::azure {
namespace {

endpoint endpoint_in(auth::azure_api api, auth::azure_cloud cloud) {
    endpoint out;
    out.audience = auth::azure_audience(api, cloud);
    out.base = "https://" + out.audience.hosts.front();
    // In the public cloud the environment may name another authority, as the workload identity webhook does.
    if (cloud != auth::azure_cloud::public_cloud) out.authority = auth::login_endpoint(cloud);
    return out;
}

endpoint private_endpoint(trigger_reader& read, text::text_key private_url, bool strict) {
    endpoint out;
    const std::string_view key = private_url.name();
    std::string url = read.text_of(private_url);
    auto audience = auth::private_audience(url, key, false);
    if (!audience) {
        read.add_error(audience.failure().message, key);
        return out;
    }
    const auto parts = http::parse_url(url);
    if (!strict && !(parts && parts->is_base())) {
        read.add_unexpected(key, "an https URL such as https://management.example", url);
    }
    out.audience = *std::move(audience);
    while (!url.empty() && url.back() == '/') url.pop_back();
    out.base = std::move(url);
    return out;
}

std::shared_ptr<const http::tls_settings> tls_of(bool verify, const services& services) {
    http::tls_settings out = auth::connection_of(services.permissions);
    out.verify = verify;
    return auth::shared_settings(std::move(out));
}

result<std::shared_ptr<auth::credential>> open_secret(const settings& settings, const services& services) {
    if (!services.host) return std::shared_ptr<auth::credential>();
    auth::client_secret_settings wanted = settings.who;
    wanted.authority_host = settings.where.authority;
    wanted.is_of_cluster = settings.who.identity.is_cluster_wide && !settings.who.identity.parameters.empty();
    return auth::open_client_secret(wanted, services.permissions, *services.host);
}

}  // namespace

endpoint read_endpoint(trigger_reader& read, auth::azure_api api, text::text_key private_url, bool strict) {
    const std::string cloud = read.text_of(cloud_keys["cloud"]);
    const auto authority = read.text(cloud_keys["activeDirectoryEndpoint"]);
    endpoint out;
    if (equal_ignoring_case(cloud, "Private")) {
        out = private_endpoint(read, private_url, strict);
        // KEDA stores a private endpoint under the logs service, so its metric requests keep the public endpoint.
        if (strict && api == auth::azure_api::resource_manager) out = endpoint_in(api, auth::azure_cloud::public_cloud);
    } else if (const auto known = auth::azure_cloud_named(cloud)) {
        out = endpoint_in(api, *known);
    } else {
        read.add_error(format_text("there is no cloud environment matching the name {}; known are AzurePublicCloud, "
                                   "AzureUSGovernmentCloud, AzureChinaCloud and Private",
                                   cloud),
                       "cloud");
    }
    if (authority) out.authority = authority;
    return out;
}

result<std::shared_ptr<auth::credential>> open_identity(const manifest::authentication& identity,
                                                        const std::optional<std::string>& authority, bool strict,
                                                        const services& services) {
    if (!services.host) return std::shared_ptr<auth::credential>();
    manifest::authentication wanted = identity;
    // A webhook sets the authority together with a pod's identity; an application's authority has no other source.
    const bool application = auth::injected_settings(identity.provider).empty();
    if (application && !wanted.identity_authority_host) wanted.identity_authority_host = authority;
    if (strict && !application) wanted.identity_authority_host.reset();
    return auth::open_identity(wanted, services.permissions, services.host);
}

result<auth::authenticator> open_access(const settings& settings, const services& services) {
    auth::access how;
    how.audience = settings.where.audience;
    how.of_host = settings.who.has_identity();
    how.tls = tls_of(!settings.unsafe_ssl, services);
    auto opened = how.of_host
                      ? open_identity(settings.who.identity, settings.where.authority, settings.strict, services)
                      : open_secret(settings, services);
    if (!opened) return opened.take_failure();
    how.credential = *std::move(opened);
    return auth::authenticator(std::move(how), services.permissions, services.tokens);
}

namespace {

namespace dom = simdjson::dom;
using simdjson::SUCCESS;

error not_json(const http::response& response, std::string_view why) {
    error out = unusable(format_text("the response is not JSON ({})", why));
    if (formats::outline_of(response.body).looks_cut) {
        out.message = format_text("the response ends in the middle of its JSON ({} bytes)", response.body.size());
        out.retryable = true;
    }
    out.message += "; check that the address is Azure's, without a proxy or sign-in page in front of it";
    out.http_status = response.status;
    return out;
}

}  // namespace

result<reading> read_document(const http::answer& answer, function_ref<result<reading>(dom::object)> how) {
    if (auto why = http::unreadable(answer)) {  // the size limit, or a content encoding that was not decoded
        if (why->status == status::protocol) why->error_class = error_class::protocol;
        return *std::move(why);
    }
    formats::scratch_use own(answer.response.body);
    dom::element root;
    if (const auto why = own->parse(answer.response.body, root); why != SUCCESS) {
        return not_json(answer.response, simdjson::error_message(why));
    }
    dom::object content;
    if (root.get(content) != SUCCESS) return unusable("the response is JSON, but not an object");
    return how(content);
}

error unusable(std::string text) { return fail(error_class::protocol, std::move(text)); }

error no_data(std::string text) { return fail(error_class::no_data, std::move(text)); }

}  // namespace gputide::source::azure
