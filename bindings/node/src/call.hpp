// A function of a table as functions of JavaScript: one that runs at once, one that gives a promise.
#ifndef GPUTIDE_NODE_CALL_HPP
#define GPUTIDE_NODE_CALL_HPP

#include "arguments.hpp"

#include <array>
#include <tuple>

namespace gputide_node {

// A const char* with an int64_t behind it is a text with its size; lib/abi's generator holds the header to that.
template <class... Types>
class parameters {
  public:
    explicit parameters(reading& from) : parameters(from, std::index_sequence_for<Types...>()) {}

    template <class Function>
    auto call(Function function) {
        return std::apply([&](auto&... parameter) { return function(parameter->pass()...); }, taken_);
    }
    void give(results& to) {
        std::apply([&](auto&... parameter) { (parameter->give(to), ...); }, taken_);
    }

  private:
    using list = std::tuple<Types...>;
    template <std::size_t Place>
    using type = std::tuple_element_t<Place, list>;
    template <std::size_t Place, class Type>
    static constexpr bool is = std::is_same_v<type<std::min(Place, sizeof...(Types) - 1)>, Type>&& Place <
                               sizeof...(Types);
    template <std::size_t Place>
    static constexpr bool is_size = Place > 0 && is<Place, std::int64_t>&& is<Place - (Place > 0), const char*>;
    template <std::size_t Place>
    using kept = std::conditional_t<is_size<Place>, text_size, argument<type<Place>>>;

    template <std::size_t... Places>
    parameters(reading& from, std::index_sequence<Places...>) {
        (emplace<Places>(from), ...);
    }
    template <std::size_t Place>
    void emplace(reading& from) {
        auto& slot = std::get<Place>(taken_);
        if constexpr (is_size<Place>) {
            slot.emplace(std::get<Place - 1>(taken_)->size());
        } else if constexpr (is<Place, const char*>) {
            slot.emplace(from, is_size<Place + 1>);
        } else {
            slot.emplace(from);
        }
    }

    template <class Places>
    struct slots;
    template <std::size_t... Places>
    struct slots<std::index_sequence<Places...>> {
        using type = std::tuple<std::optional<kept<Places>>...>;
    };
    typename slots<std::index_sequence_for<Types...>>::type taken_;
};

template <class Function>
struct signature;
template <class Table, class Result, class... Types>
struct signature<Result (*Table::*)(Types...)> {
    using table = Table;
    using result = Result;
    using taken = parameters<Types...>;
    static constexpr bool fails =
        std::is_same_v<Result, gputide_status> && (std::is_same_v<Types, gputide_error*> || ...);
};

constexpr std::size_t max_arguments = 12;

// An Error of JavaScript's own making for what a call wrote, with what it gave beside it.
napi_value error_for(napi_env env, const gputide_error& error, napi_value given);

inline napi_value result_out(napi_env env, const char* text) { return text_out(env, text); }
inline napi_value result_out(napi_env env, std::int32_t value) { return int_out(env, value); }
inline napi_value result_out(napi_env env, std::uint32_t value) { return uint_out(env, value); }

void demand_open();  // the library

template <auto member>
napi_value call(napi_env env, napi_callback_info info) {
    return guarded(env, [&]() -> napi_value {
        using shape = signature<decltype(member)>;
        demand_open();
        std::array<napi_value, max_arguments> values;
        std::size_t count = values.size();
        demand(napi_get_cb_info(env, info, &count, values.data(), nullptr, nullptr));
        storage kept;
        reading from{env, values.data(), count, 0, &kept};
        typename shape::taken taken(from);
        if constexpr (shape::fails) {
            const gputide_status status = taken.call(table_of<typename shape::table>()->*member);
            results out{env};
            taken.give(out);
            if (status != GPUTIDE_OK) {
                demand(napi_throw(env, error_for(env, thread_error(), out.all())));
                return nullptr;
            }
            return out.all();
        } else if constexpr (std::is_void_v<typename shape::result>) {
            taken.call(table_of<typename shape::table>()->*member);
            return undefined_out(env);
        } else {
            return result_out(env, taken.call(table_of<typename shape::table>()->*member));
        }
    });
}

// Rejects with the exception that a settling ran into.
void reject_with_pending(napi_env env, napi_deferred deferred) noexcept;

// The state of a promise's call: its arguments, which stay alive with it.
template <auto member>
class promised final : public task {
  public:
    promised(napi_env env, reading& from, napi_value arguments) : taken_(owned(from, kept_)) {
        demand(napi_create_reference(env, arguments, 1, &arguments_));
    }

    napi_value promise(napi_env env) {
        napi_value out = nullptr;
        demand(napi_create_promise(env, &deferred_, &out));
        return out;
    }

    void run() noexcept override {
        status_ = taken_.call(table_of<typename signature<decltype(member)>::table>()->*member);
        if (status_ != GPUTIDE_OK) error_ = thread_error();
    }

    void settle(napi_env env) noexcept override {
        napi_delete_reference(env, arguments_);
        const napi_value settled = guarded(env, [&] {
            results out{env};
            taken_.give(out);
            if (status_ == GPUTIDE_OK) {
                demand(napi_resolve_deferred(env, deferred_, out.all()));
            } else {
                demand(napi_reject_deferred(env, deferred_, error_for(env, error_, out.all())));
            }
            return out.all();
        });
        if (settled == nullptr) reject_with_pending(env, deferred_);
    }

  private:
    using taken = typename signature<decltype(member)>::taken;

    static taken owned(reading& from, storage& kept) {
        from.kept = &kept;
        return taken(from);
    }

    storage kept_;
    taken taken_;
    napi_ref arguments_ = nullptr;
    napi_deferred deferred_ = nullptr;
    gputide_status status_ = GPUTIDE_OK;
    gputide_error error_;
};

template <auto member>
napi_value call_waiting(napi_env env, napi_callback_info info) {
    return guarded(env, [&]() -> napi_value {
        demand_open();
        std::array<napi_value, max_arguments> values;
        std::size_t count = values.size();
        demand(napi_get_cb_info(env, info, &count, values.data(), nullptr, nullptr));
        napi_value arguments = nullptr;
        demand(napi_create_array_with_length(env, count, &arguments));
        for (std::size_t index = 0; index < count; ++index) {
            demand(napi_set_element(env, arguments, static_cast<std::uint32_t>(index), values[index]));
        }
        reading from{env, values.data(), count};
        auto promised_call = std::make_unique<promised<member>>(env, from, arguments);
        const napi_value promise = promised_call->promise(env);
        environment_of(env).threads->submit(std::move(promised_call));
        return promise;
    });
}

}  // namespace gputide_node

#endif  // GPUTIDE_NODE_CALL_HPP
