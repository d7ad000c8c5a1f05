// The peer's and the machine's side of azure-token cases.
#include "inside/azure_token_world.hpp"

#include "base/encode.hpp"
#include "base/text.hpp"

#include <numeric>
#include <stdexcept>

namespace conformance {
namespace {

using gputide::testing::scripted_answer;
using fields = std::multimap<std::string, std::string>;

std::string content_of(const json& written) {
    if (written.is_string()) return written.get<std::string>();
    if (written.at("generated") != "repeat") throw std::runtime_error("unknown generated file: " + written.dump());
    return std::string(written.at("bytes").get<std::size_t>(), written.at("char").get<std::string>().at(0));
}

// A token answer that is good but for its size: exactly that many bytes, the rest white space.
std::string padded_answer(const json& how) {
    if (how.at("kind") != "pad_json") throw std::runtime_error("unknown generated body: " + how.dump());
    const json body = {{"token_type", "Bearer"},
                       {"expires_in", how.value("expires_in", 3599)},
                       {"access_token", how.value("access_token", "TOKEN-ONE")}};
    std::string out = body.dump();
    out.resize(std::max(out.size(), how.at("bytes").get<std::size_t>()), ' ');
    return out;
}

gputide::http::fault fault_of(const std::string& word) {
    using gputide::http::fault;
    static const std::map<std::string, fault> known = {{"timeout", fault::timeout},
                                                       {"connection_refused", fault::connect},
                                                       {"dns", fault::resolve},
                                                       {"connection_reset", fault::reset},
                                                       {"tls_peer_verification", fault::tls_verify},
                                                       {"tls_handshake", fault::tls_handshake}};
    return known.at(word);
}

// "a=b&c=d", percent-encoded; an undecodable piece is kept raw, so that it cannot look right by accident.
fields decoded(std::string_view text) {
    fields out;
    if (text.empty()) return out;
    for (const std::string_view piece : gputide::split(text, '&')) {
        const std::size_t equals = piece.find('=');
        const std::string_view value = equals == std::string_view::npos ? std::string_view() : piece.substr(equals + 1);
        out.emplace(gputide::percent_decode(piece.substr(0, equals), true).value_or(std::string(piece)),
                    gputide::percent_decode(value, true).value_or("undecodable: " + std::string(value)));
    }
    return out;
}

// "request 1.form" and "scope" -> "request 1.form.scope"
std::string below(const std::string& place, const std::string& name) {
    std::string out = place;
    out += '.';
    return out += name;
}

void check_fields(differences& out, const std::string& place, const json& expected, const fields& got) {
    for (const auto& [name, value] : expected.items()) {
        const auto [first, last] = got.equal_range(name);
        if (std::distance(first, last) != 1) {
            out.push_back(below(place, name) + ": expected once, got " + std::to_string(std::distance(first, last)) +
                          " times");
        } else {
            expect_equal(out, below(place, name), value, first->second);
        }
    }
}

// Scheme and host in lower case, without the query.
std::string plain_url(const std::string& url) {
    const auto parts = gputide::http::parse_url(url);
    if (!parts) return url;
    return parts->scheme + "://" + parts->host + ":" + std::to_string(parts->port) + parts->path;
}

void check_header(differences& out, const std::string& place, const std::string& expected,
                  const gputide::http::header* got) {
    if (got == nullptr) {
        out.push_back(place + ": expected " + expected + ", got no such header");
        return;
    }
    const std::string value(got->value.reveal());
    const bool with_charset = value.rfind(expected + ";", 0) == 0;  // "...; charset=utf-8" says the same
    if (!with_charset) expect_equal(out, place, expected, value);
}

void check_tls(differences& out, const std::string& place, const json& expected, const gputide::http::request& sent) {
    const gputide::http::tls_settings none;
    const gputide::http::tls_settings& got = sent.tls ? *sent.tls : none;
    if (expected.contains("sni")) expect_equal(out, place + ".tls.sni", expected.at("sni"), got.server_name);
    if (expected.contains("ca")) expect_equal(out, place + ".tls.ca", expected.at("ca"), got.ca_pem);
}

}  // namespace

void check_request(differences& out, const std::string& place, const json& exchange,
                   const gputide::http::request& sent) {
    const json& want = exchange.at("request");
    if (want.contains("method")) expect_equal(out, place + ".method", want.at("method"), sent.method);
    if (want.contains("url")) {
        expect_equal(out, place + ".url", plain_url(want.at("url").get<std::string>()), plain_url(sent.url));
    }
    const json expected_headers = want.value("headers", json::object());
    for (const auto& [name, value] : expected_headers.items()) {
        check_header(out, below(place + ".headers", name), value.get<std::string>(), sent.find(name));
    }
    const auto parts = gputide::http::parse_url(sent.url);
    check_fields(out, place + ".query", want.value("query", json::object()), decoded(parts ? parts->query : ""));
    if (sent.method == "POST" && parts && parts->has_query)
        out.push_back(place + ".url: a POST with a query: " + sent.url);
    check_fields(out, place + ".form", want.value("form", json::object()), decoded(sent.body.reveal()));
    for (const auto* holder : {&want, &exchange}) {
        if (holder->contains("tls")) check_tls(out, place, holder->at("tls"), sent);
        if (holder->contains("body_must_contain")) {
            const json& wanted = holder->at("body_must_contain");
            const json parts_wanted = wanted.is_array() ? wanted : json::array({wanted});
            for (const json& part : parts_wanted) {
                expect_contains(out, place + ".body", part.get<std::string>(), sent.body.reveal());
            }
        }
        if (holder->contains("timeout_ms")) {
            expect_equal(out, place + ".timeout_ms", holder->at("timeout_ms"), sent.attempt_timeout_ms);
        }
        if (holder->contains("via_proxy"))
            expect_equal(out, place + ".via_proxy", holder->at("via_proxy"), sent.use_proxy);
    }
}

scripted_answer answer_of(const json& response) {
    if (response.contains("transport_error")) {
        return gputide::testing::scripted_fault(fault_of(response.at("transport_error").get<std::string>()));
    }
    std::string body = response.value("body_raw", "");
    if (response.contains("body")) body = response.at("body").dump();
    if (response.contains("body_generated")) body = padded_answer(response.at("body_generated"));
    std::vector<gputide::http::response_header> headers;
    const json given = response.value("headers", json::object());
    for (const auto& [name, value] : given.items()) {
        headers.push_back({name, value.get<std::string>()});
    }
    return gputide::testing::scripted(response.at("status").get<std::int32_t>(), std::move(body), std::move(headers));
}

token_world::token_world(const json& object) : exchanges_(object.value("exchanges", json::array())) {
    const json env = object.value("env", json::object());
    for (const auto& [name, value] : env.items()) variables_[name] = value.get<std::string>();
    const json files = object.value("files", json::object());
    for (const auto& [path, content] : files.items()) files_[path] = content_of(content);
    loop_->set_wall_ms(object.at("now").get<std::int64_t>() * 1000);
    loop_->freeze_clocks(true);  // sleeps are recorded, not waited for
    loop_->answer_with([this](const gputide::http::request& sent) { return answer(sent); });
}

std::optional<std::string> token_world::environment(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::nullopt : std::optional<std::string>(found->second);
}

gputide::result<gputide::secret_text> token_world::read_file(const std::string& path, std::size_t most) const {
    const std::lock_guard lock(guard_);
    const auto found = files_.find(path);
    if (found == files_.end()) return gputide::fail_for_now(path + ": No such file or directory");
    if (found->second.size() > most) return gputide::fail(gputide::status::limit, path + " is too large");
    return gputide::secret_text(found->second);
}

gputide::result<gputide::secret_text> token_world::read_unlinked_file(const std::string& path, std::size_t most) const {
    return read_file(path, most);  // there are no links here
}

void token_world::write_file(const std::string& path, const json& content) {
    const std::lock_guard lock(guard_);
    files_[path] = content_of(content);
}

void token_world::move_to(std::int64_t wall_s, const std::optional<std::int64_t>& elapsed_s) {
    const std::int64_t by_ms = elapsed_s ? *elapsed_s * 1000 : wall_s * 1000 - loop_->wall_ms();
    loop_->set_steady_ms(loop_->steady_ms() + by_ms);
    loop_->set_wall_ms(wall_s * 1000);
}

std::size_t token_world::requests() const {
    const std::lock_guard lock(guard_);
    return delays_before_.size();
}

differences token_world::wrong_requests() const {
    const std::lock_guard lock(guard_);
    return wrong_;
}

std::vector<std::int64_t> token_world::delays() {
    const std::vector<std::int64_t> all = loop_->delays();
    const std::lock_guard lock(guard_);
    std::vector<std::int64_t> out;
    for (std::size_t i = 1; i < delays_before_.size(); ++i) {
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(delays_before_[i - 1]);
        const auto until = all.begin() + static_cast<std::ptrdiff_t>(delays_before_[i]);
        out.push_back(std::accumulate(from, until, std::int64_t{0}));
    }
    return out;
}

scripted_answer token_world::answer(const gputide::http::request& sent) {
    const std::size_t waits = loop_->delays().size();
    const json* exchange = nullptr;
    {
        const std::lock_guard lock(guard_);
        const std::size_t index = delays_before_.size();
        delays_before_.push_back(waits);
        const std::string place = "request " + std::to_string(index + 1);
        if (index >= exchanges_.size()) {
            wrong_.push_back(place + ": expected no such request, got " + sent.method + " " + sent.url);
            return gputide::testing::scripted_fault(gputide::http::fault::other, "the case has no answer for it");
        }
        exchange = &exchanges_[index];
        check_request(wrong_, place, *exchange, sent);
    }
    const json changes = exchange->value("on_response", json::object()).value("write_file", json::object());
    for (const auto& [path, content] : changes.items()) write_file(path, content);
    scripted_answer out = answer_of(exchange->at("response"));
    out.delay_ms = exchange->value("delay_ms", 0);
    return out;
}

}  // namespace conformance
