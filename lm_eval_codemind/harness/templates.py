"""Prompt templates: Jinja text files, either the packaged ones or those in a directory of the user."""

import hashlib
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError, TemplateNotFound

from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.errors import UserError


class Templates:
    """The templates of one family: ``NAME.txt`` and, optionally, ``examples.yaml`` in the same folder.

    A folder needs templates only for the kinds of programs that the run asks about. A language may have a subfolder
    with the templates and few-shot examples of its kinds. The template ``LANGUAGE/NAME`` is the file
    ``LANGUAGE/NAME.txt``. The packaged few-shot examples are used if there is no ``examples.yaml``.
    A missing template is an error; it is never replaced by the packaged one.
    """

    def __init__(self, packaged: Path, directory: str | Path | None = None) -> None:
        """Open the templates of a family.

        Args:
            packaged: The packaged templates: the folder ``templates`` in the folder of the family.
            directory: A directory with a subdirectory for the family, named like its folder, such as ``ier``; None for
                the packaged templates.

        Raises:
            UserError: If the directory has no such subdirectory.
        """
        family = packaged.parent.name
        self.packaged = directory is None
        self._packaged = packaged
        self.directory = packaged if directory is None else Path(directory).expanduser() / family
        if not self.directory.is_dir():
            raise UserError(
                f"no prompts at {self.directory}: a directory given as prompts=DIR needs a subdirectory {family!r}; "
                f"start from a copy of {packaged}"
            )
        examples = self.directory / "examples.yaml"
        self._examples = examples if examples.is_file() else packaged / "examples.yaml"
        self._environment = Environment(
            loader=FileSystemLoader(self.directory),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
        )

    def render(self, name: str, **variables: Any) -> str:
        """Return the text of ``NAME.txt`` with the variables filled in, without the file's last line feed.

        Raises:
            UserError: If the file does not exist, is malformed or uses an unknown variable.
        """
        path = self.directory / f"{name}.txt"
        try:
            return self._environment.get_template(f"{name}.txt").render(**variables)
        except TemplateNotFound as error:
            raise UserError(f"no template {error.name} in {self.directory}; start from {self._packaged}") from error
        except UnicodeDecodeError as error:
            raise UserError(f"{path} isn't UTF-8 text: {error}; save it as UTF-8") from error
        except TemplateError as error:
            raise UserError(f"{path}: {error.message}; the variables are {', '.join(sorted(variables))}") from error

    def examples(self) -> dict[str, Any]:
        """Return the few-shot examples of the YAML files; the keys are names of templates."""
        examples = _examples(self._examples)
        for path in sorted(self._examples.parent.glob("*/examples.yaml")):
            examples.update({f"{path.parent.name}/{kind}": example for kind, example in _examples(path).items()})
        return examples

    def digest(self, language: str = "") -> str:
        """Return the SHA-256 digest of the names and contents of all files behind the prompts of a language."""
        digest = hashlib.sha256()
        own = self.directory / language
        files = [(path.name, path) for path in [*sorted(self.directory.glob("*.txt")), self._examples]]
        if language and own.is_dir():
            files += [(f"{language}/{path.name}", path) for path in sorted(own.iterdir())]
        for name, path in files:
            content = path.read_bytes()
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
        return digest.hexdigest()


def numbered(code: str) -> str:
    """Return a program with the number of each line in front of it."""
    lines = code.rstrip("\n").split("\n")
    width = len(str(len(lines)))
    return "\n".join(f"{number:>{width}}  {line}".rstrip() for number, line in enumerate(lines, start=1))


def _examples(path: Path) -> dict[str, Any]:
    try:
        examples = read_yaml(path)
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"{path}: not YAML ({' '.join(str(error).split())}); fix it first") from error
    if not isinstance(examples, dict):
        raise UserError(f"{path}: must map kinds of programs to few-shot examples")
    return examples
