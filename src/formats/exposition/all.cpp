// Copies lines into series.
#include "formats/exposition/all.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"

namespace gputide::formats::exposition {

series series_of(const line& from) {
    series out;
    out.labels.reserve(from.labels.size() + 1);
    out.labels.emplace_back("__name__", unescaped(from.name));
    for (const raw_label& one : from.labels) {
        if (!one.name.escaped && !one.value.escaped) {
            out.labels.emplace_back(one.name.text, one.value.text);
        } else {
            out.labels.emplace_back(unescaped(one.name), unescaped(one.value));
        }
    }
    out.points.push_back({from.time_ms.value_or(0), from.value});
    return out;
}

result<reading> read_all(std::string_view body, format as) {
    reading out;
    out.result_type = "exposition";
    page from(body, as);
    line one;
    while (from.next(one)) {
        if (out.series.size() == limits::series) {
            return fail(error_class::limit, format_text("the page has more than {} samples", limits::series));
        }
        out.series.push_back(series_of(one));
    }
    if (from.failed()) return from.failure();
    return out;
}

}  // namespace gputide::formats::exposition
