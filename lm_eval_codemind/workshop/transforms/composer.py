"""C to C+: draws rules and sites by a seed, and follows a recipe that was drawn before."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from lm_eval_codemind.problems import digest
from lm_eval_codemind.workshop.transforms import dependencies, library, renaming, structure
from lm_eval_codemind.workshop.transforms.program import Program
from lm_eval_codemind.workshop.transforms.rule import Rule

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        structure.AlwaysTrueGuard(),
        structure.SingleTripFor(),
        structure.SingleTripWhile(),
        structure.LoopToRecursion(),
        structure.TryExcept(),
        structure.RunInThread(),
        *library.DISCARDED_CALLS,
        library.NumpyBuiltin(),
        dependencies.ExtractAssignment(),
        dependencies.ExtractReturn(),
        dependencies.PassThroughDecorator(),
        dependencies.BoxAndIndex(),
        dependencies.ExpandAugmentedAssignment(),
        renaming.RenameVariable(),
        renaming.RenameFunction(),
    )
}
"""The twenty rules by name, in the order of the paper's groups."""
GROUPS = tuple(dict.fromkeys(rule.group for rule in RULES.values()))

# The paper's C+ has 34.04 lines more than its C on average. The goal is drawn evenly around that; programs end a
# little above their goal, since a rule adds several lines at once, unless they run out of sites before it.
LEAST_GROWTH, MOST_GROWTH = 24, 42

Step = tuple[str, int]


@dataclass(frozen=True)
class Transformation:
    """A program C+ and how it was made.

    Attributes:
        seed: What the rules, the sites and the numbers and names in them were drawn by.
        steps: Rules, and of the sites each had at that point, the index of the one that was taken.
        code: The text of C+.
    """

    seed: str
    steps: tuple[Step, ...]
    code: str

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules in the order of their application."""
        return tuple(name for name, _ in self.steps)

    @property
    def digest(self) -> str:
        """The SHA-256 digest of C+, in hexadecimal."""
        return digest(self.code.encode("utf-8", "surrogatepass"))


class RecipeError(ValueError):
    """A recipe that does not fit the program: another C, other rules, or another digest."""


def compose(program: Program, seed: str, *, rules: Collection[str] = RULES) -> Transformation:
    """Transform a program: apply rules at drawn sites until it has grown as much as was drawn, or no site is left.

    Args:
        program: The program; its tree is changed in place.
        seed: Same seed, same bytes, whatever the platform and the Python version.
        rules: Names of the rules to draw from; all by default.

    Raises:
        UnsupportedSyntaxError: If the program has an f-string that Python 3.11 cannot read.
    """
    rng = _random(seed)
    available = [rule for name, rule in RULES.items() if name in rules]
    before = _lines(program.code)
    goal = before + rng.randrange(LEAST_GROWTH, MOST_GROWTH + 1)
    steps: list[Step] = []
    uses: Counter[str] = Counter()
    open_rules = list(available)
    while open_rules and _lines(program.code) < goal:
        # A rule that was applied before comes up a quarter as often.
        rule = rng.choice([rule for rule in open_rules for _ in range(1 if uses[rule.name] else 4)])
        sites = rule.sites(program)
        if not sites or uses[rule.name] >= rule.limit:
            open_rules.remove(rule)
            continue
        site = rng.randrange(len(sites))
        _apply(program, rule, sites, seed, steps, site)
        uses[rule.name] += 1
        # A rule may have found new sites in what another one added.
        open_rules = [other for other in available if uses[other.name] < other.limit]
    return Transformation(seed, tuple(steps), program.code)


def recreate(program: Program, seed: str, steps: Iterable[Step]) -> Transformation:
    """Follow a recipe: apply its rules at its sites, without executing anything.

    Raises:
        RecipeError: If a rule is unknown or a site does not exist, because the program or the rules are not those the
            recipe was made for.
    """
    done: list[Step] = []
    for name, site in steps:
        rule = RULES.get(name)
        if rule is None:
            raise RecipeError(f"there is no rule {name!r}; the recipe was made by another version of this package")
        sites = rule.sites(program)
        if site >= len(sites):
            here = f"{len(sites)} here; use this program's recipe"
            raise RecipeError(f"step {len(done)} wants site {site} of rule {name!r}, which has {here}")
        _apply(program, rule, sites, seed, done, site)
    return Transformation(seed, tuple(done), program.code)


def compose_verified(
    make: Callable[[], Program],
    seed: str,
    differs: Callable[[str], bool],
    *,
    dropped: Callable[[str, str], None],
    rules: Collection[str] = RULES,
) -> Transformation:
    """Transform a program, leaving out every rule that turns out to change what it does.

    Args:
        make: Returns the program afresh.
        seed: As for :func:`compose`.
        differs: Returns True if a candidate C+ behaves unlike C. It is asked about the whole, and only if that differs
            about the steps on the way, to find the one to blame.
        dropped: Called with the name of a rule to blame and the first program that differed.
        rules: As for :func:`compose`.
    """
    allowed = set(rules)
    while True:
        result = compose(make(), seed, rules=allowed)
        if not result.steps or not differs(result.code):
            return result
        culprit, code = _culprit(make, result, differs)
        dropped(culprit, code)
        allowed.discard(culprit)


def _culprit(make: Callable[[], Program], result: Transformation, differs: Callable[[str], bool]) -> tuple[str, str]:
    """Return the rule of the first step after which the program differs, and the program."""
    low, high = 0, len(result.steps)
    # Invariant: after `low` steps it does not differ, after `high` it does.
    code = result.code
    while high - low > 1:
        middle = (low + high) // 2
        partial = recreate(make(), result.seed, result.steps[:middle]).code
        if differs(partial):
            high, code = middle, partial
        else:
            low = middle
    return result.steps[high - 1][0], code


def _apply(program: Program, rule: Rule, sites: Sequence[object], seed: str, steps: list[Step], site: int) -> None:
    rule.apply(program, sites[site], _random(f"{seed}/{len(steps)}/{rule.name}/{site}"))
    program.changed()
    steps.append((rule.name, site))


def _random(seed: str) -> Random:
    """Return a generator that depends on the text alone; Python's own hash of it would differ from run to run."""
    return Random(int.from_bytes(hashlib.sha256(seed.encode()).digest(), "big"))


def _lines(code: str) -> int:
    return sum(1 for line in code.splitlines() if line.strip())
