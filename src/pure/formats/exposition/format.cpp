// Selects the grammar by Content-Type.
#include "formats/exposition/format.hpp"

#include "base/text.hpp"

namespace gputide::formats::exposition {

result<format> format_of(std::string_view content_type) {
    const std::string_view media = trim(content_type.substr(0, content_type.find(';')));
    if (equal_ignoring_case(media, "application/openmetrics-text")) return format::openmetrics;
    if (equal_ignoring_case(media, "application/vnd.google.protobuf")) {
        return fail(error_class::bad_type,
                    "the exporter returned the protobuf format; expected text: configure it to "
                    "serve text/plain;version=0.0.4");
    }
    return format::text;
}

}  // namespace gputide::formats::exposition
