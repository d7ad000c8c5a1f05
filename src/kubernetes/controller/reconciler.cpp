#include "kubernetes/controller/reconciler.hpp"

#include "base/json_writer.hpp"

#include <utility>

namespace gputide::kubernetes {

const char* block_reason_name(block_reason reason) noexcept {
    static constexpr std::array<const char*, block_reasons> names{"none",   "refused",   "unknown_kind", "no_target",
                                                                  "unseen", "contested", "not_owner"};
    return names[static_cast<std::size_t>(reason)];
}

void write_block_counts(json_writer& out, const block_counts& counts) {
    std::size_t blocked = 0;
    out.key("held_reasons").begin_object();
    for (std::size_t reason = 1; reason < block_reasons; ++reason) {
        blocked += counts[reason];
        out.member(block_reason_name(static_cast<block_reason>(reason)), counts[reason]);
    }
    out.end_object().member("held_count", blocked);
}

bool block_state::set(part& which, block_reason reason, std::string why) {
    if (which.reason == reason && which.why == why) return false;
    const part* shown_before = &shown();
    which.reason = reason;
    which.why = std::move(why);
    return &which == shown_before || &shown() != shown_before;
}

namespace {

constexpr std::int64_t min_between_statuses_ms = 15'000;
constexpr std::size_t max_blocks_listed = 100;

}  // namespace

std::vector<std::string> controller_context::watched_namespaces() const {
    return settings.namespaces.empty() ? std::vector<std::string>{{}} : settings.namespaces;
}

// ---- a scaler

controller_context& managed_scaler::with() const { return of_.context(); }

const scaled_object* managed_scaler::object() const { return of_.objects().find(name_); }

void managed_scaler::tick() {
    if (wants_status_soon()) write_status();
    announce_block();
}

void managed_scaler::stop() {
    status_write_.work.cancel();
    if (status_write_.failures > 0) of_.counted.status_message.clear();
}

bool managed_scaler::load(const scaled_object& object) {
    const scaler_texts texts = with().texts->texts_of(object);
    if (!texts.is_complete || !with().versions) return false;
    const bool is_news = std::exchange(is_news_, false);
    const std::size_t hash = hash_of(texts);
    if (is_open() && texts_ == hash) return true;
    const result<void> done = open(object, texts, is_news);
    if (is_stopped_) return false;
    texts_ = hash;  // last: if open() runs out of memory, the texts are opened again
    if (done) {
        end_problem(block_reason::refused);
    } else {
        // The reason why a Secret or ConfigMap is missing says more than the manifest's error about it.
        set_problem(block_reason::refused, texts.why.status != status::ok ? texts.why.message : done.failure().message);
    }
    return true;
}

void managed_scaler::set_problem(block_reason reason, std::string why) {
    if (block_.set_problem(reason, std::move(why))) note_block();
}

void managed_scaler::end_problem(block_reason reason) {
    if (block_.problem() == reason) set_problem(block_reason::none, {});
}

json_writer managed_scaler::begin_note(const char* event) const {
    json_writer out;
    out.begin_object().member("event", event).member("namespace", name_.name_space).member("name", name_.name);
    if (of_.kind() != manifest::document_kind::scaled_object) out.member("kind", manifest::kind_text(of_.kind()));
    return out;
}

void managed_scaler::note(json_writer& note) const {
    with().scalers.queue_note(id(), name_.text(), note.end_object().take());
}

// target: "" if the note has none.
void managed_scaler::note_membership(bool is_there, std::string_view target) const {
    json_writer out = begin_note(is_there ? "added" : "removed");
    if (!target.empty()) out.member("target", target);
    note(out);
}

void managed_scaler::note_block() const {
    json_writer out = begin_note(block_.is_blocked() ? "held" : "resumed");
    if (block_.is_blocked()) out.member("reason", block_reason_name(block_.reason())).member("message", block_.why());
    note(out);
}

bool managed_scaler::announce(bool is_warning, std::string_view reason, std::string message) const {
    return of_.announce(name_, is_warning, reason, std::move(message));
}

// Sends the event of a block.  Called every second, because this process may become leader after the block started.
void managed_scaler::announce_block() {
    if (announced_ == block_.why() || !with().may_write(name_)) return;
    jobs::event event = block_event();
    if (announce(event.is_warning, event.reason, std::move(event.message))) announced_ = block_.why();
}

bool managed_scaler::may_write() const { return with().may_write(name_); }

write_guard managed_scaler::guard() {
    write_guard out;
    out.may_write = while_alive(*this, [](managed_scaler& here) { return here.may_write(); });
    out.write_ms = with().leads->write_ms();
    return out;
}

// ---- status, which `kubectl get` shows if KEDA does not write it

void managed_scaler::set_last_active(std::int64_t step_s, scaled_object_status& status) const {
    if (active_ms_ / 1'000 >= status.last_active_s + step_s) status.last_active_s = active_ms_ / 1'000;
}

std::optional<scaled_object_status> managed_scaler::due_status() {
    const scaled_object* here = object();
    if (here == nullptr || here->is_kedas || block_.has_other_owner() || !is_status_known()) return std::nullopt;
    if (!with().may_write(name_)) return std::nullopt;
    scaled_object_status wanted = status_of(*here);
    is_status_late_ = !(wanted == here->status);
    if (!is_status_late_ || with().now_ms() < status_write_.not_before_ms) return std::nullopt;
    return wanted;
}

// Writes the status.  The request is created when its turn has come.
void managed_scaler::write_status() {
    if (status_write_.work.is_under_way(with().now_ms()) || !due_status()) return;
    const endpoint place = kedas(of_.plural()).object(name_, "patch", "status");
    status_write_.work.begin(with().api->send(
        place,
        while_alive(*this,
                    [place](managed_scaler& here) -> std::optional<api_request> {
                        const auto wanted = here.due_status();
                        if (!wanted) return std::nullopt;
                        return merge_patch(place, status_patch(*wanted), here.with().leads->write_ms());
                    }),
        while_alive(*this, [](managed_scaler& here, const reply& reply) { here.status_written(reply); })));
}

// Handles the response.  Scaling continues if the status cannot be written.
void managed_scaler::status_written(const reply& reply) {
    status_write_.work.end();
    if (reply.verdict == verdict::unsent) return;
    const bool is_good = reply.verdict == verdict::good;
    ++(is_good ? of_.counted.statuses : of_.counted.status_failures);
    // Only a scaler that had failed ends the message: a status that is refused again and again would come and go otherwise.
    if (!is_good) of_.counted.status_message = reply.why.message;
    if (is_good && status_write_.failures > 0) of_.counted.status_message.clear();
    if (is_good) status_was_written();
    is_status_late_ = !is_good;
    status_write_.ended(is_good, with().now_ms(), min_between_statuses_ms);
}

// ---- all objects of a kind

reconciler::reconciler(controller_context& context, manifest::document_kind kind, reader read)
    : context_(context),
      kind_(kind),
      objects_([read, &context](simdjson::dom::object object) { return read(object, context.settings.owner); },
               [this](const object_key& name) {
                   if (objects_.is_known(name.name_space)) news_.insert(name);
                   queue_->add(name);
               }),
      queue_(std::make_shared<work_queue>(
          context.loop,
          [this](std::set<object_key>& names) {
              objects_.each([&](const object_key& name, const scaled_object&) { names.insert(name); });
              for (const auto& [name, scaler] : scalers_) names.insert(name);
          },
          [this](const object_key& name) { refresh(name); })) {}

void reconciler::begin() {
    for (const std::string& space : context_.watched_namespaces())
        objects_.watch(context_.api, kedas(plural()).collection(space, context_.settings.selector), space);
}

void reconciler::end() {
    queue_->stop();
    objects_.stop();
    while (!scalers_.empty()) drop(object_key(scalers_.begin()->first));
}

void reconciler::tick() {
    for (auto& [name, scaler] : scalers_) {
        if (scaler->object() == nullptr) add(name);  // an earlier drop() ran out of memory
        scaler->tick();
    }
    queue_->resume();
}

void reconciler::read_manifests_again() {
    for (auto& [name, scaler] : scalers_) scaler->read_manifest_again();
    add_all();
}

void reconciler::refresh(const object_key& name) {
    const scaled_object* object = objects_.find(name);
    changed(name);
    if (object == nullptr || object->facts.deleting || !wants(name)) return drop(name);
    auto at = scalers_.find(name);
    if (at == scalers_.end()) at = scalers_.emplace(name, make(name)).first;
    const std::shared_ptr<managed_scaler> scaler = at->second;  // keeps the scaler alive if it drops itself
    if (news_.erase(name) > 0) scaler->note_news();
    scaler->take(*object);
}

bool reconciler::announce(const object_key& name, bool is_warning, std::string_view reason, std::string message) const {
    const scaled_object* object = objects_.find(name);
    return object != nullptr &&
           context_.announce({name, object->facts.uid, is_warning, std::string(reason), std::move(message), kind_});
}

void reconciler::drop(const object_key& name) {
    news_.erase(name);
    context_.texts->forget({kind_, name.name_space, name.name});
    const auto at = scalers_.find(name);
    if (at == scalers_.end()) return;
    const std::shared_ptr<managed_scaler> gone = at->second;
    gone->stop();
    scalers_.erase(at);
    gone->set_stopped();  // last: if a line above runs out of memory, drop() is repeated
}

void reconciler::describe_statuses(json_writer& out) const {
    out.member("status_writes", counted.statuses).member("status_failures", counted.status_failures);
    out.member("status_message", counted.status_message);
}

void reconciler::describe_blocks(json_writer& out) const {
    block_counts by_reason{};
    each([&](const managed_scaler& scaler) {
        if (scaler.is_listed()) ++by_reason[static_cast<std::size_t>(scaler.block().reason())];
    });
    write_block_counts(out, by_reason);
    out.key("held").begin_array();
    std::size_t listed = 0;
    each([&](const managed_scaler& scaler) {
        const block_state& block = scaler.block();
        if (!scaler.is_listed() || !block.is_blocked() || ++listed > max_blocks_listed) return;
        out.begin_object().member("namespace", scaler.name().name_space).member("name", scaler.name().name);
        out.member("reason", block_reason_name(block.reason())).member("message", block.why()).end_object();
    });
    out.end_array();
}

}  // namespace gputide::kubernetes
