#include "base/checksum.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "rightsize/usage.hpp"
#include "text/document.hpp"

#include <algorithm>
#include <optional>

namespace gputide::rightsize {

namespace {

constexpr std::string_view checksum_key = ",\"crc32c\":\"";  // as base/checksum.hpp writes it
constexpr std::int64_t our_version = 1;
constexpr std::string_view vpa_version = "v3";
constexpr std::size_t max_bytes = std::size_t{1} << 20;

error refused(const std::string& why) {
    return fail(status::state,
                "rightsize checkpoint: {}; start without a checkpoint, or pass a checkpoint of this workload", why);
}

// ---- writing

void write_time(json_writer& out, std::string_view name, std::int64_t time_ms) {
    out.member(name, format_rfc3339_ms(time_ms));
}

void write_histogram(json_writer& out, std::string_view name, const rightsize::histogram& histogram) {
    const histogram_checkpoint saved = histogram.save();
    out.key(name).begin_object();
    write_time(out, "referenceTimestamp", *saved.reference_ms);
    out.key("bucketWeights").begin_object();
    for (const auto& [bucket, weight] : saved.bucket_weights) out.member(std::to_string(bucket), weight);
    out.end_object().member("totalWeight", saved.total_weight).end_object();
}

void write_instant(json_writer& out, std::int64_t time_ms) {
    if (time_ms == peak_window::none) {
        out.null();
    } else {
        out.integer(time_ms);
    }
}

// Writes the last window of each unit. Peaks of earlier windows are already in the histogram.
void write_units(json_writer& out, const usage& usage) {
    out.key("units").begin_array();
    for (const usage_unit& unit : usage.units) {
        out.begin_array();
        write_instant(out, unit.memory.end_ms);
        write_instant(out, unit.memory.last_ms);
        out.integer(unit.memory.usage).integer(unit.memory.after_oom);
        write_instant(out, unit.last_busy_ms);
        out.end_array();
    }
    out.end_array();
}

// ---- reading

// Returns the text of a scalar; "", which is neither a number nor a time, for anything else.
std::string_view text_in(const text::node* node) {
    return node != nullptr && node->kind == text::node_kind::scalar ? std::string_view(node->text) : std::string_view();
}

std::optional<std::int64_t> whole_in(const text::node* node) { return parse_int64(text_in(node)); }
std::optional<std::int64_t> time_in(const text::node* node) { return parse_rfc3339(text_in(node)); }

result<void> read_histogram(const text::node& root, std::string_view name, rightsize::histogram& histogram) {
    const text::node* const at = root.find(name);
    if (at == nullptr || text::is_null(*at)) return refused(std::string(name) + " is missing");
    const text::node* const total = at->find("totalWeight");
    const text::node* const weights = at->find("bucketWeights");
    histogram_checkpoint saved;
    if (total != nullptr) {
        const std::optional<double> read = parse_json_number(text_in(total));
        if (!read) return refused(format_text("{}.totalWeight is not a number", name));
        saved.total_weight = *read;
    }
    saved.reference_ms = time_in(at->find("referenceTimestamp"));
    if (weights != nullptr && !text::is_null(*weights)) {
        for (const text::node& node : weights->children) {
            const std::optional<std::int64_t> bucket = parse_int64(node.key);
            const std::optional<std::int64_t> weight = whole_in(&node);
            if (!bucket || !weight)
                return refused(
                    format_text("{}.bucketWeights: {} is not a bucket and weight", name, in_quotes(node.key)));
            saved.bucket_weights.emplace_back(*bucket, *weight);
        }
    }
    if (result<void> ok = histogram.load(saved); !ok) return refused(format_text("{}: {}", name, ok.failure().message));
    return {};
}

// Returns the node with the histograms: `status` of a VerticalPodAutoscalerCheckpoint object, otherwise the root.
const text::node& status_of(const text::node& root) {
    const text::node* const status = root.find("status");
    return status != nullptr && root.find("kind") != nullptr ? *status : root;
}

bool read_instant(const text::node& node, std::int64_t& into) {
    if (text::is_null(node)) return true;
    const std::optional<std::int64_t> read = whole_in(&node);
    if (!read || *read < 0 || *read > limits::latest_time_ms * 2) return false;
    into = *read;
    return true;
}

bool read_amount(const text::node& node, amount& bytes) {
    const std::optional<std::int64_t> read = whole_in(&node);
    if (!read || *read < 0 || *read > max_amount) return false;
    bytes = *read;
    return true;
}

result<void> read_units(const text::node& root, usage& usage) {
    const text::node* const list = root.find("units");
    if (list == nullptr || list->children.size() > max_units) return refused("units are missing");
    for (const text::node& node : list->children) {
        usage_unit unit;
        const auto& c = node.children;
        const bool good = c.size() == 5 && read_instant(c[0], unit.memory.end_ms) &&
                          read_instant(c[1], unit.memory.last_ms) && read_amount(c[2], unit.memory.usage) &&
                          read_amount(c[3], unit.memory.after_oom) && read_instant(c[4], unit.last_busy_ms);
        if (!good) return refused("a unit cannot be read");
        usage.units.push_back(unit);
    }
    return {};
}

// Reads the counts of both kinds of checkpoint.
result<void> read_history(const text::node& node, usage& usage) {
    const std::optional<std::int64_t> count = whole_in(node.find("totalSamplesCount"));
    usage.seen.samples = std::max<std::int64_t>(count.value_or(0), 0);
    const std::optional<std::int64_t> first = time_in(node.find("firstSampleStart"));
    const std::optional<std::int64_t> last = time_in(node.find("lastSampleStart"));
    if (usage.seen.samples == 0) return {};
    if (!first || !last || *first > *last)
        return refused("firstSampleStart and lastSampleStart do not fit totalSamplesCount");
    usage.seen.first_ms = *first;
    usage.seen.last_ms = *last;
    usage.last_ms = *last;
    return {};
}

result<void> read_own(const text::node& root, const usage_rules& usage_rules, usage& usage) {
    const text::node* const rules = root.find("rules");
    if (rules == nullptr || rules->children.size() != 2 || whole_in(&rules->children[0]) != usage_rules.half_life_ms ||
        whole_in(&rules->children[1]) != std::int64_t{usage_rules.busy_buckets->count})
        return refused("it was saved with another profile or half_life_ms");
    const auto count = [&](const char* name) {
        return std::max<std::int64_t>(whole_in(root.find(name)).value_or(0), 0);
    };
    usage.memory_samples = count("memorySamplesCount");
    usage.ooms = count("oomCount");
    const text::node* const oom = root.find("lastOom");
    const text::node* const last = root.find("lastSample");
    if (oom == nullptr || last == nullptr || !read_instant(*oom, usage.last_oom_ms) ||
        !read_instant(*last, usage.last_ms))
        return refused("lastOom or lastSample cannot be read");
    return read_units(root, usage);
}

// Either the first member or the checksum identifies our format. If damage removed one of them, the text must not be read as a
// VPA checkpoint: that format has no checksum, so the damage would not be found.
bool is_ours(std::string_view text) {
    return text.starts_with("{\"gputide_usage\":") || text.find(checksum_key) != std::string_view::npos;
}

}  // namespace

std::string save_usage(const usage& usage, const usage_rules& usage_rules, std::int64_t now_ms) {
    json_writer out;
    out.begin_object().member("gputide_usage", our_version);
    write_time(out, "lastUpdateTime", now_ms);
    out.member("version", vpa_version);
    write_histogram(out, "cpuHistogram", usage.busy);
    write_histogram(out, "memoryHistogram", usage.memory);
    write_time(out, "firstSampleStart", usage.seen.samples > 0 ? usage.seen.first_ms : 0);
    write_time(out, "lastSampleStart", usage.seen.samples > 0 ? usage.seen.last_ms : 0);
    out.member("totalSamplesCount", usage.seen.samples).member("memorySamplesCount", usage.memory_samples);
    out.member("oomCount", usage.ooms).key("lastOom");
    write_instant(out, usage.last_oom_ms);
    out.key("lastSample");
    write_instant(out, usage.last_ms);
    out.key("rules")
        .begin_array()
        .integer(usage_rules.half_life_ms)
        .integer(usage_rules.busy_buckets->count)
        .end_array();
    write_units(out, usage);
    return sealed(out.take());
}

result<usage> load_usage(std::string_view text, const usage_rules& usage_rules) {
    text = trim(text);
    if (text.size() > max_bytes)
        return refused(format_text("{} bytes; the maximum is {} bytes", text.size(), max_bytes));
    const bool ours = is_ours(text);
    if (ours && !unsealed(text)) return refused("the checksum does not match, the text is cut or damaged");
    text::report findings;
    const std::vector<text::document> documents = text::read_documents("<checkpoint>", text, findings);
    if (documents.size() != 1) return refused("it is not JSON or YAML of one checkpoint");
    const text::node& root = ours ? documents.front().root : status_of(documents.front().root);
    const text::node* const version = root.find("version");
    if (version == nullptr || version->text != vpa_version)
        return refused(format_text("unsupported checkpoint version {}", version == nullptr ? "" : version->text));
    const text::node* const written_version = root.find("gputide_usage");
    if (ours && whole_in(written_version) != our_version)
        return refused(format_text("unsupported gputide_usage version {}; this library reads version {}",
                                   written_version == nullptr ? "" : written_version->text, our_version));
    usage out(usage_rules);
    if (result<void> ok = read_histogram(root, "cpuHistogram", out.busy); !ok) return ok.take_failure();
    if (result<void> ok = read_histogram(root, "memoryHistogram", out.memory); !ok) return ok.take_failure();
    if (result<void> ok = read_history(root, out); !ok) return ok.take_failure();
    if (ours)
        if (result<void> ok = read_own(root, usage_rules, out); !ok) return ok.take_failure();
    return out;
}

}  // namespace gputide::rightsize
