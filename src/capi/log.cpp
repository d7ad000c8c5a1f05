// Implements the log of source.h: one sink, and readers that poll.
#include "runtime/log.hpp"

#include "capi/entry.hpp"
#include "capi/handles.hpp"
#include "capi/network_handles.hpp"
#include "capi/structs.hpp"
#include "gputide/source.h"

using namespace gputide;        // NOLINT: the functions below implement the C API with these namespaces
using namespace gputide::capi;  // NOLINT: as above

namespace {

static_assert(same(GPUTIDE_LOG_ERROR, runtime::log_level::error));
static_assert(same(GPUTIDE_LOG_DEBUG, runtime::log_level::debug));
static_assert(GPUTIDE_FOREVER == runtime::log_reader::for_ever);

result<runtime::log_level> read_level(std::int32_t level) {
    if (level >= GPUTIDE_LOG_ERROR && level <= GPUTIDE_LOG_DEBUG) return static_cast<runtime::log_level>(level);
    return fail(status::invalid, "level is {}; expected a GPUTIDE_LOG_* number", level);
}

}  // namespace

gputide_status gputide_set_log(const gputide_log_sink* sink, gputide_error* err) {
    return guarded(err, {}, [&]() -> result<void> {
        if (sink == nullptr) {
            runtime::set_log({});
            return {};
        }
        result<gputide_log_sink> given = read_struct(sink, "log sink");
        if (!given) return given.failure();
        result<runtime::log_level> level = read_level(given->level);
        if (!level) return level.take_failure();
        if (given->write == nullptr) {
            return fail(status::invalid, "log sink: write is NULL; to pull lines use gputide_log_open");
        }
        runtime::log_sink target;
        target.level = *level;
        target.write = [write = given->write, user = given->user_data](runtime::log_level grade, const char* line) {
            write(user, static_cast<int32_t>(grade), line);
        };
        if (given->finalize != nullptr) {
            target.finalize = [finalize = given->finalize, user = given->user_data] { finalize(user); };
        }
        runtime::set_log(std::move(target));
        return {};
    });
}

gputide_status gputide_log_open(int32_t level, gputide_log_reader** out, gputide_error* err) {
    return guarded(err, {{out, "out"}}, [&]() -> result<void> {
        result<runtime::log_level> wanted = read_level(level);
        if (!wanted) return wanted.take_failure();
        *out = make_handle<gputide_log_reader>(std::make_unique<runtime::log_reader>(*wanted));
        return {};
    });
}

gputide_status gputide_log_next(gputide_log_reader* reader, int32_t timeout_ms, const gputide_cancel* cancel,
                                gputide_text* line, int32_t* level, gputide_error* err) {
    return guarded(err, {{reader, "reader"}}, [&]() -> result<void> {
        if (result<void> ok = optional(cancel, "cancel"); !ok) return ok;
        if (result<void> ok = required({{line, "line"}}); !ok) return ok;
        if (result<void> ok = check_timeout(timeout_ms, waiting::may_poll_or_last); !ok) return ok;
        result<runtime::log_line> next = reader->reader->next(timeout_ms, cancel != nullptr ? &cancel->flag : nullptr);
        if (!next) return next.take_failure();
        if (result<void> ok = give_text(next->text, line); !ok) {
            reader->reader->put_back(*std::move(next));
            return ok;
        }
        if (level != nullptr) *level = static_cast<int32_t>(next->level);
        return {};
    });
}

void gputide_log_close(gputide_log_reader* reader) {
    if (reader == nullptr || !reader->is_of_this_process()) return;
    guarded(nullptr, {}, [&]() -> result<void> {
        reader->reader->close();
        return {};
    });
}

void gputide_log_free(gputide_log_reader* reader) { end(reader); }
