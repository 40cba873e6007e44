"""What a test file depends on, computed from its text: the digest with which its proofs are stamped.

A Python file depends on the modules that it imports, those that a function imports included. Other ways to reach a
module count as imports: its dotted name in a string or a YAML file, an f-string that starts with one,
``PACKAGE.__path__``, and the entry points of a group in ``setup.cfg``. A module also depends on the data in its
package, and on a file or folder of the project if a string names it. A test that starts processes depends on the
project but for its pages and the settings of linters, one that imports the harness on all tasks. Of a ``conftest.py`` a
test file depends on the hooks and the fixtures that it names, and of ``../shared/data`` on the folders that it names.
It does not depend on the versions of Python and of other packages.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from configparser import ConfigParser
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

PACKAGE = "lm_eval_codemind"
DOTTED = re.compile(rf"\b(?:{PACKAGE}|tests)(?:\.\w+)+")
# The folders that git ignores.
IGNORED = re.compile(r"\..*|__pycache__|.*\.egg-info|build|dist|results")
Function = ast.FunctionDef | ast.ClassDef


def all_files(folder: Path) -> list[Path]:
    """Return the files below a folder, sorted, without those that git ignores."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [path for path in paths if not any(map(IGNORED.fullmatch, path.relative_to(folder).parts[:-1]))]


