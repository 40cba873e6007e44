"""Prompt templates: text files for Jinja, the packaged ones or a directory of the user's own."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError, TemplateNotFound

PACKAGED = Path(str(files("lm_eval_codemind.prompts"))) / "templates"


class Templates:
    """The templates of one task family: ``DIRECTORY/FAMILY/NAME.txt`` and, optionally, ``examples.yaml`` beside them.

    A family whose directory holds templates for some kinds of programs only is complete as long as no other kind is
    asked for. A language may have a subfolder of its own, with the templates and worked examples of its kinds:
    ``DIRECTORY/FAMILY/LANGUAGE/NAME.txt``, asked for as ``LANGUAGE/NAME``. Nothing is taken from the packaged templates
    instead, except the worked examples where there is no ``examples.yaml``.
    """

    def __init__(self, family: str, directory: str | Path | None = None, packaged: Path = PACKAGED) -> None:
        """Open the templates of a family.

        Args:
            family: Name of the family's subdirectory, such as ``ier``.
            directory: Holds a subdirectory for the family; None for the packaged templates.
            packaged: Where those are.

        Raises:
            ValueError: if there is no such subdirectory.
        """
        root = packaged if directory is None else Path(directory).expanduser()
        self.packaged = directory is None
        self._packaged = packaged
        self.directory = root / family
        if not self.directory.is_dir():
            raise ValueError(
                f"no prompts at {self.directory}: a directory given as prompts=DIR needs a subdirectory {family!r}; "
                f"start from a copy of {packaged / family}"
            )
        examples = self.directory / "examples.yaml"
        self._examples = examples if examples.is_file() else packaged / family / "examples.yaml"
        self._environment = Environment(
            loader=FileSystemLoader(self.directory),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
        )

    def render(self, name: str, **variables: Any) -> str:
        """Return the text of ``NAME.txt`` with the variables filled in, without white space at its end.

        Raises:
            ValueError: naming the file, if it does not exist, is no template or asks for an unknown variable.
        """
        path = self.directory / f"{name}.txt"
        try:
            return self._environment.get_template(f"{name}.txt").render(**variables).rstrip()
        except TemplateNotFound as error:
            raise ValueError(f"no template {error.name} in {self.directory}; start from {self._packaged}") from error
        except TemplateError as error:
            raise ValueError(f"{path}: {error.message}; the variables are {', '.join(sorted(variables))}") from error

    def examples(self) -> dict[str, Any]:
        """Return the worked examples by the name of their template, as the YAML files have them."""
        examples = _examples(self._examples)
        for path in sorted(self._examples.parent.glob("*/examples.yaml")):
            examples.update({f"{path.parent.name}/{kind}": example for kind, example in _examples(path).items()})
        return examples

    def digest(self, language: str = "") -> str:
        """Return the SHA-256 digest of the names and contents of all files that the family's prompts are made from.

        Args:
            language: The programs' language, whose own folder counts as well, if there is one.
        """
        digest = hashlib.sha256()
        own = self.directory / language
        files = [(path.name, path) for path in [*sorted(self.directory.glob("*.txt")), self._examples]]
        if language and own.is_dir():
            files += [(f"{language}/{path.name}", path) for path in sorted(own.iterdir())]
        for name, path in files:
            content = path.read_bytes()
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
        return digest.hexdigest()


def _examples(path: Path) -> dict[str, Any]:
    examples = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(examples, dict):
        raise ValueError(f"{path}: no mapping of kinds of programs to worked examples")
    return examples
