// Converts sample lines to series.
#include "formats/exposition/all.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"

namespace gputide::formats::exposition {

series series_of(const line& line) {
    series out;
    out.labels.reserve(line.labels.size() + 1);
    out.labels.emplace_back("__name__", unescaped(line.name));
    for (const raw_label& one : line.labels) {
        if (!one.name.escaped && !one.value.escaped) {
            out.labels.emplace_back(one.name.text, one.value.text);
        } else {
            out.labels.emplace_back(unescaped(one.name), unescaped(one.value));
        }
    }
    out.points.push_back({line.time_ms.value_or(0), line.value});
    return out;
}

result<reading> read_all(std::string_view body, format as) {
    reading out;
    out.result_type = "exposition";
    page page(body, as);
    line one;
    while (page.next(one)) {
        if (out.series.size() == limits::series) {
            return fail(error_class::limit, format_text("the page has more than {} samples", limits::series));
        }
        out.series.push_back(series_of(one));
    }
    if (page.failed()) return page.failure();
    return out;
}

}  // namespace gputide::formats::exposition
