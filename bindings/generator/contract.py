"""The facts that a caller needs of a function beyond its C types: which way a pointer goes, which may be NULL, which texts have a
size beside them, what is freed by what, what blocks, and which statuses come back.

All of it is read from types, names and the fixed forms of the header's comments ("cancel, report   may be NULL", "Blocks",
"Static", "Returns E_LIMIT"); "As gputide_decide" takes over what is said there.  The tables below hold what the headers
do not say.  What is neither said nor known stops the generator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .header import Enum, Function, Handle, Header, HeaderError, Struct, Variable

STATUS_TYPE = "gputide_status"
COMMON_STATUSES = ("OK", "E_INVALID", "E_TOO_NEW", "E_STATE", "E_NO_MEMORY", "E_BUG")  # "Errors" of the header's conventions
FREED = {"gputide_text": "gputide_text_free"}  # structs with content that belongs to the library
SHARED = ("gputide_runtime",)  # runtime.h: its functions may be called concurrently, except _free
SHARED_CALLS = ("gputide_log_close",)
UPDATED = {  # structs that are read and written
    ("gputide_state_record", "decision"),
    ("gputide_scaler_record", "decision"),
    ("gputide_runtime_record", "decision"),
    ("gputide_text_free", "text"),
}
WAITS = ("gputide_runtime_free",)  # where _close was not called
OPTIONAL = {"const gputide_options*", "const gputide_runtime_options*", "const gputide_cancel*"}  # "NULL" of the conventions

_BLOCK = re.compile(r"^ {0,2}(?P<names>\w+(?:, \w+)*) {2,}(?P<text>\S.*)$")
_MAY_BE_NULL = re.compile(r"(?P<names>\w+(?:(?:, | and )\w+)*)\s+may be NULL")
_NULL_IS_FINE = re.compile(r"\bNULL(?::| or empty| is allowed| restores| and an empty)|\bfor NULL\b")
_NULL_RESULT = re.compile(r"\bNULL for an index")
_LIKE = re.compile(r"\b(?:[Aa]s|as for|what)\s+(?:for\s+)?(?P<name>(?:gputide)?_\w+)")
_STATUS = re.compile(r"(?<![A-Za-z])(?:GPUTIDE)?_?(?P<name>E_[A-Z][A-Z_]*[A-Z])\b")
_SHORT_STATUS = re.compile(r"(?<=, )_(?P<name>[A-Z][A-Z_]*[A-Z])\b")
_ANY_STATUS = re.compile(r"any status except (E_\w+)")
_TEXT_SIZE = re.compile(r"(?:^size_bytes|_bytes)$")
_COUNTS = ("count", "sample_count", "capacity")


@dataclass(frozen=True)
class Contracts:
    """Derives what a caller has to know, from the declarations of one header."""

    functions: dict[str, Function]
    handles: dict[str, Handle]
    structs: dict[str, Struct]
    statuses: tuple[str, ...]

    @staticmethod
    def of(header: Header) -> Contracts:
        def named(kind: type) -> dict:
            return {declaration.name: declaration for declaration in header.of(kind)}

        statuses = next(enum for enum in header.of(Enum) if enum.constants[0].name == "GPUTIDE_OK")
        return Contracts(named(Function), named(Handle), named(Struct), tuple(constant.name for constant in statuses.constants))

    def free_of(self, handle: str) -> str:
        """Returns the function that frees a handle."""
        # By the parameter: gputide_log_free frees a gputide_log_reader.
        for name, function in self.functions.items():
            if name.endswith("_free") and [parameter.type.base for parameter in function.parameters] == [handle]:
                return name
        raise HeaderError(f"{handle} has no _free: declare it")

    def struct(self, name: str) -> dict:
        sized = self.structs[name].members[0].name == "struct_size"
        return {"sized": sized, "free": FREED.get(name)}

    def function(self, function: Function) -> dict:
        parameters = [self._parameter(function, place) for place in range(len(function.parameters))]
        out = {"blocks": self._blocks(function), "parameters": parameters}
        if str(function.result) == STATUS_TYPE:
            out["statuses"] = self._statuses(function)
        elif function.result.stars:
            out["lifetime"] = self._lifetime(function)
            out["nullable"] = bool(_NULL_RESULT.search(self._words(function)))
        return out

    def _parameter(self, function: Function, place: int) -> dict:
        parameter = function.parameters[place]
        if not parameter.type.stars:
            return {"direction": "in"}
        out: dict = {"direction": self._direction(function, parameter), "nullable": self._may_be_null(function, parameter)}
        if parameter.type.base in self.handles:
            return {**out, **self._handle(function, parameter)}
        if out["direction"] == "out" and parameter.type.base in FREED:
            out["free"] = FREED[parameter.type.base]
        return {**out, **_sizes(function.parameters, place)}

    def _handle(self, function: Function, parameter: Variable) -> dict:
        if parameter.type.stars == 2:
            return {"free": self.free_of(parameter.type.base)}
        if function.name == self.free_of(parameter.type.base):
            return {"access": "freed"}
        shared = parameter.type.const or parameter.type.base in SHARED or function.name in SHARED_CALLS
        return {"access": "shared" if shared else "exclusive"}

    def _direction(self, function: Function, parameter: Variable) -> str:
        if (function.name, parameter.name) in UPDATED:
            return "inout"
        if parameter.type.const or (parameter.type.base in self.handles and parameter.type.stars == 1):
            return "in"
        return "out"

    def _may_be_null(self, function: Function, parameter: Variable) -> bool:
        is_first = parameter is function.parameters[0]
        if parameter.name == "err" or (is_first and function.name.endswith("_free")):
            return True
        if str(parameter.type) in OPTIONAL and not (is_first and parameter.type.base in self.handles):
            return True
        return self._says_null(function, parameter, set())

    def _says_null(self, function: Function, parameter: Variable, asked: set[str]) -> bool:
        """Returns whether its own comment allows NULL, or that of a function which it names for this parameter."""
        asked.add(function.name)
        own = " ".join(text for names, text in _blocks(function) if parameter.name in names)
        if _NULL_IS_FINE.search(own) or "may be NULL" in own:
            return True
        prose = _prose(function)
        if any(parameter.name in re.split(r", | and ", found["names"]) for found in _MAY_BE_NULL.finditer(prose)):
            return True
        pointers = [p for p in function.parameters if p.type.stars and p.name != "err"]
        if pointers == [parameter] and _NULL_IS_FINE.search(prose):
            return True
        place = function.parameters.index(parameter)
        for other in (self.functions[name] for name in self._referred(own or prose) if name not in asked):
            same = [p for at, p in enumerate(other.parameters) if p.name == parameter.name or at == place == 0]
            if any(self._says_null(other, p, asked) for p in same):
                return True
        return False

    def _referred(self, text: str) -> list[str]:
        names = (f"gputide{found['name'].removeprefix('gputide')}" for found in _LIKE.finditer(text))
        return [name for name in names if name in self.functions]

    def _words(self, function: Function) -> str:
        """Returns its comment, and those of the functions that it is said to be like."""
        return " ".join(" ".join([function.doc, *(self.functions[name].doc for name in self._referred(function.doc))]).split())

    def _blocks(self, function: Function) -> bool:
        # A cancel that stands first is the handle itself.
        takes_time = any(parameter.name in ("timeout_ms", "cancel") for parameter in function.parameters[1:])
        return takes_time or function.name in WAITS or re.search(r"\bBlocks\b", function.doc) is not None

    def _lifetime(self, function: Function) -> str:
        words = self._words(function).lower()
        if "valid as long as the handle" in words:
            return "handle"
        if re.search(r"\bstatic\b", words) or function.doc.startswith('"'):  # the ten _name functions share a comment
            return "static"
        raise HeaderError(f"{function.name} does not say how long its result lives: Static, or as long as the handle")

    def _statuses(self, function: Function) -> list[str]:
        found = set(COMMON_STATUSES) | self._named(function, set())
        unknown = [name for name in found if f"GPUTIDE_{name}" not in self.statuses]
        if unknown:
            raise HeaderError(f"{function.name} names what is not a status: {', '.join(sorted(unknown))}")
        return [name for name in self.statuses if name.removeprefix("GPUTIDE_") in found]

    def _named(self, function: Function, asked: set[str]) -> set[str]:
        asked.add(function.name)
        _, returns, said = function.doc.rpartition("Returns ")  # the last sentence of this form names the statuses
        if not returns:
            return set()
        but = _ANY_STATUS.search(said)
        if but:
            return {name.removeprefix("GPUTIDE_") for name in self.statuses} - {but.group(1)}
        found = {status["name"] for status in _STATUS.finditer(said)}
        found |= {f"E_{status['name']}" for status in _SHORT_STATUS.finditer(said)}
        for name in self._referred(said):
            if name not in asked and str(self.functions[name].result) == STATUS_TYPE:
                found |= self._named(self.functions[name], asked)
        return found


def member_of(struct: Struct, place: int) -> dict:
    """Says of a struct's member that is a pointer whether it may be NULL, and which member has its size."""
    member = struct.members[place]
    if isinstance(member, Variable) and not member.type.stars:
        return {}
    any_may = re.search(r"Any member may be 0 or NULL|Arrays with count 0 may be NULL", " ".join(struct.doc.split()))
    says = "may be NULL" in member.doc or _NULL_IS_FINE.search(member.doc) is not None
    nullable = bool(any_may) or says or member.name == "user_data" or struct.name in FREED
    return {"nullable": nullable, **(_member_sizes(struct, member) if isinstance(member, Variable) else {})}


