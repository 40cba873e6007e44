"""Benchmarks, families and languages that this and other packages register."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from lm_eval_codemind.errors import UserError


@cache
def registered(group: str, packaged: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the objects of a group by name: those of this package first, then those of other packages.

    Other packages register objects with the entry points ``lm_eval_codemind.GROUP``. Each entry point is one object,
    or a tuple of several.

    Args:
        group: ``benchmarks``, ``families`` or ``languages``.
        packaged: This package's own objects, as ``module:attribute``.

    Raises:
        UserError: If two objects have the same name.
    """
    points: dict[str, Any] = {}
    own = [getattr(import_module(module), name) for module, name in (place.split(":") for place in packaged)]
    others = [point.load() for point in entry_points(group=f"lm_eval_codemind.{group}")]
    for loaded in (*own, *others):
        for one in loaded if isinstance(loaded, tuple) else (loaded,):
            if one.name in points:
                raise UserError(f"there are two {group} named {one.name!r}; uninstall the package that brings one")
            points[one.name] = one
    return points
