#!/usr/bin/env python3
"""The pages name only what exists, and no module includes a later one."""
from __future__ import annotations

import pathlib
import re
import sys
import tempfile
import unittest

import architecture
import findings
import pages
import problems
import modules

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Pages(unittest.TestCase):
    def each(self, findings) -> None:
        for page in pages.pages(ROOT):
            with self.subTest(page=str(page.relative_to(ROOT))):
                self.assertEqual(findings(page, page.read_text()), [])

    def test_paths_are_there(self) -> None:
        self.each(lambda _, text: pages.dead_paths(ROOT, text))

    def test_functions_are_there(self) -> None:
        self.each(lambda _, text: pages.dead_functions(ROOT, text))

    def test_links_lead_somewhere(self) -> None:
        self.each(lambda page, text: pages.dead_links(ROOT, page, text))

    def test_c_names_are_there(self) -> None:
        known = pages.known_names(ROOT)
        self.each(lambda _, text: pages.dead_names(known, text))

    def test_settings_are_there(self) -> None:
        known = pages.known_settings(ROOT)
        self.each(lambda _, text: pages.dead_settings(known, text))


class Findings(unittest.TestCase):
    """Each code that check can give has its page, and each page its code."""

    def setUp(self) -> None:
        self.pages = findings.pages()
        self.codes = [page["code"] for page in self.pages]

    def test_each_code_has_a_page(self) -> None:
        given = findings.codes_of_the_source()
        self.assertGreater(len(given), 70)
        self.assertEqual({code: file for code, file in given.items() if code not in self.codes}, {})

    def test_each_page_has_a_code(self) -> None:
        self.assertEqual(set(self.codes) - set(findings.codes_of_the_source()), findings.ELSEWHERE)
        self.assertEqual(len(set(self.codes)), len(self.codes))

    def test_pages_are_whole(self) -> None:
        for page in self.pages:
            with self.subTest(code=page["code"]):
                self.assertEqual(tuple(page), findings.MEMBERS)
                self.assertIn(page["severity"], ("error", "warning", "note"))
                self.assertTrue(all(page[member] for member in findings.MEMBERS if member != "sources"), page)
                self.assertTrue(page["why"].endswith(".") and page["do"].endswith("."), page)

    def test_the_table_of_the_docs(self) -> None:
        for table in (findings, problems):
            text = table.DOCUMENT.read_text()
            self.assertEqual(text, table.renewed(text), f"tests/docs/{table.__name__}.py --write writes it anew")

    def test_forms_of_a_code_are_found(self) -> None:
        for text, codes in (('add(severity::error, "a-b", at', {"a-b"}), ('fields.error("name", "a-b",', {"a-b"}),
                            ('say("query", text::severity::warning, "a-b", "text', {"a-b"}), ('say("url", "a-b", text', {"a-b"}),
                            ('warn_at("gputide.io/x-y", "a-b", text', {"a-b"}), ('return {of.index, "a-b",', {"a-b"}),
                            ('level_of_missing(x),\n  is_b ? "a" : "b", at', {"a", "b"}), ('// severity::error, "a-b"', set())):
            with self.subTest(text):
                self.assertEqual(findings.codes_in(text), codes)


class Promises(unittest.TestCase):
    def test_each_promise_of_the_security_page_has_its_test(self) -> None:
        page = (ROOT / "docs" / "security.md").read_text()
        named = re.findall(r"`(test_\w+|\w+\.\w+|[A-Z]\w+)`(?=[,; |])", page.split("## Limits and budgets")[0])
        names = [name.split(".")[-1] for name in named if not name.startswith("GPUTIDE_") and name != "KUBECONFIG"]
        tests = "\n".join(file.read_text() for folder in ("unit", "capi", "gputided")
                          for file in (ROOT / "tests" / folder).rglob("*_test.*") if file.suffix != ".pyc")
        self.assertGreater(len(names), 25)
        missing = [name for name in names if not re.search(rf"(\bdef {name}\b|, {name}\))", tests)]
        self.assertEqual(missing, [])


