#include "kubernetes/controller/job_objects.hpp"

#include "base/checksum.hpp"
#include "base/json_writer.hpp"
#include "base/never_destroyed.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"
#include "jobs/job.hpp"
#include "kubernetes/api/resources.hpp"

#include <array>
#include <map>
#include <optional>
#include <utility>

namespace gputide::kubernetes {
namespace {

namespace dom = simdjson::dom;
using formats::for_each_object;
using formats::text_in;
using formats::text_of;

constexpr std::string_view job_label = "job-name";  // KEDA selects a Job's pods by this label
const never_destroyed<const std::set<membership::key>> no_members;

std::vector<jobs::condition> read_conditions(dom::object object) {
    std::vector<jobs::condition> out;
    for_each_object(object, "status/conditions", [&](dom::object condition) {
        out.push_back({text_in(condition, "type"), text_of(condition, "status") == "True",
                       parse_rfc3339(text_in(condition, "lastTransitionTime"))});
    });
    return out;
}

}  // namespace

seen_job read_job(dom::object object) {
    const object_facts facts = read_facts(object);
    seen_job out;
    out.uid = facts.uid;
    out.job.name = facts.key.name;
    out.job.is_deleting = facts.deleting;
    out.job.conditions = read_conditions(object);
    out.job.completed_ms = parse_rfc3339(text_in(object, "status", "completionTime"));
    out.job.created_ms = parse_rfc3339(text_in(object, "metadata", "creationTimestamp"));
    const std::string generation = text_in(object, "metadata/annotations", jobs::generation_annotation);
    if (!generation.empty()) out.job.generation = generation;
    out.scaled_job = text_in(object, "metadata/labels", jobs::name_label);
    out.ordinal = parse_int64(text_in(object, "metadata/annotations", ordinal_annotation)).value_or(0);
    for_each_object(object, "metadata/ownerReferences", [&](dom::object owner) {
        if (text_of(owner, "kind") == "ScaledJob") out.owner_uid = text_in(owner, "uid");
    });
    return out;
}

seen_pod read_pod(dom::object object) {
    seen_pod out;
    out.job = text_in(object, "metadata/labels", job_label);
    out.pod.phase = text_in(object, "status", "phase");
    out.pod.conditions = read_conditions(object);
    return out;
}

void membership::put(const key& member, const key& owner) {
    const auto at = owners_.find(member);
    if (at != owners_.end() && at->second == owner) return;
    drop(member);
    members_[owner].insert(member);
    owners_.emplace(member, owner);  // last: after a failed allocation the next put() does both again
}

void membership::drop(const key& member) {
    const auto at = owners_.find(member);
    if (at == owners_.end()) return;
    const auto group = members_.find(at->second);
    if (group != members_.end()) {
        group->second.erase(member);
        if (group->second.empty()) members_.erase(group);
    }
    owners_.erase(at);
}

const std::set<membership::key>& membership::members(const key& owner) const {
    const auto found = members_.find(owner);
    return found == members_.end() ? *no_members : found->second;
}

namespace {

namespace dom = simdjson::dom;

constexpr std::int32_t max_posts = 3;
constexpr std::int64_t first_read_delay_ms = 50;  // doubled each time
constexpr std::string_view version_label_value = GPUTIDE_VERSION;

resource known_jobs() { return known_resource("batch", "v1", "jobs"); }

bool is_one(std::string_view name, std::initializer_list<std::string_view> of) {
    for (const std::string_view text : of) {
        if (text == name) return true;
    }
    return false;
}

// Copies all members except those in `but`.
void copy_others(json_writer& writer, std::optional<dom::object> from, std::initializer_list<std::string_view> but) {
    if (!from) return;
    for (const auto& [name, value] : *from) {
        if (!is_one(name, but)) writer.key(name).raw(simdjson::minify(value));
    }
}

void write_texts(json_writer& writer, std::string_view name, const std::map<std::string, std::string>& texts) {
    writer.key(name).begin_object();
    for (const auto& [key, value] : texts) writer.member(key, value);
    writer.end_object();
}

void write_template(json_writer& writer, dom::object pod_template, const jobs::created_job& job) {
    writer.begin_object();
    copy_others(writer, pod_template, {"metadata", "spec"});
    writer.key("metadata").begin_object();
    copy_others(writer, formats::object_of(pod_template, "metadata"), {"labels", "generateName"});
    writer.member("generateName", job.generate_name);
    write_texts(writer, "labels", job.template_labels);
    writer.end_object().key("spec").begin_object();
    copy_others(writer, formats::object_of(pod_template, "spec"), {"restartPolicy"});
    writer.member("restartPolicy", job.restart_policy).end_object().end_object();
}

class creating final : public api_operation<creation> {
  public:
    creating(std::shared_ptr<api> api, const manifest::scaled_job& job, std::string body, std::int64_t ordinal,
             write_guard guard, callback<void(creation)> done)
        : api_operation(api->loop(), std::move(done)),
          api_(std::move(api)),
          key_{job.name_space, job_name(job, ordinal)},
          owner_uid_(job.uid),
          body_(std::move(body)),
          ordinal_(ordinal),
          guard_(std::move(guard)) {
        out_.why = error(status::ok);
    }

