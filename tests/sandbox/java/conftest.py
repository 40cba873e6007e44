"""Sandboxes for Java at each level this machine gives."""

from collections.abc import Iterator

import pytest

from lm_eval_codemind.sandbox.java import jdk
from lm_eval_codemind.sandbox.java.sandbox import JavaSandbox


@pytest.fixture(scope="module")
def sandbox_at(level: str, java: jdk.Jdk) -> Iterator[JavaSandbox]:
    """A sandbox at each level."""
    with JavaSandbox(workers=3, isolation=level) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def sandbox(java: jdk.Jdk) -> Iterator[JavaSandbox]:
    """A sandbox at the strongest level."""
    with JavaSandbox(workers=2) as sandbox:
        yield sandbox