class Modules(unittest.TestCase):
    # Names with a second meaning: resources and metric kinds of Kubernetes, makers of GPUs, members of a JSON text, "no provider".
    COMMON = {"amd", "cpu", "memory", "external", "values", "kubernetes", "none"}

    def setUp(self) -> None:
        self.src = ROOT / "src"
        self.paths = modules.order(self.src)
        self.uses = modules.uses(self.src)

    def test_every_folder_is_a_module(self) -> None:
        groups = {path.partition("/")[0] for path in self.paths.values()}
        folders = {path.name for path in self.src.iterdir() if path.is_dir()}
        self.assertEqual(folders, groups | {"gputided"})  # which is a program
        for group in groups - set(self.paths):
            inner = {f"{group}/{path.name}" for path in (self.src / group).iterdir() if path.is_dir()}
            self.assertEqual(inner, {path for path in self.paths.values() if path.startswith(f"{group}/")})

    def test_groups_are_in_the_order_of_the_data_flow(self) -> None:
        groups = list(dict.fromkeys(path.partition("/")[0] for path in self.paths.values()))
        self.assertEqual(groups, ["pure", "net", "core", "kubernetes", "capi"])

    def test_no_module_uses_a_later_one(self) -> None:
        self.assertEqual(modules.later_uses(list(self.paths), self.uses), [])

    def test_no_module_includes_another_than_it_names(self) -> None:
        for module, path in self.paths.items():
            with self.subTest(module=module):
                allowed = {module, *self.uses[module]}
                self.assertEqual(modules.foreign_includes(self.src / path, list(self.paths), allowed), [])

    def test_comments_name_files_that_are_there(self) -> None:
        self.assertEqual(modules.dead_files(self.src), [])

    def test_the_program_includes_no_module(self) -> None:
        self.assertEqual(modules.foreign_includes(self.src / "gputided", self.own_modules(), set()), [])

    def own_modules(self) -> list[str]:
        """Returns the modules without a folder of the same name in gputided."""
        return [module for module in self.paths if not (self.src / "gputided" / module).exists()]

    def test_no_source_includes_another(self) -> None:
        folder = self.src / self.paths["source"]
        folders = modules.source_folders((folder / "registry.cpp").read_text())
        self.assertIn("prometheus", folders)
        self.assertEqual(modules.neighbor_includes(folder, folders), [])

    def test_no_trigger_type_is_named_outside_its_folder_and_its_row(self) -> None:
        home = self.paths["source"]
        registry = (self.src / home / "registry.cpp").read_text()
        types = modules.trigger_types(registry)
        self.assertIn("prometheus", types)
        self.assertIn("cron", types)
        folders = modules.source_folders(registry)
        homes = [f"{home}/registry.cpp", *(f"{home}/{folder}/" for folder in folders)]
        self.assertEqual(self.named_outside(types, homes), [])
        self.assertEqual(modules.folders_included(self.src, folders, homes), [])

    def test_no_provider_is_named_outside_its_folder_and_its_row(self) -> None:
        home = self.src / self.paths["auth"]
        constants = "".join(file.read_text() for file in home.rglob("*.hpp"))
        names = modules.providers((home / "open.cpp").read_text(), constants)
        self.assertIn("azure-workload", names)
        self.assertIn("aws", names)
        self.assertEqual(self.named_outside(names, [f"{self.paths['auth']}/"]), [])

    def named_outside(self, names: list[str], homes: list[str]) -> list[str]:
        # gputided names the default provider, and the library's example triggers, as a user would.
        return modules.named_outside(self.src, set(names) - self.COMMON, [*homes, "gputided/"])

    def test_the_architecture_page_lists_them_in_this_order(self) -> None:
        page = (ROOT / "docs" / "architecture.md").read_text()
        listed = re.findall(r"^\| `src/([\w/]+)/` \|", page, re.M)
        self.assertEqual(listed, list(self.paths.values()))

    def test_the_picture_is_up_to_date(self) -> None:
        self.assertEqual(architecture.PICTURE.read_text(), architecture.picture(self.src), "tests/docs/architecture.py --write draws it")


