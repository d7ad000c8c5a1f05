// The same answers with two other JSON libraries, each in its usual way: the whole document, then the time and the value of
// each series.  Prints what stands beside parse_vector_1 ... 10000, and leaves the bodies in a folder for readers in other
// languages.
//   gputide_bench_parse_peers FOLDER
#include "measure.hpp"
#include "vector_answer.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <rapidjson/document.h>
#include <string>

namespace {

namespace bench = gputide::bench;

double sum_by_rapidjson(const std::string& body) {
    rapidjson::Document document;
    document.Parse(body.data(), body.size());
    if (document.HasParseError()) std::abort();
    double out = 0.0;
    for (const auto& series : document["data"]["result"].GetArray()) {
        const auto& pair = series["value"];
        bench::keep(pair[0].GetDouble());
        out += std::strtod(pair[1].GetString(), nullptr);
    }
    return out;
}

double sum_by_nlohmann(const std::string& body) {
    const nlohmann::json document = nlohmann::json::parse(body);
    double out = 0.0;
    for (const auto& series : document["data"]["result"]) {
        const auto& pair = series["value"];
        bench::keep(pair[0].get<double>());
        out += std::strtod(pair[1].get_ref<const std::string&>().c_str(), nullptr);
    }
    return out;
}

std::string said(int series, const char* peer, const char* library, double (*sum)(const std::string&),
                 const std::string& body) {
    const std::int64_t calls = series > 100 ? 200 : 100'000 / series;
    const double ns = bench::nanoseconds_per_call(calls, [&](std::int64_t) { bench::keep(sum(body)); });
    return "{\"of\":\"parse_vector_" + std::to_string(series) + "\",\"peer\":\"" + peer + "\",\"baseline\":\"" +
           library + "\",\"value\":" + std::to_string(ns) +
           ",\"note\":\"whole document, then time and value of each series\"}";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::fputs("usage: gputide_bench_parse_peers FOLDER\n", stderr), 2;
    std::string out;
    for (const int series : {1, 8, 1'000, 10'000}) {
        const std::string body = bench::vector_answer(series);
        std::ofstream(std::string(argv[1]) + "/vector_" + std::to_string(series) + ".json") << body;
        if (sum_by_rapidjson(body) != sum_by_nlohmann(body)) return 1;
        out += (out.empty() ? "[" : ",\n") + said(series, "rapidjson", "RapidJSON", &sum_by_rapidjson, body) + ",\n" +
               said(series, "nlohmann", "nlohmann::json", &sum_by_nlohmann, body);
    }
    std::puts((out + "]").c_str());
}
