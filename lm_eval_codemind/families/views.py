"""The views of results: what a results file says about the tasks of each family.

What results say is independent of the family: they ask its view. A family of another package names the class of its
view in its variants.
"""

from collections.abc import Mapping
from functools import cache
from pkgutil import resolve_name

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families import families
from lm_eval_codemind.families.view import View
from lm_eval_codemind.family import Family
from lm_eval_codemind.samples import TaskRun


def views() -> Mapping[str, View]:
    """Return the view of every variant by name, in the order in which results show them.

    The usual variants come first, in the order of the families, then the others.

    Raises:
        UserError: If two families have a variant of the same name, or a variant names a class that is not there.
    """
    return _views(tuple(families().values()))


@cache
def _views(registered: tuple[Family, ...]) -> Mapping[str, View]:
    every = [(family, variant) for family in registered for variant in family.variants]
    by_name: dict[str, View] = {}
    for family, variant in sorted(every, key=lambda one: one[1] is not one[0].variants[0]):
        if variant.name in by_name:
            raise UserError(
                f"the families {by_name[variant.name].family.name!r} and {family.name!r} both have a variant "
                f"{variant.name!r}; rename one, or uninstall the package that brings it"
            )
        try:
            by_name[variant.name] = resolve_name(variant.view)(family, variant)
        except (ImportError, AttributeError, ValueError) as error:
            raise UserError(
                f"the variant {variant.name!r} of family {family.name!r} names the view {variant.view!r}, which cannot "
                f"be imported ({error}); write it as 'module:Class'"
            ) from error
    return by_name


def view_of(task: TaskRun) -> View | None:
    """Return the view of a task's results by the variant that they record; None if that is not known."""
    return views().get(str(task.suite.get("family")))


def short_name(task: TaskRun, view: View) -> str:
    """Return a task's name within its variant: the rest of the task's name, or else its benchmark."""
    rest = task.task.removeprefix(f"codemind_{view.name}_")
    return rest if rest != task.task else str(task.suite.get("benchmark") or task.task)
