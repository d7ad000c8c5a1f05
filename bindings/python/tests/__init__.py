"""The tests of bindings/python, on the standard library alone: python3 -m unittest discover -s tests -t . in bindings/python.

The checks that every binding has carry their names: leak, order, closed, cancel, nul, big, unicode, concurrent, exit, fork,
wrong_abi, missing, conformance, short, cost.
"""
