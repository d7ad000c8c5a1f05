// Implements section 8 of source.h: credentials and tokens.
#include "auth/token/claims.hpp"
#include "base/json_writer.hpp"
#include "capi/entry.hpp"
#include "capi/handles.hpp"
#include "capi/network_handles.hpp"
#include "capi/options.hpp"
#include "capi/structs.hpp"
#include "gputide/source.h"
#include "http/client.hpp"
#include "pipeline/host.hpp"

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

gputide_status gputide_credential_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                       gputide_credential** out, gputide_error* err) {
    return guarded(err, {{out, "out"}}, [&]() -> result<void> {
        result<host_input> input = read_input(text, size_bytes, options);
        if (!input) return input.take_failure();
        result<std::shared_ptr<pipeline::engine>> engine = pipeline::shared_engine();
        if (!engine) return engine.take_failure();
        auto opened = pipeline::open_credential(input->files, input->host);
        if (!opened) return opened.take_failure();
        *out = make_handle<gputide_credential>(*engine, *opened, std::move(input->host.permissions));
        return {};
    });
}

void gputide_credential_free(gputide_credential* credential) { end(credential); }

gputide_status gputide_credential_token(const gputide_credential* credential, const char* scope, int32_t timeout_ms,
                                        const gputide_cancel* cancel, gputide_text* token, gputide_token_info* info,
                                        gputide_error* err) {
    return guarded(err, {{credential, "credential"}, {scope, "scope"}, {token, "token"}}, [&]() -> result<void> {
        if (info != nullptr) {
            if (result<void> ok = check_out(info, "info"); !ok) return ok;
        }
        http::client& client = *credential->engine->client;
        result<time_limit> limits = read_time_limit(client, timeout_ms, cancel);
        if (!limits) return limits.take_failure();
        result<auth::token> answer = http::flat(http::wait<result<auth::token>>(
            client,
            [&](auth::token_done done) {
                return credential->engine->tokens->get(credential->credential, scope, limits->deadline_ms,
                                                       std::move(done));
            },
            limits->deadline_ms, limits->cancel));
        if (!answer) return answer.take_failure();
        if (result<void> ok = give_text(answer->value.reveal(), token); !ok) return ok;
        if (info != nullptr) {
            write_struct(
                info, gputide_token_info{0, 0, answer->expires_at_ms, answer->refresh_at_ms, answer->usable_until_ms});
        }
        return {};
    });
}

gputide_status gputide_credential_invalidate(const gputide_credential* credential, const char* scope, const char* token,
                                             int64_t token_bytes, gputide_error* err) {
    return guarded(err, {{credential, "credential"}, {scope, "scope"}}, [&]() -> result<void> {
        result<std::string_view> value = input_text(token, token_bytes, "token");
        if (!value) return value.take_failure();
        credential->engine->tokens->report_refused(*credential->credential, scope, *value);
        return {};
    });
}

gputide_status gputide_token_claims(const char* token, int64_t token_bytes, gputide_text* json, gputide_error* err) {
    return guarded(err, {{json, "json"}}, [&]() -> result<void> {
        result<std::string_view> value = input_text(token, token_bytes, "token");
        if (!value) return value.take_failure();
        result<auth::claims> claims = auth::read_claims(*value);
        if (!claims) return claims.take_failure();
        json_writer out;
        out.begin_object();
        for (const auto& [name, text] : auth::text_claims(*claims)) out.member(name, text);
        if (claims->starts_at_s) out.member("nbf", *claims->starts_at_s);
        if (claims->expires_at_s) out.member("exp", *claims->expires_at_s);
        return give_text(out.end_object().text(), json);
    });
}
