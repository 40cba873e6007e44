"""Runs the tests of a package with the recorder, and reads what its processes wrote."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.workshop.capture import recorder

# The name under which pytest loads the recorder, wherever it runs.
_PLUGIN = "codemind_recorder"


@dataclass(frozen=True)
class Call:
    """A recorded call.

    Attributes:
        text: Its source.
        needs: Name in the source -> ``module:name``.
        definitions: Sources of functions of the tests that it needs.
    """

    text: str
    needs: tuple[tuple[str, str], ...]
    definitions: tuple[str, ...]


@dataclass
class Called:
    """A function that the tests called.

    Attributes:
        name: Its module and qualified name.
        calls: Its different calls, in their order.
        reason: Why most of its calls are not recorded; empty if there is no such call.
    """

    module: str
    name: str
    file: str
    kind: str
    calls: list[Call] = field(default_factory=list)
    reason: str = ""


@dataclass(frozen=True)
class Recording:
    """What a run of the tests gave.

    Attributes:
        functions: The functions of the package that were called.
        python: The interpreter that ran them.
        failed: The tests that failed.
        modules: The modules that were loaded, without those of Python's library, and their files in Python.
    """

    functions: list[Called]
    python: str
    failed: list[str]
    modules: dict[str, str]


def record(package: str, command: Sequence[str]) -> Recording:
    """Run a command that runs a package's tests with pytest, and return the calls of the package's functions.

    Raises:
        UserError: If the command cannot be run, or no call was recorded. The message says why.
    """
    with tempfile.TemporaryDirectory(prefix="codemind-") as folder:
        shutil.copy(str(recorder.__file__), Path(folder, f"{_PLUGIN}.py"))
        plugins = [os.environ.get("PYTEST_PLUGINS", ""), _PLUGIN]
        paths = [folder, os.environ.get("PYTHONPATH", "")]
        environment = {
            **os.environ,
            recorder.PACKAGE: package,
            recorder.FOLDER: folder,
            "PYTEST_PLUGINS": ",".join(filter(None, plugins)),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }
        try:
            status = subprocess.run(command, env=environment, check=False).returncode
        except OSError as error:
            raise UserError(f"{command[0]}: {error.strerror}; give a command that runs pytest after --") from error
        written = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(Path(folder).glob("calls-*.json"))]
    if not written:
        raise UserError(
            f"{' '.join(command)} ended with status {status} and wrote no calls: it runs no pytest, or one that loads "
            "no plugins of the environment; give a command such as `-- pytest tests`"
        )
    functions = _merged([row for content in written for row in content["functions"]])
    if not functions:
        raise UserError(
            f"no function of {package} was called, and the tests ended with status {status}; check the name, and that "
            "the tests do not start processes of their own for the package"
        )
    by_size = max(written, key=lambda content: len(content["functions"]))
    failed = sorted({name for content in written for name in content["failed"]})
    modules = {name: file for content in written for name, file in content["modules"].items()}
    return Recording(functions, by_size["python"], failed, modules)


def _merged(rows: Sequence[dict[str, Any]]) -> list[Called]:
    functions: dict[tuple[str, str], Called] = {}
    for row in rows:
        if row["kind"] == "constructor":
            continue
        function = functions.setdefault(
            (row["module"], row["name"]), Called(row["module"], row["name"], row["file"], row["kind"])
        )
        function.kind = function.kind or row["kind"]
        for call in row["calls"]:
            recorded = Call(call["call"], tuple(sorted(call["needs"].items())), tuple(call["definitions"].values()))
            if recorded not in function.calls:
                function.calls.append(recorded)
        function.reason = function.reason or next(iter(row["reasons"]), "")
    return sorted(functions.values(), key=lambda function: (function.module, function.name))
