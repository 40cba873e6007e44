"""Which benchmarks there are and how they relate; ``packaged.yaml`` describes this package's.

Nothing here reads or builds one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal

import yaml

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.plugins import registered
from lm_eval_codemind.problems import Problem

LabelOrigin = Literal["proven", "published", "own", "none"]


@dataclass(frozen=True)
class Archive:
    """An upstream repository at the revision that the suite is pinned to.

    Attributes:
        name: Name of its folder or archive below an ``--upstream`` directory.
        repository: ``owner/name`` on GitHub.
        revision: The pinned commit; ``main`` where none is known.
    """

    name: str
    repository: str
    revision: str

    @property
    def url(self) -> str:
        """The URL of the revision's gzipped tar archive on GitHub."""
        return f"https://github.com/{self.repository}/archive/{self.revision}.tar.gz"

    @property
    def pinned(self) -> bool:
        """Whether its content cannot change."""
        return self.revision != "main"


@dataclass(frozen=True)
class Source:
    """What a benchmark is made of, and under which licence its authors give it.

    Attributes:
        name: The repository on GitHub, or what the programs were taken from by one.
        licence: Name of the licence; empty where there is none, so that all rights are reserved.
        free: Whether anybody may pass it on for any purpose, under the licence's terms.
    """

    name: str
    licence: str
    free: bool = True

    def __str__(self) -> str:
        return f"{self.name}: {self.licence or 'no licence'}"


OWN = Source("lm-eval-codemind", "MIT")


@dataclass(frozen=True)
class Benchmark:
    """A benchmark, which is built into one file.

    Attributes:
        name: The file's stem and the suffix of the tasks' names.
        title: What people call it.
        kind: The kind of all its programs; None where kinds are mixed.
        size: The number of problems the pinned revision yields, excluded ones included.
        reader: The function that reads it, or its name as ``module:function``. It gets the upstream repositories
            (:class:`~lm_eval_codemind.workshop.benchmarks.Upstream`) and returns problems whose labels are not proven
            yet. A name is imported when the benchmark is built, and not before.
        archives: The upstream repositories that it is read from; none if its data comes with its package.
        sources: What it is made of, with the licences.
        labels: How its labels come about: ``proven`` by execution, with the proof in this package; as ``published``,
            unproven, for replication; ``own``, proven where they are written; or ``none``: there is nothing to predict.
        language: The language of all its programs.
        published_as: The benchmark that holds the same problems as upstream publishes them, if there is one.
        counterpart: The benchmark that has the same problems, under the same names, in another language, if there is
            one: programs are translated into its language.
        submissions: What separates the name of a problem from that of one of several programs for it, where there are
            several. A task that needs one program a problem takes the one that has the problem's bare name.
        extends: The benchmark that has some of the same problems under the same names, if there is one.
        buggy_as: The benchmark that holds the same problems with a bug in each program, if there is one.
        slow: Problems, or classes of problems, whose own programs use between one and six seconds of processor time.
            Under the usual limit, a right program would pass on one machine and not on another.
    """

    name: str
    title: str
    kind: str | None
    size: int
    reader: str | Callable[[Any], list[Problem]]
    archives: tuple[Archive, ...] = ()
    sources: tuple[Source, ...] = (OWN,)
    labels: LabelOrigin = "proven"
    language: str = "python"
    published_as: str = ""
    counterpart: str = ""
    submissions: str = ""
    extends: str = ""
    buggy_as: str = ""
    slow: frozenset[str] = frozenset()

    def read(self, upstream: Any) -> list[Problem]:
        """Return its problems as upstream has them; their labels are not proven yet.

        Raises:
            UpstreamError: If upstream's data is missing or differs from the pinned revision.
        """
        reader = resolve_name(self.reader) if isinstance(self.reader, str) else self.reader
        problems: list[Problem] = reader(upstream)
        return problems

    @property
    def packaged(self) -> bool:
        """Whether its data comes with its package, so that nothing is downloaded."""
        return not self.archives

    @property
    def free(self) -> bool:
        """Whether anybody may pass on all of it for any purpose."""
        return all(source.free for source in self.sources)

    @property
    def labelled(self) -> bool:
        """Whether its problems have an input and an output to predict."""
        return self.labels != "none"


USERS = Benchmark("own", "Your programs", None, 0, "", sources=(Source("your programs", "", free=False),), labels="own")
"""The programs that a user names in a run. They are no benchmark of any list."""

# The loader in C is ten times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path | Traversable) -> Any:
    """Return the content of a YAML file in UTF-8."""
    return yaml.load(path.read_text(encoding="utf-8"), _LOADER)


_CONTENT = read_yaml(files(__package__).joinpath("packaged.yaml"))
ARCHIVES = {name: Archive(name, **fields) for name, fields in _CONTENT["archives"].items()}
SOURCES = {name: Source(name, **fields) for name, fields in _CONTENT["sources"].items()}


def _benchmark(name: str, fields: dict[str, Any]) -> Benchmark:
    fields = {**fields, "reader": f"lm_eval_codemind.workshop.benchmarks.{fields['reader']}"}
    for field, known in (("archives", ARCHIVES), ("sources", SOURCES)):
        if field in fields:
            fields[field] = tuple(known[each] for each in fields[field])
    return Benchmark(name, **{**fields, "slow": frozenset(fields.get("slow", ()))})


_PACKAGED = {name: _benchmark(name, fields) for name, fields in _CONTENT["benchmarks"].items()}
BENCHMARKS = tuple(_PACKAGED.values())


def benchmarks() -> Mapping[str, Benchmark]:
    """Return the benchmarks by name: this package's, and those that other packages bring."""
    return registered("benchmarks", ("lm_eval_codemind.data.catalogue:BENCHMARKS",))


def related(name: str) -> Mapping[str, Benchmark]:
    """Return the benchmarks that one may be a form of: a packaged one is a form of no other package's."""
    return _PACKAGED if name in _PACKAGED else benchmarks()


def get_benchmark(name: str) -> Benchmark:
    """Return the benchmark of that name.

    Raises:
        UserError: If there is no benchmark of that name. The message names the existing benchmarks.
    """
    if name == USERS.name:
        return USERS
    known = related(name)
    if name not in known:
        raise UserError(f"there is no benchmark {name!r}; the benchmarks are: {', '.join(known)}")
    return known[name]


@cache
def twin_of(name: str) -> str:
    """Return the benchmark that a published one is the published form of; the name itself for any other."""
    return next((one.name for one in related(name).values() if one.published_as == name), name)


def fixed_form(name: str) -> str:
    """Return the benchmark that has the correct programs of a benchmark of buggy ones; empty for any other."""
    return next((one.name for one in related(name).values() if one.buggy_as == name), "")


def same_problems(name: str) -> str:
    """Return the canonical benchmark for pooling problems: the one that this one extends, else itself."""
    known = benchmarks().get(name)
    return known.extends if known is not None and known.extends else name


def labelled_form(name: str) -> str:
    """Return the benchmark that has a benchmark's problems with inputs and their outputs: the benchmark itself, or the
    first of those that count the same problems; empty if there is none.
    """
    known = benchmarks()
    alike = [name, *(one for one in known if same_problems(one) == same_problems(name))]
    return next((one for one in alike if known[one].labels in ("proven", "own") and not fixed_form(one)), "")
