"""Compute the digests that ``parts.yaml`` and the studies pin: ``python utils/prove/digest_parts.py UPSTREAM``.

UPSTREAM holds checkouts or archives of upstream's repositories. Prints a line for each part, and ends with status 1 if
a digest is not the pinned one.
"""

from pathlib import Path

import click

from lm_eval_codemind.studies.re2.data import PART as RE2
from lm_eval_codemind.studies.traces import ces_data, coconut_data
from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.benchmarks.upstream import PARTS, digest_files

PINNED = {
    **PARTS,
    "re2": RE2,
    "ces": ces_data.PART,
    "ces_prompts": ces_data.PROMPTS,
    "coconut": coconut_data.PART,
    "coconut_prompts": coconut_data.PROMPTS,
}


@click.command()
@click.argument("directory", metavar="UPSTREAM", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(directory: Path) -> None:
    """Print the digests."""
    upstream = Upstream(directory)
    digests = {name: digest_files(upstream.unchecked(part)) for name, part in PINNED.items()}
    for name, digest in digests.items():
        click.echo(f"{name}: {digest}{'' if digest == PINNED[name].digest else f', pinned is {PINNED[name].digest}'}")
    if any(digest != PINNED[name].digest for name, digest in digests.items()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
