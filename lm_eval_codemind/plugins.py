"""Benchmarks, families and languages that this and other packages register."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from lm_eval_codemind.errors import UserError


@cache
def loaded(group: str) -> tuple[Any, ...]:
    """Return what all packages name in the entry points ``lm_eval_codemind.GROUP``. They are looked for once."""
    return tuple(point.load() for point in entry_points(group=f"lm_eval_codemind.{group}"))


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
    for brought in (*own, *loaded(group)):
        for one in brought if isinstance(brought, tuple) else (brought,):
            if one.name in points:
                raise UserError(f"there are two {group} named {one.name!r}; uninstall the package that brings one")
            points[one.name] = one
    return points
