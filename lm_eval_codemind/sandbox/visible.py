"""The part of the host's file system that programs can see: only the places that the interpreter imports from.

The interpreter itself, its library and whole directories of installed packages are shown as they are. Of any other
directory on ``sys.path`` (``PYTHONPATH``, ``pip install --target``, editable installs) only its packages and modules
are, since a project's root may be one, with secrets and answers next to its packages. Symbolic links on the way are
shown as links: an interpreter finds its library, and the loader shared libraries, relative to where links lead.
"""

import contextlib
import functools
import glob
import importlib.machinery
import importlib.metadata
import importlib.util
import inspect
import itertools
import json
import os
import site
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterable, Iterator

VARIABLE = "CODEMIND_SANDBOX_READABLE"
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
# Passed on because a program's libraries find their read-only data by them.
DATA_VARIABLES = ("NLTK_DATA",)
_LIBRARIES = "LD_LIBRARY_PATH"
# Passed on because the interpreter finds its libraries by them.
INTERPRETER_VARIABLES = (_LIBRARIES, "PYTHONHOME")

# Below the prefix of an interpreter: its libraries, and data that the library and common packages look for there.
_OF_AN_INTERPRETER = (
    *("lib", "lib64", "share/zoneinfo", "share/terminfo", "share/fonts", "fonts", "etc/fonts"),
    *("nltk_data", "share/nltk_data", "lib/nltk_data"),
)
_OF_AN_ENVIRONMENT = ("pyvenv.cfg", "nltk_data", "share/nltk_data", "lib/nltk_data")
_BESIDE_PACKAGES = (".dist-info", ".egg-info", ".libs")
_HOMES = ("/tmp", "/run/home", "/sandbox-home")
_NAMESPACE_DEPTH = 3
_MOST_SAMPLED = 10_000
# The package that this one is a part of, whose data may hold answers.
_PACKAGE = __name__.partition(".")[0]
_HOST = os.path.realpath(str(sys.modules[_PACKAGE].__path__[0]))
_hidden: set[str] = set()


def hide(path: str | os.PathLike[str]) -> None:
    """Hide a file, or a directory with all below it, from programs, wherever it lies.

    All copies of the package that contains the sandbox are always hidden. Servers that have started keep what they see.
    """
    _hidden.update((os.path.abspath(path), os.path.realpath(path)))


