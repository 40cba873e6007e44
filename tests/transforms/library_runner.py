"""Run the standard library's tests against modules of a directory: python library_runner.py DIRECTORY MODULE...

Prints the tests that did not pass as JSON, and how many ran. What the rules import is imported first, from the true
library, since some of it imports the very modules that are replaced.
"""

import base64
import functools
import http.client
import importlib
import json
import sys
import threading
import unittest
import warnings

import cryptography.fernet
import dateutil.parser
import numpy
import scipy.stats
import sklearn.utils


def main() -> None:
    directory, *names = sys.argv[1:]
    used = [base64, cryptography.fernet, dateutil.parser, functools, http.client, numpy, scipy.stats, sklearn.utils]
    assert [*used, threading]
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
