"""Print the digests of parts of upstream's archives that differ: ``python utils/prove/part_digests.py DIR``.

DIR is a directory for ``--upstream``, with the archives or checkouts. Only the real files give a digest: no other value
may stand in ``parts.yaml`` or in a study.
"""

import sys
from pathlib import Path

from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.benchmarks.upstream import PARTS, digest_files
from lm_eval_codemind.studies.re2 import data as re2
from lm_eval_codemind.studies.traces import ces_data, coconut_data

OF_STUDIES = {
    "re2": re2.PART,
    "ces": ces_data.PART,
    "ces_prompts": ces_data.PROMPTS,
    "coconut": coconut_data.PART,
    "coconut_prompts": coconut_data.PROMPTS,
}


def main() -> None:
    """Print the name and the digest of each part that differs."""
    upstream = Upstream(Path(sys.argv[1]))
    for name, part in {**PARTS, **OF_STUDIES}.items():
        files = upstream._read(part)
        digest = digest_files(files)
        if digest != part.digest:
            print(f"{name}: {digest} ({len(files)} files)")


if __name__ == "__main__":
    main()