    void start() { post(); }

  private:
    std::shared_ptr<creating> self() { return std::static_pointer_cast<creating>(shared_from_this()); }

    void end(creation_result result) {
        out_.result = result;
        end_soon(out_);
    }

    void post() {
        endpoint target = known_jobs().collection(key_.name_space);
        target.verb = "create";
        target.query = "?fieldManager=gputide";
        carry_request(api_->send(
            target, [self = self(), target] { return self->allowed(target); },
            [self = self()](const reply& reply) { self->posted(reply); }));
    }

    // Checks leadership just before the write, because much time may have passed since the last check.
    std::optional<api_request> allowed(const endpoint& target) {
        if (!guard_.may_write()) return std::nullopt;
        ++posts_;
        return creation_in(target, body_, guard_.write_ms);
    }

    void posted(const reply& reply) {
        if (reply.verdict == verdict::unsent) return end(is_open_ ? creation_result::open : creation_result::no_lead);
        out_.why = reply.why;
        switch (reply.verdict) {
            case verdict::good:
                return end(creation_result::created);
            case verdict::conflict:
                return read();
            case verdict::unknown:
                is_open_ = true;
                return pause(first_read_delay_ms << (posts_ - 1), [self = self()] { self->read(); });
            default:
                return end(failure_of(reply.verdict));
        }
    }

    static creation_result failure_of(verdict verdict) {
        switch (verdict) {
            case verdict::refused:
                return creation_result::refused;
            case verdict::denied:
                return creation_result::denied;
            case verdict::throttled:
                return creation_result::throttled;
            default:
                return creation_result::failed;
        }
    }

    void read() {
        api_request request;
        request.target = known_jobs().object(key_, "get");
        request.timeout_ms = guard_.write_ms;
        carry_request(api_->send(request, [self = self()](const reply& reply) { self->read_came(reply); }));
    }

    void read_came(const reply& reply) {
        if (reply.verdict == verdict::missing && posts_ < max_posts) return post();
        if (reply.verdict == verdict::good) return judge(reply);
        out_.why = reply.why;
        end(is_open_ ? creation_result::open : failure_of(reply.verdict));
    }

    void judge(const reply& reply) {
        formats::scratch_use own(reply.answer.response.body);
        dom::object object;
        if (own->parse(reply.answer.response.body, object) != simdjson::SUCCESS)
            return end(is_open_ ? creation_result::open : creation_result::failed);
        const seen_job seen = read_job(object);
        if (seen.owner_uid != owner_uid_ || seen.ordinal != ordinal_) return end(creation_result::taken);
        out_.why = error(status::ok);
        out_.is_over = seen.job.is_deleting || jobs::finish_of(seen.job).how != jobs::ending::none;
        end(is_open_ ? creation_result::created : creation_result::existing);
    }

