"""Protocol 1 of docs/conformance.md over this package's public functions: `python3 -m gputide.conformance` is the program that
`gputide_conformance --through` drives."""
