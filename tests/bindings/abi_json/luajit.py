"""Writes a LuaJIT binding from abi.json alone: declarations for ffi.cdef, and a Lua function for each C function.

    luajit.py ABI_JSON      the module's text on standard output

Texts come back as Lua strings, handles free themselves, a failed call returns nil and the gputide_error.
"""

import json
import sys


def declarations(abi):
    lines = [f"typedef {alias['type']} {alias['name']};" for alias in abi["aliases"]]
    lines += [f"typedef struct {handle['name']} {handle['name']};" for handle in abi["handles"] + abi["structs"]]
    for enum in abi["enums"]:
        lines += ["enum {", *[f"  {entry['name']} = {entry['value']}," for entry in enum["members"]], "};"]
    for struct in abi["structs"]:
        lines += [f"struct {struct['name']} {{", *[f"  {member(entry)};" for entry in struct["members"]], "};"]
    for function in abi["functions"]:
        lines.append(f"{function['result']} {function['name']}({types(function['parameters'])});")
    return lines


def member(entry):
    if "callback" in entry:
        return f"{entry['callback']['result']} (*{entry['name']})({types(entry['callback']['parameters'])})"
    return f"{entry['type']} {entry['name']}" + (f"[{entry['count']}]" if "count" in entry else "")


def types(parameters):
    return ", ".join(parameter["type"] for parameter in parameters) or "void"


class Wrapper:
    """The Lua function of one C function, line by line."""

    def __init__(self, abi, function):
        self.function = function
        self.sized = {struct["name"] for struct in abi["structs"] if struct["sized"]}
        self.handles = {handle["name"]: handle["free"] for handle in abi["handles"]}
        self.arguments, self.before, self.call, self.after, self.results = [], [], [], [], []
        self.computed = self.sizes()
        for parameter in function["parameters"]:
            self.parameter(parameter)

    def sizes(self):
        """Each size, count and element size that a pointer's entry names, with the expression that computes it."""
        found = {}
        for parameter in self.function["parameters"]:
            if parameter["direction"] != "in":
                continue
            if "size_in" in parameter:
                found[parameter["size_in"]] = f"#({parameter['name']}_ or '')"
            if "count_in" in parameter:
                found.setdefault(parameter["count_in"], f"#{parameter['name']}_")
        for parameter in self.function["parameters"]:
            if "element_size_in" in parameter:
                found[parameter["element_size_in"]] = f"ffi.sizeof('{base(parameter)}')"
        return found

    def parameter(self, entry):
        name = f"{entry['name']}_"
        if entry["name"] in self.computed:
            self.call.append(self.computed[entry["name"]])
        elif entry["direction"] == "in":
            self.arguments.append(name)
            self.input(entry, name)
        else:
            self.output(entry, name)

    def input(self, entry, name):
        if entry.get("nullable") is False:
            self.before.append(f"assert({name} ~= nil, '{self.function['name']}: {entry['name']} is missing')")
        if entry.get("access") == "freed":
            self.before.append(f"if {name} then ffi.gc({name}, nil) end")
        if "count_in" in entry:
            self.before.append(f"local {name}array = ffi.new('{base(entry)}[?]', #{name}, {name})")
            name += "array"
        self.call.append(name)

    def output(self, entry, name):
        if entry["direction"] == "inout":
            self.arguments.append(name)
        elif base(entry) in self.handles or "*" not in entry["type"] or base(entry).endswith("_t"):
            self.before.append(f"local {name} = ffi.new('{entry['type'].removesuffix('*')}[1]')")
            free = f"ffi.gc({name}[0], C.{entry['free']})" if "free" in entry else f"{name}[0]"
            self.results.append(free)
        elif "count_in" in entry:
            self.before.append(f"local {name} = ffi.new('{base(entry)}[?]', {entry['count_in']}_)")
            self.results.append(name)
        else:
            self.before.append(f"local {name} = ffi.new('{base(entry)}')")
            if base(entry) in self.sized:
                self.before.append(f"{name}.struct_size = ffi.sizeof({name})")
            if "free" in entry:
                self.after.append(f"local {name}text = text_of({name})")
                self.after.append(f"C.{entry['free']}({name})")
                name += "text"
            if entry["name"] != "err":
                self.results.append(name)
        self.call.append(f"{entry['name']}_")

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


def base(entry):
    return entry["type"].removeprefix("const ").rstrip("*")


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
