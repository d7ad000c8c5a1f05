// Converts sample lines to series.
#include "formats/exposition/all.hpp"

#include "base/limits.hpp"

namespace gputide::formats::exposition {

series series_of(const line& line) {
    series out;
    out.labels.reserve(line.labels.size() + 1);
    out.labels.emplace_back("__name__", unescaped(line.name));
    for (const raw_label& label : line.labels) {
        if (!label.name.escaped && !label.value.escaped) {
            out.labels.emplace_back(label.name.text, label.value.text);
        } else {
            out.labels.emplace_back(unescaped(label.name), unescaped(label.value));
        }
    }
    out.points.push_back({line.time_ms.value_or(0), line.value});
    return out;
}

result<reading> read_all(std::string_view body, format as) {
    reading out;
    out.result_type = "exposition";
    page page(body, as);
    line line;
    while (page.next(line)) {
        if (out.series.size() == limits::series) {
            return fail(error_class::limit, "the page has more than {} samples", limits::series);
        }
        out.series.push_back(series_of(line));
    }
    if (page.failed()) return page.failure();
    return out;
}

}  // namespace gputide::formats::exposition
