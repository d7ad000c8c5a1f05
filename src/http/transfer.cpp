// Sets up an easy handle for one request and collects its answer.  Header lines and the body may hold secrets: libcurl
// reads both from memory of ours, which is wiped with the transfer.
#include "http/transfer.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "http/gate.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace gputide::http {

namespace {

enum class coding { none, packed, unknown };

// What the answer's headers say of its body, asked once.
coding coding_of(const response& answer) {
    const std::string_view name = trim(answer.header("content-encoding").value_or(""));
    if (name.empty() || equal_ignoring_case(name, "identity")) return coding::none;
    for (const char* known : {"gzip", "x-gzip", "deflate"}) {
        if (equal_ignoring_case(name, known)) return coding::packed;
    }
    return coding::unknown;
}

bool has_body(const request& request) {
    return !request.body.empty() || request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
}

}  // namespace

transfer::transfer(outgoing request, url_parts url)
    : what_(std::move(request)), url_(std::move(url)), share_(url_.host, url_.port) {}

transfer::~transfer() {
    curl_slist_free_all(connect_to_);
    wipe(lines_);
}

void transfer::prepare(CURL* handle) {
    set_option(handle, CURLOPT_WRITEFUNCTION, &transfer::on_body);
    set_option(handle, CURLOPT_HEADERFUNCTION, &transfer::on_header);
    set_option(handle, CURLOPT_XFERINFOFUNCTION, &transfer::on_progress);
    set_option(handle, CURLOPT_NOPROGRESS, 0L);
}

CURL* transfer::start(easy_pool& pool, void* owner) {
    easy_ = pool.take(what_->tls);
    CURL* on = easy_.handle.get();
    set_option(on, CURLOPT_PRIVATE, owner);
    set_option(on, CURLOPT_ERRORBUFFER, error_text_.data());
    set_option(on, CURLOPT_WRITEDATA, this);
    set_option(on, CURLOPT_HEADERDATA, this);
    set_option(on, CURLOPT_XFERINFODATA, this);
    got_.headers.reserve(8);
    set_target(on);
    set_method(on);
    set_headers(on);
    set_limits(on);
    set_proxy(on);
    if (what_->wants_certificates) {
        set_option(on, CURLOPT_CERTINFO, 1L);
        set_option(on, CURLOPT_FRESH_CONNECT, 1L);  // only a handshake brings a chain
    }
    if (what_->signing) set_signing(on);
    return on;
}

// A verified name other than the URL's host goes into the URL, since libcurl takes SNI and the name to verify from there;
// the connection still goes to the URL's own host, and the Host header names it.
void transfer::set_target(CURL* handle) {
    const bool renamed =
        what_->tls && !what_->tls->server_name.empty() && !equal_ignoring_case(what_->tls->server_name, url_.host);
    const std::string_view elsewhere = what_->tls ? std::string_view(what_->tls->connect_to) : std::string_view();
    std::string other_url;
    if (renamed) {
        other_url = format_text("{}://{}{}{}{}", url_.scheme, url_.has_user_info ? url_.user_info + "@" : "",
                                host_and_port(what_->tls->server_name, url_.port), url_.path,
                                url_.has_query ? "?" + url_.query : "");
    }
    if (renamed || !elsewhere.empty()) {
        const std::string to =
            "::" + (elsewhere.empty() ? host_and_port(url_.host, url_.port) : std::string(elsewhere));
        connect_to_ = curl_slist_append(nullptr, to.c_str());
        if (connect_to_ == nullptr) throw std::bad_alloc();
    }
    if (renamed && what_->find("Host") == nullptr) {
        const bool usual_port = url_.port == (url_.scheme == "https" ? 443 : 80);
        const std::string full = host_and_port(url_.host, url_.port);
        host_ = usual_port ? full.substr(0, full.rfind(':')) : full;
    }
    set_option(handle, CURLOPT_URL, renamed ? other_url.c_str() : what_->url.c_str());
    wipe(other_url);  // it may carry user information
    if (connect_to_ != nullptr) set_option(handle, CURLOPT_CONNECT_TO, connect_to_);
    // Wait for a connection that may take many requests, where HTTP/2 can be.
    const bool is_tls = url_.scheme == "https";
    set_option(handle, CURLOPT_PIPEWAIT, is_tls || what_->is_http2 ? 1L : 0L);
    if (what_->is_http2 && !is_tls) set_plain_http2(handle);
}

