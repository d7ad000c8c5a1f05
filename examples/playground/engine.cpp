// The functions that engine.js calls, over plan.h: a text in, a JSON text out.  Built by build.sh for WebAssembly.
#include "plan.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#define PLAYGROUND_EXPORT(name) extern "C" __attribute__((export_name(name)))

namespace {

std::string answer;  // of the last call; engine.js reads it before the next
gputide_series* series = nullptr;

gputide_error new_error() {
    gputide_error out{};
    out.struct_size = sizeof out;
    return out;
}

void take(gputide_text& text) {
    answer.assign(text.data, static_cast<std::size_t>(text.size_bytes));
    gputide_text_free(&text);
}

// Writes a text as a JSON string.
std::string quoted(const char* text) {
    std::string out = "\"";
    for (; *text != '\0'; ++text) {
        const char c = *text;
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + '"';
}

void fail(const gputide_error& err) {
    answer = std::string("{\"error\":") + quoted(err.message) + ",\"where\":" + quoted(err.where) + "}";
}

}  // namespace

PLAYGROUND_EXPORT("allocate") char* allocate(std::int32_t size) {
    return static_cast<char*>(std::malloc(static_cast<std::size_t>(size)));
}
PLAYGROUND_EXPORT("release") void release(char* memory) { std::free(memory); }
PLAYGROUND_EXPORT("answer_data") const char* answer_data() { return answer.data(); }
PLAYGROUND_EXPORT("answer_size") std::int32_t answer_size() { return static_cast<std::int32_t>(answer.size()); }

// Reads a recording, which later replays use: CSV or a saved answer of query_range.  Gives its description.
PLAYGROUND_EXPORT("read_series") void read_series(const char* text, std::int32_t size) {
    gputide_error err = new_error();
    gputide_series* read = nullptr;
    gputide_text json{};
    if (gputide_series_new(&read, &err) != GPUTIDE_OK ||
        gputide_series_read(read, 0, text, size, nullptr, &err) != GPUTIDE_OK ||
        gputide_series_describe(read, &json, &err) != GPUTIDE_OK) {
        gputide_series_free(read);
        return fail(err);
    }
    gputide_series_free(series);
    series = read;
    take(json);
}

// Gives what a manifest decides by, every default filled in.
PLAYGROUND_EXPORT("describe") void describe(const char* manifest, std::int32_t size) {
    gputide_error err = new_error();
    gputide_policy* policy = nullptr;
    gputide_text json{};
    if (gputide_policy_open(manifest, size, nullptr, &policy, &err) != GPUTIDE_OK ||
        gputide_policy_describe(policy, &json, &err) != GPUTIDE_OK) {
        fail(err);
    } else {
        take(json);
    }
    gputide_policy_free(policy);
}

// Replays the recording with a manifest and the settings of docs/replay.md.  Gives the report.
PLAYGROUND_EXPORT("replay")
void replay(const char* manifest, std::int32_t size, const char* settings, std::int32_t settings_size) {
    gputide_error err = new_error();
    gputide_replay* replay = nullptr;
    gputide_text json{};
    if (gputide_replay_open(manifest, size, nullptr, settings, settings_size, &replay, &err) != GPUTIDE_OK ||
        gputide_replay_run(replay, series, nullptr, &err) != GPUTIDE_OK ||
        gputide_replay_report(replay, &json, &err) != GPUTIDE_OK) {
        fail(err);
    } else {
        take(json);
    }
    gputide_replay_free(replay);
}
