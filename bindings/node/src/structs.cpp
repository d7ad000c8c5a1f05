#include "structs.hpp"

namespace gputide_node {
namespace {

class member_writer {
  public:
    explicit member_writer(napi_env env) : env_(env) { demand(napi_create_object(env, &object)); }

    void operator()(const char* name, const std::int32_t& member) { put(name, int_out(env_, member)); }
    void operator()(const char* name, const std::int64_t& member) { put(name, int64_out(env_, member)); }

    template <std::size_t Size>
    void operator()(const char* name, const char (&member)[Size]) {
        put(name, text_out(env_, member));
    }

    napi_value object = nullptr;

  private:
    void put(const char* name, napi_value value) { demand(napi_set_named_property(env_, object, name, value)); }

    napi_env env_;
};

}  // namespace

napi_value error_out(napi_env env, gputide_error error) {
    member_writer writer(env);
    members(error, writer);
    return writer.object;
}

}  // namespace gputide_node
