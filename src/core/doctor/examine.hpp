// The parts of a diagnosis that send requests: each gathers the input of some steps, and judges it here or in judge.hpp.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "auth/token/claims.hpp"
#include "base/error.hpp"
#include "base/sample.hpp"
#include "decide/policy.hpp"
#include "doctor/doctor.hpp"
#include "doctor/judge.hpp"
#include "http/client.hpp"
#include "manifest/spec.hpp"
#include "source/source.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::doctor {

// Sends the requests of a diagnosis over the shared client and blocks, with one deadline and one cancel flag.  Contains all I/O of
// this module.
class asker {
  public:
    asker(std::shared_ptr<http::client> client, std::int64_t deadline_ms, const http::cancel_flag* cancel)
        : on_(std::move(client)), deadline_ms_(deadline_ms), cancel_(cancel) {}

    http::answer send(http::request request) const;  // once, without retries
    result<auth::token> token(auth::token_cache& token_cache, const std::shared_ptr<auth::credential>& who,
                              const std::string& scope) const;
    source::fetched fetch(source::metric_source& metric_source, std::int64_t now_ms) const;  // with every series

    // Connects to the host of `url` without credentials, with the trigger's trust settings.  If the certificate is rejected,
    // connects again without verification, to find the reason; nothing is sent then either.
    reach look_at(const std::string& url, const std::shared_ptr<const http::tls_settings>& tls,
                  bool is_http2 = false) const;

    void pause(std::int64_t ms) const;
    std::int64_t wall_ms() const { return on_->wall_ms(); }
    std::int64_t steady_ms() const { return on_->steady_ms(); }
    std::int64_t left_ms() const { return deadline_ms_ - on_->steady_ms(); }
    bool cancelled() const { return cancel_ != nullptr && cancel_->fired(); }

  private:
    std::shared_ptr<http::client> on_;
    std::int64_t deadline_ms_;  // on the steady clock
    const http::cancel_flag* cancel_;
};

// The trigger of a diagnosis, and what is needed to open it, or a copy of it with another query.
struct examined_trigger {
    const manifest::trigger& trigger;
    const source::description& described;
    const source::services& services;
    const asker& by;
    std::int64_t now_ms = 0;  // time of evaluation

    std::string metadata(const char* key) const;  // a key of the trigger's metadata; "" if absent
};

// Reads the series behind a trigger's query: those that its selectors match, the age and the recent values of their samples, and,
// if nothing matches, similar series.  Sends the queries through a copy of the trigger, so with the same address, credential and
// trust settings.  Returns empty values for a trigger without such series.
background look_behind(const examined_trigger& examined, const source::metric_source& source);

// Applies a selector to a page: finds its series or, if there are none, all series of its metric, or metrics with names that
// begin alike.  `names`: possible names of the metric on the page.  A label under one of its other names (exported_pod) counts as
// that label.  Pure.
selection look_over(selection selection, const std::vector<std::string>& names, const source::reading& page);

// Compares two texts of the same page. quick: it changed; slow: an energy counter stood still, which is impossible for a GPU that
// is read; otherwise unclear, because power may be constant for a while.  Pure.
pace pace_between(std::string_view earlier, std::string_view later);

// Steps `token_file` and `token`: the projected service-account token that workload identity exchanges, and the access token or
// the reason why there is none.  Pure.

struct token_file {
    std::string path;
    error why{status::ok};  // status ok if the file was read and is a JWT
    auth::claims claims;    // of the assertion: iss, sub, aud, nbf, exp
    std::int64_t now_ms = 0;
};

step judge_token_file(const token_file& seen);

struct token {
    auth::introduction who;
    std::string scope;
    error why{status::ok};  // status ok: a token was issued
    std::int64_t expires_at_ms = 0;
    std::optional<auth::claims> claims;     // of the access token; nullopt: it is opaque
    std::optional<auth::claims> assertion;  // of the exchanged service-account token
    std::int64_t now_ms = 0;
};

step judge_token(const token& seen);

// A setting of the credential, for step `environment`.
struct setting {
    const manifest::injected_setting* row = nullptr;
    std::string value;      // "": not set
    bool from_key = false;  // set by the key of the TriggerAuthentication, not by the variable
    std::string_view name() const { return from_key ? row->key : row->variable; }
};

struct environment {
    std::string provider;  // "azure-workload"; "": the trigger's own authModes
    std::string how;       // as text, if there are no settings to show: "authModes bearer"
    std::vector<setting> settings;
    error why{status::ok};  // error of opening the credential; status ok if it opened
};

step judge_environment(const environment& seen);

// Tells whether the authority itself is wrong (another host, http), for step `authority`.
bool blames_authority(const error& why);
step judge_authority_setting(const error& why);

// The diagnosis of one trigger: its steps up to the first that fails, and what was seen.
struct trigger_diagnosis {
    trigger_report report;
    evidence seen;  // its `fetched` has the value for the decision: not_given if the host must provide it

    // Adds a step.  Returns false if the diagnosis ends here.
    bool add(step step);
    // Adds a step before the query.  If it ends the diagnosis, `why` is the reason why the trigger has no value.
    bool add(step step, const error& why);
};

// Adds the steps `environment`, `token_file`, `authority` and `token`, up to the first that fails, and finds the claims and the
// client of the token.  Sends requests only to the authority, never to the trigger's endpoint.  Returns false if the diagnosis ends
// here.
bool prove_identity(const examined_trigger& examined, const auth::access& access, trigger_diagnosis& out);

// Adds the steps for a source that did not open because of its credential.
void refuse_identity(const examined_trigger& examined, const error& why, trigger_diagnosis& out);

// A metric of the policy, and what the host says about it.
struct examined_metric {
    const decide::metric_policy& metric;
    std::optional<sample> pushed;  // the host's value for a trigger without a source
    bool is_from_host = false;     // the host provides the value
};

// Diagnoses a metric without a source: ok if the host provides the value.
trigger_diagnosis diagnose_unread(const examined_metric& of, std::size_t index);

}  // namespace gputide::doctor
