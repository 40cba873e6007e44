"""No document is longer than a model can read and answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from lm_eval_codemind.data.build import DATA_VARIABLE
from lm_eval_codemind.families import dsr, ier, sr

LONGEST = 16_000
LABELLED = ("humaneval", "cruxeval", "classeval", "avatar")


@pytest.mark.upstream
def test_no_document_is_beyond_the_limit(built_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    made = {(name, "ier"): ier.dataset(benchmark=name, setting="steps") for name in LABELLED}
    made |= {(name, "dsr"): dsr.dataset(benchmark=name) for name in LABELLED}
    settings = (sr.NO_TEST, sr.WITH_TEST, sr.MISLEADING)
    made |= {(name, "sr"): sr.dataset(benchmark=name, settings=settings) for name in ("humaneval", "mbpp")}
    for which, splits in made.items():
        documents = splits["test"]
        assert len(documents) > 0
        for row in documents:
            assert len(row["prompt"]) + len(row["target"]) <= LONGEST, (which, row["problem_id"])
