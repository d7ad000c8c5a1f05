// Section 17 of gputide.h: the size of a node pool, written.
#include "auth/connection.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"
#include "http/wait.hpp"
#include "kubernetes/aks/writing.hpp"

using namespace gputide;        // NOLINT: the entry below is the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

auth::authenticator authenticator_of(const gputide_credential& credential, const aks::change& wanted) {
    auth::access how;
    how.audience = wanted.audience;
    how.of_host = true;
    http::tls_settings connection = auth::connection_of(credential.permissions);
    if (!auth::is_usual(connection)) how.tls = std::make_shared<const http::tls_settings>(std::move(connection));
    how.credential = credential.credential;
    return auth::authenticator(std::move(how), credential.permissions, credential.engine->tokens);
}

}  // namespace

gputide_status gputide_agent_pool_write(const gputide_credential* credential, const char* change, int64_t size_bytes,
                                        int32_t timeout_ms, const gputide_cancel* cancel, gputide_text* json,
                                        gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(credential, "credential"); !ok) return ok;
        if (result<void> ok = required(json, "json"); !ok) return ok;
        result<std::string_view> text = input_text(change, size_bytes, "change");
        if (!text) return std::move(text).failure();
        const result<aks::change> wanted = aks::read_change(*text);
        if (!wanted) return wanted.failure();
        http::client& client = *credential->engine->client;
        result<patience> limits = read_patience(client, timeout_ms, cancel);
        if (!limits) return std::move(limits).failure();
        const std::shared_ptr<http::loop> loop = credential->engine->client;
        result<aks::write_outcome> outcome = http::flat(http::wait<result<aks::write_outcome>>(
            client,
            [&](std::function<void(result<aks::write_outcome>)> done) {
                return aks::write_pool(loop, authenticator_of(*credential, *wanted), *wanted, limits->deadline_ms,
                                       std::move(done));
            },
            limits->deadline_ms, limits->cancel));
        if (!outcome) return std::move(outcome).failure();
        return give_text(aks::outcome_json(*wanted, *outcome), json);
    });
}