class Examples(unittest.TestCase):
    """Each kind of error is found where it is put."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "src/pure/base").mkdir(parents=True)
        (self.root / "src/pure/base/text.cpp").write_text('#include "base/text.hpp"\n#include "late/one.hpp"\n')

    def test_dead_path(self) -> None:
        text = "`src/pure/base/text.cpp` `src/pure/base/{text,gone}.cpp` `src/pure/base/*.cpp` `src/gone*.cpp` `tests/gone` build `src/`"
        self.assertEqual(
            pages.dead_paths(self.root, text), ["src/gone*.cpp", "src/pure/base/{text,gone}.cpp", "tests/gone"]
        )

    def test_dead_function(self) -> None:
        (self.root / "src/pure/base/text.cpp").write_text("void text::step() {}\n")
        text = "`text::step()`, `text::stop()` in `src/pure/base/text.cpp`, `step()` in `src/gone.cpp`"
        self.assertEqual(pages.dead_functions(self.root, text), ["text::stop() in src/pure/base/text.cpp", "step() in src/gone.cpp"])

    def test_dead_link(self) -> None:
        own = "https://github.com/gputide/gputide/blob/main/"
        text = f"[here](src/pure/base/text.cpp) [gone](gone.md#part) [outside](https://example.org/x.md) [own]({own}src/pure/base/text.cpp) [not]({own}gone.md)"
        self.assertEqual(pages.dead_links(self.root, self.root / "README.md", text), ["gone.md", f"{own}gone.md"])

    def test_dead_name(self) -> None:
        self.assertEqual(
            pages.dead_names({"gputide_decide", "GPUTIDE_E_STATE"}, "gputide_decide, gputide_decided, `GPUTIDE_E_*`"),
            ["gputide_decided"],
        )

    def test_dead_setting(self) -> None:
        self.assertEqual(pages.dead_settings({"profile"}, "gputide.io/profile gputide.io/profiles: x"), ["profiles"])

    def test_later_module(self) -> None:
        self.assertEqual(
            modules.later_uses(["base", "late"], {"base": ["late"], "late": ["base", "gone"]}),
            ["base uses late", "late uses gone"],
        )

    def test_dead_file(self) -> None:
        (self.root / "src/pure/base/text.hpp").write_text("// See text.cpp, base/text.cpp and gone/text.cpp.\n")
        self.assertEqual(modules.dead_files(self.root / "src"), ["pure/base/text.hpp names gone/text.cpp"])

    def test_foreign_include(self) -> None:
        found = modules.foreign_includes(self.root / "src/pure/base", ["base", "late"], {"base"})
        self.assertEqual(found, ["base/text.cpp includes late/"])

    def test_named_outside(self) -> None:
        code = '// "one"\n#include "one"\nbool is(type t) { return t == "one"; }  // "two"\nauto text = "one of two";\n'
        (self.root / "src/pure/base/text.cpp").write_text(code)
        self.assertEqual(modules.named_outside(self.root, {"one", "two"}, ["src/late/"]), ['src/pure/base/text.cpp: "one"'])
        self.assertEqual(modules.named_outside(self.root, {"one", "two"}, ["src/pure/base/"]), [])

    def test_rows(self) -> None:
        self.assertEqual(modules.trigger_types('kind{{"one", x},\nkind{{.type = "two-b", y}'), ["one", "two-b"])
        self.assertEqual(modules.providers('provider{{"one", x}, provider{{two_word, y}', 'two_word = "two";'), ["one", "two"])

    def test_folder_included(self) -> None:
        (self.root / "src/pure/base/text.cpp").write_text('#include "source/one/keys.hpp"\n')
        self.assertEqual(
            modules.folders_included(self.root / "src", ["one"], []), ["pure/base/text.cpp includes source/one/"]
        )

    def test_neighbor_include(self) -> None:
        for name in ("one", "two", "shared"):
            (self.root / name).mkdir()
        (self.root / "one" / "one.cpp").write_text('#include "source/one/keys.hpp"\n#include "source/shared/keys.hpp"\n')
        (self.root / "two" / "two.hpp").write_text('#include "source/one/keys.hpp"\n')
        self.assertEqual(modules.neighbor_includes(self.root, ["one", "two"]), ["two/two.hpp includes one/"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
