// Whole answers of a metric source at the C API: status, headers and body in, every series or the error out.
#pragma once

#include "frame/check.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <thread>

namespace conformance {

struct http_answer {
    std::int32_t status = 200;
    json headers = json::object();
    std::string body;
};

// {"ok":true,…what gputide_source_parse_all gives}, or {"ok":false,"error":{…},"detail":{…}} of the failed call.
json parse_all(c_api& library, const json& open_source, const http_answer& answer);

// The same for an answer that a server on a loopback port gives to a fetch of the trigger at that address.
json fetch_all(c_api& library, const json& open_source);

// A number of an error's detail; nothing where it has none.
std::optional<std::int64_t> detail_number(const json& detail, const char* member);

// "42.5" → 42.5; NaN and the infinities stay words.
json number_or_word(const std::string& text);

// A point or an exemplar of a described answer: its value as number_or_word gives it.
json value_of(const json& point);

}  // namespace conformance

// One answer for every client, on a loopback port that the system chooses: for what only a real connection shows, such as
// content codings.

namespace conformance {

class loopback_server {
  public:
    explicit loopback_server(const http_answer& answer);  // throws std::system_error
    loopback_server(const loopback_server&) = delete;
    loopback_server& operator=(const loopback_server&) = delete;
    ~loopback_server();

    std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }

  private:
    void serve() const;

    std::string answer_;  // as it goes over the wire
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

}  // namespace conformance
