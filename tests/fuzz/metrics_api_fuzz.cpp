// A metrics-api trigger's valueLocation (the first line) against an answer (the rest), in every format.
#include "require.hpp"
#include "source/metrics_api/answer.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

using gputide::fuzz::one_of;

namespace {

void read(const std::string& format, const std::string& location, const std::string& body) {
    gputide::config::trigger from;
    from.type = "metrics-api";
    from.metadata = {{"url", "http://h/"}, {"valueLocation", location}, {"targetValue", "1"}, {"format", format}};
    const auto by = gputide::source::metrics_api::read_settings(from, {}, gputide::config::profile::standard, nullptr);
    if (!by) return;
    gputide::http::answer got;
    got.response.status = 200;
    got.response.body = body;
    const auto all = gputide::source::metrics_api::read_answer(got, *by);
    if (all) (void)gputide::source::metrics_api::judge(*all, *by);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) return 0;
    read(one_of({"json", "yaml", "prometheus"}, size), text.substr(0, end), text.substr(end + 1));
    return 0;
}
