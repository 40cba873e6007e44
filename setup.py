"""The build; everything else is in setup.cfg, which cannot find packages and move a folder at once."""

import re
from pathlib import Path

from setuptools import Distribution, find_packages, setup


class WithDataFiles(Distribution):
    """A distribution whose editable installation has its data files, too: the start-up hook."""

    def has_data(self) -> bool:
        """Whether there are data files. setuptools asks under this name, which its own class lacks."""
        return bool(self.has_data_files())


def readme() -> str:
    """Return README.md with absolute links, as PyPI needs them."""
    repository = "https://github.com/lm-eval-codemind/lm-eval-codemind"
    text = Path("README.md").read_text(encoding="utf-8")
    text = re.sub(r"(!\[[^]]*\]\()(?!https?:)", rf"\1{repository}/raw/main/", text)
    return re.sub(r"(?<!!)(\[[^]]*\]\()(?!https?:|#)", rf"\1{repository}/blob/main/", text)


setup(
    long_description=readme(),
    distclass=WithDataFiles,
    packages=[*find_packages(include=["lm_eval_codemind*"]), "lm_eval_codemind.tasks"],
    package_dir={"lm_eval_codemind.tasks": "tasks"},
)