def identifiers(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names and arguments among nodes."""
    return {
        node.id if isinstance(node, ast.Name) else node.arg for node in nodes if isinstance(node, ast.Name | ast.arg)
    }


def walk(statements: Iterable[ast.AST]) -> list[ast.AST]:
    """Return the nodes of statements."""
    return [node for statement in statements for node in ast.walk(statement)]


def imports(nodes: Iterable[ast.AST], package: tuple[str, ...]) -> dict[str, str]:
    """Return name -> the dotted name that it is bound to by an import, somewhere in a module of a package."""
    names = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*start, *filter(None, [node.module])])
            names |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in node.names}
    return names


def relevant(conftest: ast.Module, words: set[str]) -> list[ast.stmt]:
    """Return the statements of a ``conftest.py`` that matter to tests that use some words.

    They are its hooks, its automatic fixtures, the functions and classes that are named, the other statements except
    imports, and the imports of what all these use.
    """
    named = {
        node.name: node
        for node in conftest.body
        if isinstance(node, Function) and not node.name.startswith("pytest_")
        if not any("autouse" in ast.unparse(decorator) for decorator in node.decorator_list)
    }
    imported = [node for node in conftest.body if isinstance(node, ast.Import | ast.ImportFrom)]
    rest: list[ast.stmt] = [
        node
        for node in conftest.body
        if node not in imported and node not in named.values() and "pytest_plugins" not in identifiers(ast.walk(node))
    ]
    while reached := named.keys() & (words | identifiers(walk(rest))):
        rest += [named.pop(name) for name in sorted(reached)]
    used = identifiers(walk(rest))
    return [node for node in imported if used & imports([node], ()).keys()] + rest


class Project:
    """The files of a project, and which of them use which."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.content = cache(Path.read_bytes)
        self.tree = cache(lambda path: ast.parse(self.content(path)))
        self.nodes = cache(lambda path: walk([self.tree(path)]))
        self.uses = cache(self._uses)
        self.hash = cache(lambda path: sha256(self.relevant_content(path)).hexdigest())

    @cached_property
    def modules(self) -> dict[str, Path]:
        """Dotted name -> file, of the package, the tests and what tests import from ``utils``."""
        settings = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))
        places = [(self.root, PACKAGE), (self.root, "tests")]
        places += [(self.root / folder, ".") for folder in settings["tool"]["pytest"]["ini_options"]["pythonpath"]]
        return {
            ".".join(path.relative_to(start).with_suffix("").parts).removesuffix(".__init__"): path
            for start, folder in places
            for path in all_files(start / folder)
            if path.suffix == ".py"
        }

    @cached_property
    def data(self) -> dict[Path, set[Path]]:
        """Folder of a package -> the files beside its modules, and in its folders without modules."""
        packages: dict[Path, set[Path]] = {}
        for path in (*all_files(self.root / PACKAGE), *all_files(self.root / "tests")):
            if path.suffix != ".py":
                owner = next(folder for folder in path.parents if (folder / "__init__.py").exists())
                packages.setdefault(owner, set()).add(path)
        return packages

    @cached_property
    def entry_points(self) -> dict[str, list[str]]:
        """Group -> the objects that the project registers, as dotted names."""
        parser = ConfigParser()
        parser.read(self.root / "setup.cfg", encoding="utf-8")
        groups = parser["options.entry_points"].items()
        return {group: re.findall(r"= (\S+)", text.replace(":", ".")) for group, text in groups}

    @cached_property
    def everything(self) -> set[Path]:
        """What a process may read of the project: all but tests and documentation."""
        folders = (self.root / name for name in (PACKAGE, "tasks", "utils"))
        files = (path for path in self.root.iterdir() if path.is_file() and not IGNORED.fullmatch(path.name))
        return {
            *(path for path in files if path.suffix != ".md"),
            *(path for folder in folders for path in all_files(folder)),
        }

    def relevant_content(self, path: Path) -> bytes:
        """Return the content of a file; of ``pyproject.toml``, what builds the package and runs the tests."""
        if path != self.root / "pyproject.toml":
            return self.content(path)
        settings = tomllib.loads(self.content(path).decode("utf-8"))
        return repr((settings["build-system"], settings["tool"]["pytest"])).encode()

    def digest(self, test_file: Path) -> str:
        """Return the digest of all that a test file depends on."""
        files, conftests = self.dependencies(test_file)
        files |= {file for path in files for folder in path.parents if (file := folder / "__init__.py").exists()}
        lines = [f"{path.relative_to(self.root).as_posix()} {self.hash(path)}" for path in files]
        lines += [f"{path.relative_to(self.root).as_posix()} {text}" for path, text in conftests.items()]
        lines += [f"shared {path.name} {self.hash(path)}" for path in self.shared_files([test_file, *files], conftests)]
        return sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]

    def dependencies(self, test_file: Path) -> tuple[set[Path], dict[Path, str]]:
        """Return the files that a test file depends on, and the text that matters of each ``conftest.py``."""
        folders = [folder for folder in test_file.parents if self.root in folder.parents]
        conftests = [folder / "conftest.py" for folder in folders if (folder / "conftest.py").exists()]
        found: set[Path] = set()
        waiting, parts = {test_file}, {}
        while waiting:
            while waiting:
                found.add(path := waiting.pop())
                waiting |= self.uses(path) - found
            words = set().union(*(identifiers(self.nodes(path)) for path in found if self.is_test(path)))
            words |= self.strings(found)
            for path in conftests:
                parts[path] = relevant(self.tree(path), words)
                words |= identifiers(walk(parts[path]))
                waiting |= self.used_by(path, walk(parts[path])) - found
        return found, {path: "\n".join(map(ast.dump, statements)) for path, statements in parts.items()}

    def shared_files(self, files: Iterable[Path], conftests: dict[Path, str]) -> list[Path]:
        """Return the files in those folders of ``../shared/data`` that test files or conftests name."""
        shared = self.root.parent / "shared" / "data"
        names = self.strings(files).union(*(re.findall(r"value='(\w+)'", text) for text in conftests.values()))
        folders = sorted(shared.iterdir()) if shared.is_dir() else []
        return [path for folder in folders if folder.name in names for path in all_files(folder)]

    def strings(self, files: Iterable[Path]) -> set[str]:
        """Return the words in strings of one line in Python files of the tests."""
        nodes = (node for path in files if self.is_test(path) for node in self.nodes(path))
        strings = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
        return {word for string in strings if "\n" not in string for word in re.findall(r"\w+", string)}

    def is_test(self, path: Path) -> bool:
        """Whether a file is Python code of the tests."""
        return path.suffix == ".py" and self.root / "tests" in path.parents

    def _uses(self, path: Path) -> set[Path]:
        if path.suffix == ".py":
            return self.used_by(path, self.nodes(path)) | self.data.get(path.parent, set())
        if path.suffix in (".yaml", ".sh", ".pth"):
            return self.module_files(DOTTED.findall(self.content(path).decode("utf-8")))
        return set()

    def used_by(self, path: Path, nodes: list[ast.AST]) -> set[Path]:
        """Return the files that nodes of a Python file use directly."""
        names = imports(nodes, path.parent.relative_to(self.root).parts)
        dotted, prefixes, files = set(names.values()), set(), set()
        groups: set[ast.AST] = set()  # what names a group of entry points, not a module
        keys = {node.slice for node in nodes if isinstance(node, ast.Subscript)}
        keys |= {key for node in nodes if isinstance(node, ast.Dict) for key in node.keys}
        for node in nodes:
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("entry_points", "registered")):
                group = walk([*node.args[:1], *(keyword.value for keyword in node.keywords)])
                groups |= set(group)
                dotted |= {point for part in group for point in self.registered(path, part)}
            elif isinstance(node, ast.Attribute) and node.attr == "__path__":
                prefixes.add(names.get(ast.unparse(node.value), "unknown"))
            elif isinstance(node, ast.JoinedStr) and node not in groups:
                start = getattr(node.values[0], "value", "") if node.values else ""
                if isinstance(start, str) and re.fullmatch(rf"{PACKAGE}[\w.]*\.", start):
                    prefixes.add(start.removesuffix("."))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in groups:
                dotted |= set(DOTTED.findall(node.value))
                files |= set(self.named_files(node.value, path)) if node not in keys else set()
        roots = {name.split(".")[0] for name in names.values()}
        if self.is_test(path) and "lm_eval" in roots:  # the harness finds the tasks by the start-up hook
            dotted |= {f"{PACKAGE}.startup", f"{PACKAGE}.harness.location"}
        if self.is_test(path) and "subprocess" in roots:
            files |= self.everything
        below = {name for name in self.modules if any(f"{name}.".startswith(f"{prefix}.") for prefix in prefixes)}
        return files | self.module_files(dotted | below)

    def registered(self, path: Path, part: ast.AST) -> list[str]:
        """Return the entry points of the group that a string, or a constant of a module, names."""
        if isinstance(part, ast.Name):
            values = [
                node.value
                for node in self.nodes(path)
                if isinstance(node, ast.Assign) and part.id in identifiers(node.targets)
            ]
            part = values[0] if values else part
        group = part.value if isinstance(part, ast.Constant) else ""
        return self.entry_points.get(f"{group}") or self.entry_points.get(f"{PACKAGE}.{group}") or []

    def module_files(self, names: Iterable[str]) -> set[Path]:
        """Return the files of those modules that are ours."""
        return {file for name in names if (file := self.module_file(name))}

    def module_file(self, dotted: str) -> Path | None:
        """Return the file of a module; what follows its name is ignored. None if it is not ours.

        The packages around it are executed before it, but what these import for others does not change it.
        """
        while dotted and dotted not in self.modules:
            dotted = dotted.rpartition(".")[0]
        return self.modules.get(dotted)

    def named_files(self, string: str, path: Path) -> Iterator[Path]:
        """Yield the files of the project that a string in a Python file names, by a file's or a folder's path."""
        if not re.fullmatch(r"\w[\w./-]{2,100}", string) or IGNORED.fullmatch(string.split("/")[0]):
            return
        for folder in {self.root, path.parent, *({self.root / "tests"} if self.is_test(path) else ())}:
            place = folder / string
            if place.is_file():
                yield place
            elif place.is_dir() and string not in (PACKAGE, "tests") and not (place / "__init__.py").exists():
                yield from all_files(place)