def _member_sizes(struct: Struct, member: Variable) -> dict:
    beside = {other.name for other in struct.members}
    singular = member.name.removesuffix("s")
    if str(member.type) == "const char*":
        found = [name for name in (f"{member.name}_bytes", "size_bytes" if member.name == "text" else "") if name in beside]
        return {"size_in": found[0]} if found else {}
    sizes = {"count_in": f"{singular}_count", "element_size_in": f"{singular}_size"}
    return {key: name for key, name in sizes.items() if name in beside}


def _sizes(parameters: tuple[Variable, ...], place: int) -> dict:
    """Returns which parameters behind it have a text's size in bytes, or an array's count and the size of an element."""
    behind = parameters[place + 1 :]
    parameter = parameters[place]
    if str(parameter.type) == "const char*":
        has_size = behind and str(behind[0].type) == "int64_t" and _TEXT_SIZE.search(behind[0].name)
        return {"size_in": behind[0].name} if has_size else {}
    out, names = {}, [other.name for other in behind]
    if names and names[0] == "sample_size":
        out["element_size_in"] = names.pop(0)
    while names and names[0] in ("values", "replicas") and parameter.name == "times_ms":  # two arrays of the same length
        names.pop(0)
    if names and names[0] in _COUNTS and (parameter.type.const or out):
        out["count_in"] = names[0]
    return out


def _blocks(function: Function) -> list[tuple[list[str], str]]:
    """Returns the comment's lines about parameters: their names and what is said of them."""
    known = {parameter.name for parameter in function.parameters}
    found: list[tuple[list[str], str]] = []
    inside = False
    for line in function.doc.split("\n"):
        match = _BLOCK.match(line)
        names = re.split(r", ", match["names"]) if match else []
        if match and known.issuperset(names):
            found.append((names, match["text"]))
            inside = True
        elif inside and line.startswith("   "):
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        else:
            inside = False
    return found


def _prose(function: Function) -> str:
    text = " ".join(function.doc.split())
    for _, block in _blocks(function):
        text = text.replace(" ".join(block.split()), "")
    return text