// libcurl 7.88 begins HTTP/2 once more on a connection that has it, which breaks it (curl/curl issue 10634, mended in 8.0.0): one
// for each request there.
void transfer::set_plain_http2(CURL* handle) {
    constexpr unsigned mended = 0x080000;
    const bool is_once = curl_version_info(CURLVERSION_NOW)->version_num < mended;
    set_option(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE));
    if (is_once) set_option(handle, CURLOPT_PIPEWAIT, 0L);
    set_option(handle, CURLOPT_FRESH_CONNECT, is_once ? 1L : 0L);
    set_option(handle, CURLOPT_FORBID_REUSE, is_once ? 1L : 0L);
}

void transfer::set_method(CURL* handle) {
    const bool body = has_body(*what_);
    const bool head = what_->method == "HEAD" && !body;
    set_option(handle, CURLOPT_NOBODY, head ? 1L : 0L);
    if (body) {
        const std::string_view bytes = what_->body.reveal();
        set_option(handle, CURLOPT_POST, 1L);
        set_option(handle, CURLOPT_POSTFIELDS, bytes.empty() ? "" : bytes.data());
        set_option(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(bytes.size()));
    }
    if (!head && !body) set_option(handle, CURLOPT_HTTPGET, 1L);
    const bool usual = what_->method == (body ? "POST" : head ? "HEAD" : "GET");
    set_option(handle, CURLOPT_CUSTOMREQUEST, usual ? nullptr : what_->method.c_str());
}

// libcurl takes "Name;" for a header without a value, and "Name:" for one of its own to leave out.
void transfer::add_line(std::string_view name, std::string_view mark, std::string_view value) {
    char* start = lines_.data() + lines_.size();
    lines_.append(name).append(mark).append(value) += '\0';
    if (!list_.empty()) list_.back().next = list_.data() + list_.size();
    list_.push_back({start, nullptr});
}

void transfer::set_headers(CURL* handle) {
    std::size_t size = sizeof "Expect:" + sizeof "Host: " + host_.size();
    for (const header& one : what_->headers) size += one.name.size() + one.value.reveal().size() + sizeof ": ";
    lines_.reserve(size);  // in one piece: growing would leave copies behind
    list_.reserve(what_->headers.size() + 2);
    for (const header& one : what_->headers) add_line(one.name, one.value.empty() ? ";" : ": ", one.value.reveal());
    if (!host_.empty()) add_line("Host", ": ", host_);
    // 100-continue costs a second where it is not known.  libcurl would sign this line although it is never sent.
    if (has_body(*what_) && !what_->signing) add_line("Expect", ":", {});
    set_option(handle, CURLOPT_HTTPHEADER, list_.empty() ? nullptr : list_.data());
}

// The attempt's whole time is the client's business (client.cpp): libcurl's own limit does not count a wait for a free
// connection.
void transfer::set_limits(CURL* handle) {
    const std::int64_t connect = std::clamp<std::int64_t>(what_->connect_timeout_ms, 1, 86'400'000);
    set_option(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect));
    set_option(handle, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(what_->stream ? 0 : what_->most_bytes));
    // Whoever packs a stream may begin a new gzip member at each flush, which nobody unpacks.
    if (what_->stream) set_option(handle, CURLOPT_ACCEPT_ENCODING, static_cast<char*>(nullptr));
}

// Off unless the host program says so.  Loopback never goes through a proxy, as in Go's net/http; a null pointer lets libcurl
// read the environment.
void transfer::set_proxy(CURL* handle) {
    const std::string proxy = what_->tls ? what_->tls->proxy : std::string();
    const bool direct = proxy.empty() || !what_->use_proxy || is_loopback(url_.host);
    if (easy_.direct == direct) return;  // the handle's settings, its proxy among them, are the request's
    easy_.direct = direct;
    const bool by_environment = proxy == environment_proxy;
    set_option(handle, CURLOPT_PROXY, direct ? "" : by_environment ? nullptr : proxy.c_str());
    set_option(handle, CURLOPT_NOPROXY, direct ? "*" : by_environment ? nullptr : "");
}

