// A request in progress on an easy handle: its options for libcurl, the data that arrives, the result.  Only for the driving
// thread, except the constructor.
#pragma once

#include "base/function_ref.hpp"
#include "http/libcurl.hpp"
#include "http/message.hpp"

#include <curl/curl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::http {

// Limits the memory of all response bodies in progress in the process: a server that inflates small responses to large ones and
// stalls must not exhaust the host's memory.  The first 64 KiB of a body are not counted, so that ordinary responses always
// arrive.  One endpoint gets at most half of the budget; the rest is for other endpoints.

// The share of one body.  Thread-safe; the sums are atomic and outlive every client.
class body_share {
  public:
    body_share(std::string_view host, std::int32_t port);
    ~body_share();
    body_share(const body_share&) = delete;
    body_share& operator=(const body_share&) = delete;

    // Reserves memory before the body grows to `body_bytes`.  Returns false if the budget is used up; the share is then
    // unchanged.
    bool grow(std::size_t body_bytes);

  private:
    const std::size_t endpoint_;  // index into the sums per endpoint, which two endpoints may share
    std::size_t taken_bytes_ = 0;
};

// Decompresses a gzip or deflate body as it arrives. libcurl can do this too, but 7.88 accepts a truncated stream as complete: a
// page of metrics would lack its last series, and a sum would be too small.

class inflater {
  public:
    inflater();  // throws std::bad_alloc
    ~inflater();
    inflater(const inflater&) = delete;
    inflater& operator=(const inflater&) = delete;

    // Passes the decompressed bytes to `use`.  Returns false for invalid data, or if `use` returned false.
    bool take(std::string_view bytes, function_ref<bool(std::string_view)> use);

    bool is_whole() const;  // the last stream is complete and its checksum matches

  private:
    struct state;
    std::unique_ptr<state> state_;
};

// The limit that ended a transfer.
enum class time_limit { attempt, deadline, connect };

class transfer {
  public:
    transfer(outgoing request, url_parts url);
    ~transfer();
    transfer(const transfer&) = delete;
    transfer& operator=(const transfer&) = delete;

    static void prepare(CURL* handle);  // once per handle that a transfer will use

    // Takes a handle from the pool and sets it up; the handle's private pointer is `owner`.
    CURL* start(easy_pool& pool, void* owner);
    CURL* handle() const { return easy_.handle.get(); }
    const request& asked() const { return *request_; }
    const url_parts& url() const { return url_; }
    std::int64_t connect_limit_ms() const;  // includes the name lookup
    easy take_handle();                     // after removal from the multi handle; no longer points to this transfer

    // Tells whether libcurl stopped because it needs the address of a name (request.cpp).
    bool wants_name() const { return wants_name_; }
    // Returns the name to look up; "": call resume() without a lookup; nullopt: the name cannot be looked up.
    std::optional<std::string> wanted_name(CURLcode code);
    // Prepares the handle to continue, with the addresses of the wanted name and the remaining connect timeout.
    CURL* resume(const std::string& addresses, std::int64_t connect_ms);
    answer unresolved(const trust_defaults& trust) noexcept;  // instead of resume()

    // Returns the result after libcurl has finished.  Without memory for more, the result is fault::no_memory.
    answer conclude(CURLcode code, const trust_defaults& trust) noexcept;
    answer out_of_time(time_limit which) const noexcept;  // for an unfinished transfer; see conclude()
    static answer without_memory() noexcept;

  private:
    void set_target(CURL* handle);
    static void set_plain_http2(CURL* handle);
    void set_method(CURL* handle);
    void set_headers(CURL* handle);
    void add_line(std::string_view name, std::string_view mark, std::string_view value);
    void set_limits(CURL* handle);
    void set_proxy(CURL* handle);
    bool is_of_proxy(CURLcode code) const;
    std::vector<std::string> certificates() const;
    void set_signing(CURL* handle);
    answer concluded(CURLcode code, const trust_defaults& trust);
    template <class Take>
    std::size_t taken(std::string_view piece, Take take) noexcept;
    bool streams() const;
    bool take_body(std::string_view bytes);
    bool keep_body(std::string_view bytes);
    bool take_header(std::string_view line);
    static int on_lookup(void*, void*, void* self);
    static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
    static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
    static int on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t);

    const outgoing request_;
    url_parts url_;
    easy easy_;
    std::string host_;              // host in the Host header, if it differs from the URL's
    std::string lines_;             // "Name: value\0Name: value\0": wiped at the end
    std::vector<curl_slist> list_;  // points into lines_ and itself; neither is reallocated
    curl_slist* connect_to_ = nullptr;
    struct {
        endpoint to;
        std::string ascii;  // ASCII form of to.host
        bool is_of_proxy = false;
    } name_;  // the last name that was needed
    int name_count_ = 0;
    bool wants_name_ = false;
    bool is_address_ = false;        // libcurl asks for an address next; no lookup is needed
    curl_slist* resolve_ = nullptr;  // the addresses of name_
    std::array<char, CURL_ERROR_SIZE> error_text_{};
    response response_;
    body_share share_;  // share of the budget of all bodies
    std::size_t header_bytes_ = 0;
    bool is_coding_known_ = false;
    std::optional<inflater> packed_;  // set if the body has a supported content coding
    bool too_large_ = false;
    bool crowded_ = false;
    bool is_undecodable_ = false;
    bool lacks_memory_ = false;
};

}  // namespace gputide::http
