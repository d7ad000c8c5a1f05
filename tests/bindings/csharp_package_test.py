#!/usr/bin/env python3
"""The NuGet metadata of bindings/csharp name files that exist and this release, and each public name is documented.

    csharp_package_test.py GPUTIDE_XML      what mcs -doc has written
"""

import json
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

CSHARP = Path(__file__).resolve().parents[2] / "bindings" / "csharp"
XML = Path(sys.argv[1])


class Package(unittest.TestCase):
    project = ElementTree.parse(CSHARP / "Gputide.csproj").getroot()

    def test_the_metadata_is_of_this_release(self):
        abi = json.loads((CSHARP.parent / "abi.json").read_text(encoding="utf-8"))
        values = {value.tag: value.text for group in self.project.iter("PropertyGroup") for value in group}
        self.assertEqual((values["Version"], values["PackageId"]), (abi["version"], "Gputide"))
        self.assertEqual(values["PackageLicenseExpression"], "Apache-2.0")
        for required in ("Authors", "Description", "PackageProjectUrl", "PackageReadmeFile", "RepositoryUrl"):
            self.assertTrue(values[required], required)

    def test_its_files_exist(self):
        for item in [*self.project.iter("Compile"), *self.project.iter("None")]:
            if "Condition" not in item.attrib:
                include = item.attrib["Include"]
                self.assertTrue(list(CSHARP.glob(include)) or (CSHARP / include).is_file(), include)

    def test_each_name_that_the_documentation_refers_to_exists(self):
        names = {member.attrib["name"] for member in ElementTree.parse(XML).iter("member")}
        public = "\n".join(file.read_text(encoding="utf-8") for file in (CSHARP / "src").glob("*.cs"))
        for name in re.findall(r'<exception cref="([\w.]+)"', public):
            self.assertTrue(name == "DllNotFoundException" or f"T:Gputide.{name}" in names, name)
        self.assertGreater(len(names), 300)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