def _copies(path: Iterable[str]) -> Iterator[str]:
    """Yield where the package lies that contains the sandbox, for any interpreter whose packages programs may see."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, "/usr", "/usr/local"}
    patterns = [f"{glob.escape(prefix)}/lib*/python*/*-packages" for prefix in prefixes]
    folders = [folder for pattern in patterns for folder in glob.glob(pattern)]
    for entry in {*path, *folders, os.path.dirname(_HOST)}:
        copy = os.path.join(entry, _PACKAGE)
        if os.path.isdir(copy):
            yield copy
            # Installers may link a package, or each of its files, to a store.
            yield os.path.realpath(copy)
            yield from {os.path.dirname(os.path.realpath(file)) for file in _children(copy) if os.path.islink(file)}
        archive = _archive(entry)
        if archive and any(name.startswith(f"{_PACKAGE}/") for name in zipfile.ZipFile(archive).namelist()):
            yield archive


def _archive(entry: str) -> str:
    """Return the archive that an entry of ``sys.path`` is, or leads into; empty if there is none."""
    while entry not in ("", "/") and not os.path.lexists(entry):
        entry = os.path.dirname(entry)
    return entry if os.path.isfile(entry) and zipfile.is_zipfile(entry) else ""


class View:
    """What a server sees of the host besides the system's own directories. It is gathered, up to :meth:`finish`.

    Attributes:
        shown: Files, and directories with everything below them, none through a link and none below another.
        links: Symbolic links on the way there, each with what it holds.
        listed: Directories of which some entries are shown: an importer has to read their names.
        hidden: Files and directories that are not visible, though they lie below what is shown, or the system's.
        forbidden: A file of each kind in these, which no program may open.
        path: The servers' ``sys.path``.
        user_base: Where the user's own packages are installed, if the host's interpreter uses them, else empty.
    """

    def __init__(self, hidden: Iterable[str]) -> None:
        self.shown: set[str] = set()
        self.links: dict[str, str] = {}
        self.listed: set[str] = set()
        self.hidden = list(hidden)
        self.forbidden = sorted(file for each in self.hidden for file in _samples(each))
        self.path: list[str] = []
        self.user_base = site.getuserbase() if site.ENABLE_USER_SITE else ""

    def show(self, path: str, links: int = 0) -> None:
        """Show a file, or a directory with all that is below it; and where links in it lead, down to some depth."""
        real = self.reach(path)
        if real == "/" or not os.path.exists(real):
            return
        self.shown.add(real)
        if links and os.path.isdir(real):
            self._show_linked(real, links)

    def reach(self, path: str) -> str:
        """Keep the links on the way to a path and return where it leads, like ``os.path.realpath``."""
        parent, name = os.path.split(path)
        if not name:
            return "/" if parent == path else self.reach(parent)
        step = os.path.normpath(os.path.join(self.reach(parent), name))
        if os.path.islink(step) and step not in self.links:
            self.links[step] = os.readlink(step)
            self.reach(os.path.join(os.path.dirname(step), self.links[step]))
        return os.path.realpath(step)

    def _show_linked(self, directory: str, depth: int) -> None:
        with contextlib.suppress(OSError), os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_symlink():
                    real = os.path.realpath(entry.path)
                    package = os.path.dirname(real)
                    # Installers may link each file of a package to a store: there the package lies whole.
                    whole = os.path.basename(package) == os.path.basename(directory)
                    whole = whole and os.path.basename(real) == entry.name and not _too_broad(package)
                    self.show(entry.path)
                    if whole and os.path.isfile(real) and _is_package(package):
                        self.show(package)
                elif depth > 1 and entry.is_dir(follow_symlinks=False):
                    self._show_linked(entry.path, depth - 1)

    def seen(self, path: str) -> bool:
        """Whether a path without links is shown."""
        return any(_within(path, other) for other in (*self.shown, *SYSTEM))

    def finish(self) -> None:
        """Leave out what comes along with something else."""
        self.shown = set(outermost({*self.shown, *SYSTEM})).difference(SYSTEM)
        self.links = {link: target for link, target in self.links.items() if not self.seen(link)}
        self.listed = {each for each in self.listed if not self.seen(each)}
        # A path below another one is hidden with it.
        self.hidden = outermost(path for path in self.hidden if os.path.realpath(path) == path and self.seen(path))

    def home(self, also: Iterable[str] = ()) -> str:
        """Return a directory for the programs' own files, for servers that have their own file system.

        It is none of the directories that are shown, nor one of ``also``.
        """
        paths = [*self.shown, *self.links, *also]
        return next(
            (home for home in _HOMES if not any(_within(path, home) or _within(home, path) for path in paths)),
            _HOMES[-1],
        )

    @property
    def bound(self) -> list[str]:
        """The visible paths that bubblewrap mounts."""
        return [entry for path in self.shown for entry in _enterable(path)]

    def mounts(self) -> list[str]:
        """Return bubblewrap's arguments that bring the view about."""
        arguments: list[str] = []
        for link, target in self.links.items():
            arguments += ["--symlink", target, link]
        for path in self.bound:
            arguments += ["--ro-bind", path, path]
        for path in self.hidden:
            # No device in place of a file can be opened.
            cover = ["--tmpfs", path, "--remount-ro", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
            arguments += cover
        return arguments

    def rules(self) -> tuple[list[str], list[str]]:
        """Return what Landlock is to allow reading, with all below, and of which directories only the names.

        Landlock can't take back what it allows above: around what is hidden, the neighbours are named one by one.
        """
        readable, listed = [], list(self.listed)
        paths = [*map(os.path.realpath, SYSTEM), *self.shown]
        while paths:
            path = paths.pop()
            if not any(_within(each, path) for each in self.hidden):
                readable.append(path)
            elif path not in self.hidden:
                listed.append(path)
                # A rule for a link is one for where it leads.
                paths += [entry for entry in _children(path) if not os.path.islink(entry)]
        return readable, listed


def _enterable(path: str) -> list[str]:
    """Return a path, or what is in it where root alone may enter it: that directory is made again for all to enter."""
    if os.geteuid() or not os.path.isdir(path) or os.stat(path).st_mode & 0o005 == 0o005:
        return [path]
    return [entry for child in _children(path) for entry in _enterable(child)]


def view() -> View:
    """Return what this process's servers see, by how its interpreter imports now.

    ``$CODEMIND_SANDBOX_READABLE`` adds files and directories, as ``PATH`` lists them, for what is missed.
    """
    variables = ("PYTHONPATH", VARIABLE, _LIBRARIES, *DATA_VARIABLES)
    hidden = frozenset(each for each in {*_hidden, *_copies(sys.path)} if os.path.exists(each))
    return _view(tuple(sys.path), tuple(os.environ.get(name, "") for name in variables), os.getcwd(), hidden)


@functools.lru_cache(maxsize=8)
def _view(path: tuple[str, ...], variables: tuple[str, ...], folder: str, hidden: frozenset[str]) -> View:
    visible = View(hidden)
    python_path, readable, *data = (value.split(os.pathsep) for value in variables)
    _interpreter(visible)
    readable = [os.path.join(folder, each) for each in readable if each]
    for entry in readable:
        if not os.path.exists(entry):
            raise ValueError(f"{VARIABLE} names {entry}, which is not there")
        visible.show(entry)
    named = [*readable, *(os.path.join(folder, each) for each in python_path if each)]
    entries = _entries(path, named, folder)
    visible.path = [entry for entry in entries if entry in readable or _on_path(entry, visible)]
    for location in _editable_locations():
        if not _of_host_checkout(location):
            visible.show(location)
    for entry in (each for value in data for each in value):
        if os.path.isabs(entry) and not _too_broad(entry):
            visible.show(entry)
    _loaded_libraries(visible)
    visible.finish()
    return visible


def _samples(path: str) -> set[str]:
    """Return a file of each kind below a directory, or the path itself if it is a file."""
    if not os.path.isdir(path):
        return {path}
    files = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    return set({os.path.splitext(file)[1]: file for file in itertools.islice(files, _MOST_SAMPLED)}.values())


def _interpreter(visible: View) -> None:
    """Show the interpreter, its libraries and what is installed into it."""
    for executable in {sys.executable, getattr(sys, "_base_executable", "")}:
        if executable:
            visible.show(os.path.abspath(executable))
    for prefix in {sys.base_prefix, sys.base_exec_prefix}:
        for name in _OF_AN_INTERPRETER if prefix not in SYSTEM else ():
            visible.show(os.path.join(prefix, name), links=1)
    for prefix in {sys.prefix, sys.exec_prefix}:
        for name in _OF_AN_ENVIRONMENT:
            visible.show(os.path.join(prefix, name))
    paths = sysconfig.get_paths()
    for name in ("stdlib", "platstdlib", "include", "platinclude"):
        if not _too_broad(paths[name]):
            visible.show(paths[name], links=1)


def _install_directories() -> set[str]:
    """Return the directories into which packages are installed for this interpreter."""
    paths = sysconfig.get_paths()
    directories = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    directories.update(site.getsitepackages([sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]))
    if site.ENABLE_USER_SITE:
        directories.add(site.getusersitepackages())
    directories.update(os.path.join(paths[name], "lib-dynload") for name in ("stdlib", "platstdlib"))
    return {os.path.realpath(path) for path in directories}


def _entries(path: Iterable[str], named: list[str], folder: str) -> Iterator[str]:
    """Yield the entries of ``sys.path`` that somebody named: not the directory of the script or the current one.

    Python puts that one first by itself, and it may be anything, such as the user's home.
    """
    script = os.path.dirname(os.path.abspath(sys.argv[0])) if sys.argv and sys.argv[0] else folder
    unnamed = {folder, script, os.path.realpath(folder), os.path.realpath(script)}
    absolute = [os.path.join(folder, entry) if entry else "" for entry in path]
    for entry in dict.fromkeys(absolute):
        if entry and (entry not in unnamed or entry in named or absolute.count(entry) > 1):
            yield entry


def _on_path(entry: str, visible: View) -> bool:
    """Show what an entry of ``sys.path`` holds. Return True if the servers should have the entry, too."""
    if not os.path.isdir(entry):
        archive = _archive(entry)
        if archive:
            visible.show(archive)
        return bool(archive)
    real = os.path.realpath(entry)
    if real in _install_directories() or os.path.basename(real) in ("site-packages", "dist-packages"):
        visible.show(entry, links=2)
        return True
    if _too_broad(real) or _of_host_checkout(real):
        return False
    visible.reach(entry)
    if visible.seen(real):
        return True
    visible.listed.add(real)
    for path in _importable(entry):
        visible.show(path, links=1)
    return True


def _importable(directory: str, depth: int = 0) -> Iterator[str]:
    """Yield the packages and modules in a directory, and what installers put next to them."""
    for path in _children(directory):
        name = os.path.basename(path)
        if name == _PACKAGE:
            continue
        if name.endswith(_BESIDE_PACKAGES):
            yield path
        elif os.path.isdir(path):
            if _is_package(path):
                yield path
            elif name.isidentifier() and name != "__pycache__" and depth < _NAMESPACE_DEPTH:
                yield from _importable(path, depth + 1)
        elif depth == 0 and inspect.getmodulename(name) is not None:
            yield path


def _editable_locations() -> set[str]:
    """Return the locations of packages that the import hooks of editable installs load."""
    names: set[str] = set()
    for distribution in importlib.metadata.distributions():
        with contextlib.suppress(Exception):  # whatever an installer wrote there
            origin = json.loads(distribution.read_text("direct_url.json") or "{}")
            if origin.get("dir_info", {}).get("editable"):
                names.update((distribution.read_text("top_level.txt") or "").split())
    locations: set[str] = set()
    for name in names:
        with contextlib.suppress(Exception):  # a finder is anybody's code
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.submodule_search_locations:
                for folder in spec.submodule_search_locations:
                    # Of a namespace, only packages in it can lie in a project's root.
                    locations.update([folder] if spec.origin else _importable(folder, 1))
            elif spec is not None and spec.origin:
                locations.add(spec.origin)
    return locations


def _loaded_libraries(visible: View) -> None:
    """Show the shared libraries that this process has loaded from elsewhere, under each of their names."""
    with contextlib.suppress(OSError), open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        files = {line.rstrip("\n").split(None, 5)[5] for line in maps if ".so" in line and "/" in line}
        for path in files:
            if os.path.isfile(path) and not visible.seen(path):
                for name in _children(os.path.dirname(path)):
                    if os.path.realpath(name) == path:
                        visible.show(name)


def _is_package(directory: str) -> bool:
    suffixes = importlib.machinery.all_suffixes()
    return any(os.path.isfile(os.path.join(directory, "__init__" + suffix)) for suffix in suffixes)


def _children(directory: str) -> list[str]:
    try:
        return [os.path.join(directory, name) for name in sorted(os.listdir(directory))]
    except OSError:
        return []


def _too_broad(path: str) -> bool:
    """Whether a directory holds a home, or all temporary files, or everything."""
    return any(_within(os.path.realpath(each), path) for each in (os.path.expanduser("~"), tempfile.gettempdir()))


def _of_host_checkout(path: str) -> bool:
    """Whether a path belongs to the checkout that the host package was imported from, if it wasn't installed."""
    root = os.path.dirname(_HOST)
    installed = root in _install_directories() or glob.glob(f"{glob.escape(_HOST)}-*.dist-info")
    return not installed and _within(os.path.realpath(path), root)


def outermost(paths: Iterable[str]) -> list[str]:
    """Return paths without those that lie below another one."""
    roots: list[str] = []
    for path in sorted(paths, key=len):
        if not any(_within(path, other) for other in roots):
            roots.append(path)
    return roots


def _within(path: str, directory: str) -> bool:
    """Whether a path is a directory or below it, by their names."""
    return path == directory or path.startswith(directory.rstrip("/") + "/")
