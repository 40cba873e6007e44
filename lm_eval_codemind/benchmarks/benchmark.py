"""What a benchmark is: its name, its programs, where they come from and how their labels come about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from lm_eval_codemind.benchmarks.archives import Archive, ArchivePart
from lm_eval_codemind.benchmarks.licences import OWN, Source
from lm_eval_codemind.benchmarks.upstream import Upstream
from lm_eval_codemind.problems import Problem

LabelOrigin = Literal["proven", "published", "own", "none"]


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as it is built into one file: one object a benchmark, in the module that reads it.

    Attributes:
        name: The file's stem and the suffix of the tasks' names.
        title: What people call it.
        kind: The kind of all its programs; None where kinds are mixed.
        size: The number of problems the pinned revision yields, excluded ones included.
        read: Upstream's files -> problems whose labels are not proven yet.
        parts: The parts of upstream's repositories that it is read from; empty for a packaged one.
        sources: What it is made of, with the licences.
        labels: How its labels come about: ``proven`` by execution, with the proof in this package; as ``published``,
            unproven, for replication; ``own``, proven where they are written; or ``none``: there is nothing to predict.
        language: The language of all its programs.
        published_as: The benchmark that holds the same problems as upstream publishes them, if there is one.
        counterpart: The benchmark that has the same problems, under the same names, in another language, if there is
            one: programs are translated into its language.
        submissions: What parts the name of a problem from that of one of several programs for it, where there are
            several. What wants one program a problem takes the one that has the problem's bare name.
        extends: The benchmark that has some of the same problems under the same names, if there is one.
        buggy_as: The benchmark that holds the same problems with a bug in each program, if there is one.
        slow: Problems, or classes of problems, whose own programs use between one and six seconds of processor time:
            near the usual limit, what is right would pass on one machine and not on another.
    """

    name: str
    title: str
    kind: str | None
    size: int
    read: Callable[[Upstream], list[Problem]]
    parts: tuple[ArchivePart, ...] = ()
    sources: tuple[Source, ...] = (OWN,)
    labels: LabelOrigin = "proven"
    language: str = "python"
    published_as: str = ""
    counterpart: str = ""
    submissions: str = ""
    extends: str = ""
    buggy_as: str = ""
    slow: frozenset[str] = frozenset()

    @property
    def packaged(self) -> bool:
        """Whether its data comes with the package, so that nothing needs to be downloaded."""
        return not self.parts

    @property
    def free(self) -> bool:
        """Whether anybody may pass on all of it for any purpose."""
        return all(source.free for source in self.sources)

    @property
    def labelled(self) -> bool:
        """Whether its problems have an input and an output to predict."""
        return self.labels != "none"

    @property
    def archives(self) -> tuple[Archive, ...]:
        """The repositories that it is read from."""
        return tuple(dict.fromkeys(part.archive for part in self.parts))