// libcurl keeps copies of its own as long as the handle is set to them.
void transfer::set_signing(CURL* handle) {
    const aws_signing& signing = *what_->signing;
    const std::string provider = format_text("aws:amz:{}:{}", signing.region, signing.service);
    set_option(handle, CURLOPT_AWS_SIGV4, provider.c_str());
    set_option(handle, CURLOPT_USERNAME, signing.access_key_id.c_str());
    std::string secret(signing.secret_access_key.reveal());
    set_option(handle, CURLOPT_PASSWORD, secret.c_str());
    wipe(secret);
}

easy transfer::take_handle() {
    CURL* on = easy_.handle.get();
    if (what_->signing) {
        set_option(on, CURLOPT_AWS_SIGV4, static_cast<char*>(nullptr));
        set_option(on, CURLOPT_USERNAME, static_cast<char*>(nullptr));
        set_option(on, CURLOPT_PASSWORD, static_cast<char*>(nullptr));
        set_option(on, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));  // what it was; signing has set its own
    }
    set_option(on, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
    set_option(on, CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
    if (connect_to_ != nullptr) set_option(on, CURLOPT_CONNECT_TO, static_cast<curl_slist*>(nullptr));
    if (has_body(*what_)) set_option(on, CURLOPT_POSTFIELDS, static_cast<char*>(nullptr));
    if (what_->stream) set_option(on, CURLOPT_ACCEPT_ENCODING, accepted_coding);
    if (what_->is_http2) {
        set_option(on, CURLOPT_HTTP_VERSION, usual_version);
        set_option(on, CURLOPT_FRESH_CONNECT, 0L);
        set_option(on, CURLOPT_FORBID_REUSE, 0L);
    }
    if (url_.has_user_info) set_option(on, CURLOPT_URL, static_cast<char*>(nullptr));
    if (what_->wants_certificates) {
        set_option(on, CURLOPT_CERTINFO, 0L);
        set_option(on, CURLOPT_FRESH_CONNECT, 0L);
    }
    return std::move(easy_);
}

bool transfer::streams() const {
    if (!what_->stream) return false;
    long status = 0;
    curl_easy_getinfo(easy_.handle.get(), CURLINFO_RESPONSE_CODE, &status);
    return status == 200;
}

bool transfer::take_body(std::string_view bytes) {
    if (!std::exchange(is_coding_known_, true)) {
        const coding how = coding_of(got_);
        is_undecodable_ = how == coding::unknown;
        if (how == coding::packed) packed_.emplace();
    }
    if (is_undecodable_) return false;
    if (!packed_) return keep_body(bytes);
    if (packed_->take(bytes, [this](std::string_view piece) { return keep_body(piece); })) return true;
    is_undecodable_ = !too_large_ && !crowded_;
    return false;
}

bool transfer::keep_body(std::string_view bytes) {
    if (streams()) {
        (*what_->stream)(bytes);
        return true;
    }
    too_large_ = too_large_ || bytes.size() > what_->most_bytes - got_.body.size();
    if (too_large_) return false;
    crowded_ = crowded_ || !share_.grow(got_.body.size() + bytes.size());
    if (!crowded_) got_.body.append(bytes);
    return !crowded_;
}

// Each status line starts a new answer: what came before was a 1xx.
bool transfer::take_header(std::string_view line) {
    header_bytes_ += line.size();
    too_large_ = too_large_ || header_bytes_ > limits::header_bytes;
    if (too_large_) return false;
    const std::size_t colon = line.find(':');
    if (line.substr(0, 5) == "HTTP/") {
        got_.headers.clear();
    } else if (colon != std::string_view::npos && colon > 0) {
        got_.headers.push_back({std::string(trim(line.substr(0, colon))), std::string(trim(line.substr(colon + 1)))});
    }
    return true;
}

// No exception may pass through libcurl; another size than the piece's is a failure to it.
template <class Take>
std::size_t transfer::taken(std::string_view piece, Take take) noexcept {
    try {
        if (take(piece)) return piece.size();
    } catch (const std::bad_alloc&) {
        lacks_memory_ = true;
    }
    return piece.size() + 1;
}

std::size_t transfer::on_body(char* bytes, std::size_t one, std::size_t count, void* self) {
    auto& here = *static_cast<transfer*>(self);
    return here.taken({bytes, one * count}, [&here](std::string_view piece) { return here.take_body(piece); });
}

std::size_t transfer::on_header(char* bytes, std::size_t one, std::size_t count, void* self) {
    auto& here = *static_cast<transfer*>(self);
    return here.taken({bytes, one * count}, [&here](std::string_view line) { return here.take_header(line); });
}

// Counts what comes over the wire: a compressed body may be large and hold nothing.
int transfer::on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t) {
    auto& one = *static_cast<transfer*>(self);
    if (one.streams()) return 0;
    one.too_large_ =
        one.too_large_ || static_cast<std::size_t>(std::max<curl_off_t>(0, received)) > one.what_->most_bytes;
    return one.too_large_ ? 1 : 0;
}

