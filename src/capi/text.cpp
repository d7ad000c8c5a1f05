// Implements gputide_text, its allocator, quantities, and gputide_cancel.
#include "base/quantity.hpp"
#include "base/secret.hpp"
#include "capi/entry.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"
#include "gputide/source.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace gputide::capi {
namespace {

void* allocate_plain(void*, uint64_t size_bytes) { return std::malloc(static_cast<std::size_t>(size_bytes)); }
void release_plain(void*, void* memory) { std::free(memory); }

constexpr gputide_allocator usual_allocator{sizeof(gputide_allocator), 0, allocate_plain, release_plain, nullptr};

// Not synchronized: gputide_set_allocator must be called before all other functions.
gputide_allocator current_allocator = usual_allocator;
std::atomic<bool> text_was_given{false};

result<gputide_text> make_text(std::string_view text) {
    text_was_given.store(true, std::memory_order_relaxed);
    auto* bytes = static_cast<char*>(current_allocator.allocate(current_allocator.user_data, text.size() + 1));
    if (bytes == nullptr) return fail(status::no_memory, "the allocator returned no memory");
    if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
    bytes[text.size()] = '\0';
    return gputide_text{bytes, text.size()};
}

}  // namespace

result<void> give_text(std::string_view text, gputide_text* out) {
    if (out == nullptr) return {};
    result<gputide_text> made = make_text(text);
    if (!made) return made.take_failure();
    gputide_text_free(out);
    *out = *made;
    return {};
}

texts_to_give::~texts_to_give() {
    for (std::size_t i = 0; i < count_; ++i) gputide_text_free(&all_[i].ready);
}

result<void> give_text_of(const result<std::string>& made, gputide_text* out) {
    return made ? give_text(*made, out) : made.failure();
}

result<void> texts_to_give::prepare(std::string_view text, gputide_text* out) {
    if (out == nullptr) return {};
    result<gputide_text> made = make_text(text);
    if (!made) return made.take_failure();
    all_[count_++] = {out, *made};
    return {};
}

void texts_to_give::give() noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
        gputide_text_free(all_[i].out);
        *all_[i].out = all_[i].ready;
    }
    count_ = 0;
}

result<void> give_report(std::string_view json, std::string_view text, gputide_text* report, gputide_text* lines) {
    texts_to_give texts;
    if (result<void> ok = texts.prepare(json, report); !ok) return ok;
    if (result<void> ok = texts.prepare(text, lines); !ok) return ok;
    texts.give();
    return {};
}

}  // namespace gputide::capi

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

void gputide_text_free(gputide_text* text) {
    if (text == nullptr || text->data == nullptr) return;
    wipe(text->data, static_cast<std::size_t>(text->size_bytes));  // the text may be a token
    current_allocator.release(current_allocator.user_data, text->data);
    text->data = nullptr;
    text->size_bytes = 0;
}

gputide_status gputide_set_allocator(const gputide_allocator* allocator, gputide_error* err) {
    return guarded(err, {}, [&]() -> result<void> {
        if (text_was_given.load(std::memory_order_relaxed)) {
            return fail(status::state,
                        "set_allocator: the library has already returned a text; call it before any other function");
        }
        if (allocator == nullptr) {
            current_allocator = usual_allocator;
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

gputide_status gputide_quantity(const char* text, int64_t size_bytes, int64_t* milli, gputide_error* err) {
    return guarded(err, {{milli, "milli"}}, [&]() -> result<void> {
        result<std::string_view> content = input_text(text, size_bytes, "text");
        if (!content) return content.take_failure();
        result<quantity> read = parse_quantity(*content);
        if (!read) return read.take_failure();
        if (read->milli_overflow) return fail(status::limit, "the quantity does not fit 64 bits in thousandths");
        *milli = read->milli;
        return {};
    });
}

gputide_status gputide_cancel_new(gputide_cancel** out, gputide_error* err) {
    return guarded(err, {{out, "out"}}, [&]() -> result<void> {
        *out = make_handle<gputide_cancel>();
        return {};
    });
}

void gputide_cancel_fire(const gputide_cancel* cancel) {
    if (cancel == nullptr || !cancel->is_of_this_process()) return;
    guarded(nullptr, {}, [&]() -> result<void> {
        cancel->flag.fire();
        return {};
    });
}

void gputide_cancel_free(gputide_cancel* cancel) { end(cancel); }
