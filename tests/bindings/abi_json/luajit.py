"""Writes a LuaJIT binding from abi.json alone: declarations for ffi.cdef, and a Lua function for each C function.

    luajit.py ABI_JSON      the module's text on standard output

Texts come back as Lua strings, handles free themselves, a failed call returns nil and the gputide_error.
"""

import json
import sys


def declarations(abi):
    lines = [f"typedef {one['type']} {one['name']};" for one in abi["aliases"]]
    lines += [f"typedef struct {one['name']} {one['name']};" for one in abi["handles"] + abi["structs"]]
    for enum in abi["enums"]:
        lines += ["enum {", *[f"  {one['name']} = {one['value']}," for one in enum["members"]], "};"]
    for struct in abi["structs"]:
        lines += [f"struct {struct['name']} {{", *[f"  {member(one)};" for one in struct["members"]], "};"]
    for function in abi["functions"]:
        lines.append(f"{function['result']} {function['name']}({types(function['parameters'])});")
    return lines


def member(one):
    if "callback" in one:
        return f"{one['callback']['result']} (*{one['name']})({types(one['callback']['parameters'])})"
    return f"{one['type']} {one['name']}" + (f"[{one['count']}]" if "count" in one else "")


def types(parameters):
    return ", ".join(one["type"] for one in parameters) or "void"


class Wrapper:
    """The Lua function of one C function, line by line."""

    def __init__(self, abi, function):
        self.function = function
        self.sized = {one["name"] for one in abi["structs"] if one["sized"]}
        self.handles = {one["name"]: one["free"] for one in abi["handles"]}
        self.arguments, self.before, self.call, self.after, self.results = [], [], [], [], []
        self.computed = self.sizes()
        for one in function["parameters"]:
            self.parameter(one)

    def sizes(self):
        """Each size, count and element size that a pointer's entry names, with the expression that computes it."""
        found = {}
        for one in self.function["parameters"]:
            if one["direction"] != "in":
                continue
            if "size_in" in one:
                found[one["size_in"]] = f"#({one['name']}_ or '')"
            if "count_in" in one:
                found.setdefault(one["count_in"], f"#{one['name']}_")
        for one in self.function["parameters"]:
            if "element_size_in" in one:
                found[one["element_size_in"]] = f"ffi.sizeof('{base(one)}')"
        return found

    def parameter(self, one):
        name = f"{one['name']}_"
        if one["name"] in self.computed:
            self.call.append(self.computed[one["name"]])
        elif one["direction"] == "in":
            self.arguments.append(name)
            self.input(one, name)
        else:
            self.output(one, name)

    def input(self, one, name):
        if one.get("nullable") is False:
            self.before.append(f"assert({name} ~= nil, '{self.function['name']}: {one['name']} is missing')")
        if one.get("access") == "freed":
            self.before.append(f"if {name} then ffi.gc({name}, nil) end")
        if "count_in" in one:
            self.before.append(f"local {name}array = ffi.new('{base(one)}[?]', #{name}, {name})")
            name += "array"
        self.call.append(name)

    def output(self, one, name):
        if one["direction"] == "inout":
            self.arguments.append(name)
        elif base(one) in self.handles or "*" not in one["type"] or base(one).endswith("_t"):
            self.before.append(f"local {name} = ffi.new('{one['type'].removesuffix('*')}[1]')")
            free = f"ffi.gc({name}[0], C.{one['free']})" if "free" in one else f"{name}[0]"
            self.results.append(free)
        elif "count_in" in one:
            self.before.append(f"local {name} = ffi.new('{base(one)}[?]', {one['count_in']}_)")
            self.results.append(name)
        else:
            self.before.append(f"local {name} = ffi.new('{base(one)}')")
            if base(one) in self.sized:
                self.before.append(f"{name}.struct_size = ffi.sizeof({name})")
            if "free" in one:
                self.after.append(f"local {name}text = text_of({name})")
                self.after.append(f"C.{one['free']}({name})")
                name += "text"
            if one["name"] != "err":
                self.results.append(name)
        self.call.append(f"{one['name']}_")

    def lines(self):
        function = self.function
        short = function["name"].removeprefix("gputide_")
        call = f"C.{function['name']}({', '.join(self.call)})"
        body = list(self.before)
        if "statuses" in function:
            body += [f"local status = {call}", f"said('{function['name']}', status)"]
            body += ["if status ~= C.GPUTIDE_OK then return nil, err_ end", *self.after]
            body += [f"return {', '.join(self.results) or 'true'}"]
        elif function["result"] == "const char*":
            body += [f"local result = {call}", "if result == nil then return nil end", "return ffi.string(result)"]
        elif function["result"] == "void":
            body += [call]
        else:
            body += [f"return {call}"]
        return [f"function M.{short}({', '.join(self.arguments)})", *[f"  {line}" for line in body], "end"]


def base(one):
    return one["type"].removeprefix("const ").rstrip("*")


def main(path):
    with open(path, encoding="utf-8") as file:
        abi = json.load(file)
    out = ["local ffi = require('ffi')", "ffi.cdef[[", *declarations(abi), "]]"]
    out += ["local C = ffi.load(os.getenv('GPUTIDE_LIBRARY'))", "local M = {C = C, statuses = {}}"]
    for function in abi["functions"]:
        if "statuses" in function:
            marks = ", ".join(f"[C.{name}] = true" for name in function["statuses"])
            out.append(f"M.statuses.{function['name']} = {{{marks}}}")
    out += ["local function said(name, status)"]
    out += ["  assert(M.statuses[name][status], name .. ' returned ' .. tonumber(status))", "end"]
    out += ["local function text_of(text)", "  return text.data ~= nil and ffi.string(text.data, text.size_bytes) or ''", "end"]
    for function in abi["functions"]:
        out += Wrapper(abi, function).lines()
    print("\n".join([*out, "return M"]))


if __name__ == "__main__":
    main(sys.argv[1])
