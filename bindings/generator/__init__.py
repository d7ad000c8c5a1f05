"""Writes what every language's binding knows of gputide.h: bindings/abi.json, and each language's raw layer."""
