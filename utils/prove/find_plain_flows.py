"""Find the loops and branches of RE2-Bench that a rule answers, and write ``studies/re2/facts/plain.json``.

    python utils/prove/find_plain_flows.py

The rules are those of :mod:`baselines` on the syntax tree and the input, also the rules that know the length of the
right answer. Constant answers do not count.
"""

from __future__ import annotations

import click

from baselines import FAMILIES, documents_of, policies
from lm_eval_codemind.studies.re2.task import FACTS, compared
from ship import save


@click.command()
def main() -> None:
    """Write task -> problems."""
    plain = {}
    for task in ("loop", "branch"):
        documents = documents_of(FAMILIES[f"re2_{task}"], "re2")
        rules = policies(documents, f"re2_{task}", 0).values()
        plain[task] = sorted(
            document["problem_id"]
            for document in documents
            if any(all(place is None for *_, place in compared(document, task, rule(document))) for rule in rules)
        )
        easy = {document["problem_id"] for document in documents if document["difficulty"] == "easy"}
        click.echo(f"{task}: {len(plain[task])} of {len(documents)}, of the easy ones {len(easy & set(plain[task]))}")
    save("plain.json", plain, folder=FACTS)


if __name__ == "__main__":
    main()
