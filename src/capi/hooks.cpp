// Section 3 of gputide.h: memory that crosses the door, the log, cancelling.
#include "base/secret.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"
#include "runtime/log.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

namespace gputide::capi {
namespace {

void* allocate_plain(void*, uint64_t size_bytes) { return std::malloc(static_cast<std::size_t>(size_bytes)); }
void release_plain(void*, void* memory) { std::free(memory); }

constexpr gputide_allocator plain{sizeof(gputide_allocator), 0, allocate_plain, release_plain, nullptr};

// Process-wide by the hook's own contract: set once, before the first text.
gputide_allocator current_allocator = plain;
std::atomic<bool> text_was_given{false};

}  // namespace

result<void> give_text(std::string_view text, gputide_text* out) {
    if (out == nullptr) return {};
    text_was_given.store(true, std::memory_order_relaxed);
    auto* bytes = static_cast<char*>(current_allocator.allocate(current_allocator.user_data, text.size() + 1));
    if (bytes == nullptr) return fail(status::no_memory, "the host's allocator gave no memory");
    if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
    bytes[text.size()] = '\0';
    out->data = bytes;
    out->size_bytes = text.size();
    return {};
}

}  // namespace gputide::capi

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

void gputide_text_free(gputide_text* text) {
    if (text == nullptr || text->data == nullptr) return;
    wipe(text->data, static_cast<std::size_t>(text->size_bytes));  // it may have been a token
    current_allocator.release(current_allocator.user_data, text->data);
    text->data = nullptr;
    text->size_bytes = 0;
}

gputide_status gputide_set_allocator(const gputide_allocator* allocator, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (text_was_given.load(std::memory_order_relaxed)) {
            return fail(status::state,
                        "set_allocator: the library has handed out text already; call it before anything else");
        }
        if (allocator == nullptr) {
            current_allocator = plain;
            return {};
        }
        result<gputide_allocator> given = read_struct(allocator, "allocator");
        if (!given) return given.failure();
        if (given->allocate == nullptr || given->release == nullptr) {
            return fail(status::invalid, "allocator: allocate and release must both be set");
        }
        current_allocator = *given;
        return {};
    });
}

gputide_status gputide_set_log(const gputide_log_sink* sink, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (sink == nullptr) {
            runtime::set_log({});
            return {};
        }
        result<gputide_log_sink> given = read_struct(sink, "log sink");
        if (!given) return given.failure();
        if (given->level < 0 || given->level > GPUTIDE_LOG_DEBUG) {
            return fail(status::invalid, "log sink: level is " + std::to_string(given->level) + "; expected 0 to 4");
        }
        runtime::log_sink target;
        target.level = static_cast<runtime::log_level>(given->level);
        if (given->write != nullptr) {
            target.write = [write = given->write, user = given->user_data](runtime::log_level level, const char* line) {
                write(user, static_cast<int32_t>(level), line);
            };
        }
        if (given->finalize != nullptr) {
            target.finalize = [finalize = given->finalize, user = given->user_data] { finalize(user); };
        }
        runtime::set_log(std::move(target));
        return {};
    });
}

gputide_status gputide_log_take(gputide_text* line, int32_t* level, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(line, "line"); !ok) return ok;
        std::optional<runtime::log_line> waiting = runtime::take_log();
        if (!waiting) return fail(status::no_data, "no log line waits");
        if (level != nullptr) *level = static_cast<int32_t>(waiting->level);
        return give_text(waiting->text, line);
    });
}

gputide_status gputide_cancel_new(gputide_cancel** out, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(out, "out"); !ok) return ok;
        *out = std::make_unique<gputide_cancel>().release();
        return {};
    });
}

void gputide_cancel_fire(const gputide_cancel* cancel) {
    if (cancel == nullptr) return;
    guarded(nullptr, [&]() -> result<void> {
        cancel->flag.fire();
        return {};
    });
}

void gputide_cancel_reset(gputide_cancel* cancel) {
    if (cancel == nullptr) return;
    guarded(nullptr, [&]() -> result<void> {
        cancel->flag.reset();
        return {};
    });
}

void gputide_cancel_free(gputide_cancel* cancel) { delete cancel; }