answer transfer::without_memory() noexcept {
    answer out;
    out.fault = fault::no_memory;  // its name is its text, which a text of one's own would need memory for
    return out;
}

answer transfer::conclude(CURLcode code, const trust_defaults& trust) noexcept {
    if (lacks_memory_) return without_memory();
    try {
        return concluded(code, trust);
    } catch (const std::bad_alloc&) {
        return without_memory();
    }
}

answer transfer::concluded(CURLcode code, const trust_defaults& trust) {
    if (code == CURLE_OK && packed_ && !packed_->is_whole()) is_undecodable_ = true;
    if (is_undecodable_) code = CURLE_BAD_CONTENT_ENCODING;
    if (code == CURLE_OK) {
        long status = 0;
        curl_easy_getinfo(handle(), CURLINFO_RESPONSE_CODE, &status);
        got_.status = static_cast<std::int32_t>(status);
        answer out;
        out.response = std::move(got_);
        if (what_->wants_certificates) out.certificates = certificates();
        return out;
    }
    if (too_large_ || code == CURLE_FILESIZE_EXCEEDED) {
        answer out;
        out.fault = fault::too_large;
        out.fault_text = header_bytes_ > limits::header_bytes
                             ? format_text("the answer's headers are larger than {} bytes", limits::header_bytes)
                             : format_text("the answer is larger than {} bytes", what_->most_bytes);
        return out;
    }
    if (crowded_) {
        answer out;
        out.fault = fault::crowded;
        out.fault_text = format_text(
            "it was dropped, as the answers under way in this process hold {} MiB already, or those "
            "of this peer {} MiB",
            limits::bodies_bytes >> 20, limits::bodies_of_endpoint_bytes >> 20);
        return out;
    }
    const auto to = endpoint_of(*what_, url_).value_or(endpoint{});
    failure_site site;
    site.peer = host_and_port(to.host, to.port);
    site.expected_name = what_->tls && !what_->tls->server_name.empty() ? what_->tls->server_name : url_.host;
    site.roots = roots_in_words(what_->tls.get(), trust);
    site.curl_text = error_text_.data();
    site.connect_timeout_ms = what_->connect_timeout_ms;
    site.is_http2 = what_->is_http2;
    answer out = failed_transfer(code, handle(), site);
    if (out.fault == fault::encoding) out.response.headers = std::move(got_.headers);  // they name the coding
    return out;
}

// libcurl lists each certificate as "name:value" lines, the PEM text among them.
std::vector<std::string> transfer::certificates() const {
    static constexpr std::string_view mark = "Cert:";
    std::vector<std::string> out;
    curl_certinfo* chain = nullptr;
    if (curl_easy_getinfo(handle(), CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == nullptr) return out;
    for (int i = 0; i < chain->num_of_certs; ++i) {
        for (const curl_slist* line = chain->certinfo[i]; line != nullptr; line = line->next) {
            const std::string_view text = line->data;
            if (text.substr(0, mark.size()) == mark) out.emplace_back(text.substr(mark.size()));
        }
    }
    return out;
}

answer transfer::out_of_time(time_limit which) const noexcept {
    answer out;
    try {
        if (which == time_limit::deadline) {
            out.fault_text = "the deadline passed before the answer was there";
        } else {
            out.fault_text = format_text("timed out after {} ms", what_->attempt_timeout_ms);
        }
    } catch (const std::bad_alloc&) {  // the fault alone says it too
    }
    out.fault = which == time_limit::deadline ? fault::deadline : fault::timeout;
    return out;
}

}  // namespace gputide::http
