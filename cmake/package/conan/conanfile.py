"""Conan's recipe of gputide, in its source tree:

    conan create cmake/package/conan

A consumer finds gputide's own CMake package: find_package(gputide COMPONENTS full), gputide::full.  The libraries below it are the
system's (Debian 12's packages); recipes of Conan's server for them were not tried.
"""

import re
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.system.package_manager import Apt


class Gputide(ConanFile):
    name = "gputide"
    license = "Apache-2.0"
    author = "The authors of gputide"
    url = homepage = "https://github.com/gputide/gputide"
    description = "Embeddable GPU autoscaling"
    topics = ("autoscaling", "gpu", "keda", "hpa", "kubernetes")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"yaml": [True, False], "cron": [True, False]}
    default_options = {"yaml": True, "cron": True}

    @property
    def tree(self):
        return Path(self.recipe_folder).parents[2]

    def set_version(self):
        text = (self.tree / "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"project\(gputide VERSION ([0-9.]+)", text)[1]

    def export_sources(self):
        for part in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "bindings/abi.json"):
            copy(self, part, self.tree, self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("gputide runs on 64-bit Linux; other systems compile the pure library (docs/platforms.md)")

    def system_requirements(self):
        packages = ["pkg-config", "dpkg-dev", "libcurl4-openssl-dev", "libssl-dev", "zlib1g-dev"]
        packages += ["libyaml-dev"] if self.options.yaml else []
        packages += ["libcctz-dev", "tzdata"] if self.options.cron else []
        Apt(self).install(packages, check=True)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["GPUTIDE_YAML"] = bool(self.options.yaml)
        toolchain.cache_variables["GPUTIDE_CRON"] = bool(self.options.cron)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target=["gputide", "gputide_full", "gputide_pure"])  # an install tree has all three

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")

    def package_info(self):
        self.cpp_info.libs = ["gputide"]
        self.cpp_info.builddirs = ["lib/cmake/gputide"]
        self.cpp_info.set_property("cmake_find_mode", "none")