    const std::shared_ptr<api> api_;
    const object_key key_;
    const std::string owner_uid_, body_;
    const std::int64_t ordinal_;
    const write_guard guard_;
    std::int32_t posts_ = 0;
    bool is_open_ = false;  // the result of an earlier POST is unknown; the Job may exist
    creation out_;
};

}  // namespace

const char* creation_result_name(creation_result creation_result) noexcept {
    static constexpr std::array<const char*, creation_results> names{
        "created", "existing", "taken", "open", "refused", "denied", "throttled", "failed", "no_lead"};
    return names[static_cast<std::size_t>(creation_result)];
}

std::string job_name(const manifest::scaled_job& job, std::int64_t ordinal) {
    constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
    constexpr std::size_t characters = 5, longest_base = 58;
    constexpr std::uint64_t all = 27ULL * 27 * 27 * 27 * 27;
    // Not a multiple of 3, and all = 3^15: ordinals below 27^5 have different names.
    constexpr std::uint64_t step = 8'868'113;
    std::uint64_t rest = (crc32c(job.uid) + static_cast<std::uint64_t>(ordinal) % all * step) % all;
    std::string out = (job.name + "-").substr(0, longest_base);
    for (std::size_t i = 0; i < characters; ++i) {
        out += alphabet[rest % alphabet.size()];
        rest /= alphabet.size();
    }
    return out;
}

result<std::string> job_body(const manifest::scaled_job& job, const std::string& job_target, std::int64_t ordinal) {
    const jobs::created_job created = jobs::job_of(job, version_label_value);
    formats::scratch_use own(job_target);
    dom::object target;
    if (own->parse(job_target, target) != simdjson::SUCCESS)
        return fail(status::invalid, "spec.jobTargetRef: expected an object; write a Job's spec");
    const auto pod_template = formats::object_of(target, "template");
    if (!pod_template)
        return fail(status::invalid,
                    "spec.jobTargetRef.template: expected an object; write the template of the Job's pods");
    std::map<std::string, std::string> annotations = created.annotations;
    annotations[std::string(ordinal_annotation)] = std::to_string(ordinal);
    json_writer out;
    out.begin_object().member("apiVersion", "batch/v1").member("kind", "Job").key("metadata").begin_object();
    out.member("name", job_name(job, ordinal)).member("generateName", created.generate_name);
    out.member("namespace", job.name_space);
    write_texts(out, "labels", created.labels);
    write_texts(out, "annotations", annotations);
    out.key("ownerReferences").begin_array().begin_object().member("apiVersion", "keda.sh/v1alpha1");
    out.member("kind", "ScaledJob").member("name", job.name).member("uid", job.uid);
    out.member("controller", true).member("blockOwnerDeletion", true).end_object().end_array().end_object();
    out.key("spec").begin_object();
    copy_others(out, target, {"template"});
    out.key("template");
    write_template(out, *pod_template, created);
    return out.end_object().end_object().take();
}

std::shared_ptr<api_operation<creation>> create_job(const std::shared_ptr<api>& api, const manifest::scaled_job& job,
                                                    std::string body, std::int64_t ordinal, write_guard guard,
                                                    callback<void(creation)> done) {
    auto out = std::make_shared<creating>(api, job, std::move(body), ordinal, std::move(guard), std::move(done));
    out->start();
    return out;
}

std::shared_ptr<api_exchange> delete_job(const std::shared_ptr<api>& api, const object_key& key, const std::string& uid,
                                         std::string_view propagation, const write_guard& guard,
                                         callback<void(deleted_job)> done) {
    api_request request;
    request.target = known_jobs().object(key, "delete");
    request.method = "DELETE";
    request.timeout_ms = guard.write_ms;
    json_writer body;
    body.begin_object().member("apiVersion", "v1").member("kind", "DeleteOptions");
    body.member("propagationPolicy", propagation).key("preconditions").begin_object().member("uid", uid);
    request.body = body.end_object().end_object().take();
    const endpoint target = request.target;
    const auto make = [may_write = guard.may_write, request = std::move(request)] {
        return may_write() ? std::optional(request) : std::nullopt;
    };
    return api->send(target, make, [done = std::move(done)](const reply& reply) {
        if (reply.verdict == verdict::unsent) return done({deletion_result::no_lead, error(status::ok)});
        if (reply.verdict == verdict::good) return done({deletion_result::deleted, reply.why});
        const bool is_gone = reply.verdict == verdict::missing || reply.verdict == verdict::conflict;
        done({is_gone ? deletion_result::missing : deletion_result::failed, reply.why});
    });
}

}  // namespace gputide::kubernetes
