"""Run the standard library's tests against modules of a directory: python library_runner.py DIRECTORY IMPORTS MODULE...

Prints the tests that did not pass as JSON, and how many ran. What the rules import (IMPORTS, separated by commas) is
imported first, from the true library, since some of it imports the very modules that are replaced.
"""

import functools
import importlib
import json
import sys
import threading
import unittest
import warnings


def main() -> None:
    directory, imports, *names = sys.argv[1:]
    assert functools and threading
    for name in filter(None, imports.split(",")):
        importlib.import_module(name)
    warnings.simplefilter("ignore")
    sys.path.insert(0, directory)
    for name in names:
        sys.modules.pop(name, None)
    for name in names:
        module = importlib.import_module(name)
        assert (module.__file__ or "").startswith(directory), f"{name} comes from {module.__file__}"
    loader = unittest.TestLoader()
    suite = unittest.TestSuite(loader.loadTestsFromName(f"test.test_{name.lstrip('_')}") for name in names)
    result = unittest.TextTestRunner(stream=sys.stderr, verbosity=0).run(suite)
    failed = {test.id(): trace for test, trace in [*result.errors, *result.failures]}
    print(json.dumps({"ran": result.testsRun, "failed": failed}))


main()
