"""``codemind results``: a page with what recorded responses of published studies give here."""

import dataclasses
import hashlib
import json
import logging
from pathlib import Path
from typing import Any

import click

from lm_eval_codemind.commands import DIRECTORY, NEW_DIRECTORY, count

logger = logging.getLogger(__name__)


@click.command("results")
@click.argument("recorded", type=DIRECTORY)
@click.option(
    "-o",
    "--output_path",
    required=True,
    type=NEW_DIRECTORY,
    help="Directory for results.md and for the harness's results and samples.",
)
def command(recorded: Path, output_path: Path) -> None:
    """Score recorded responses of published studies.

    RECORDED is a directory with recordings. The page results.md compares published and new scores.

    Each file is scored on all tasks that it serves. Its name says which study and model it is of, such as
    `ier_MODEL.jsonl.gz`; docs/replication.md lists the names. A file that cannot be scored is named on the page. Files
    that were scored before into the same directory are not scored again.
    """
    from lm_eval_codemind import __version__
    from lm_eval_codemind.files import write_whole
    from lm_eval_codemind.studies.recordings import Result, model_of, page, read_manifest, score

    logging.basicConfig(format="%(asctime)s %(message)s")
    logging.getLogger("lm_eval_codemind").setLevel(logging.INFO)
    studies, others = read_manifest()
    cache_file = output_path / "results.json"
    cache: dict[str, Any] = json.loads(cache_file.read_text(encoding="utf-8")) if cache_file.is_file() else {}
    results: list[Result] = []
    left_out: dict[str, str] = {}
    files = sorted(path for path in recorded.iterdir() if path.name.endswith((".jsonl", ".jsonl.gz")))
    for number, path in enumerate(files, start=1):
        logger.info("%d of %d: %s", number, len(files), path.name)
        served = [(study, model) for study in studies if (model := model_of(path.name, study.files))]
        if not served:
            reasons = (reason for pattern, reason in others.items() if model_of(path.name, pattern) is not None)
            left_out[path.name] = next(reasons, "no study has files with such a name")
            continue
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        for part, (study, model) in enumerate(served):
            content = json.dumps([digest, __version__, dataclasses.asdict(study)])
            key = f"{path.name} {hashlib.sha256(content.encode()).hexdigest()}"
            if key not in cache:
                try:
                    scored = score(path, study, model, output_path / path.name.partition(".jsonl")[0] / str(part))
                except (Exception, SystemExit) as error:
                    logger.exception("%s is not scored", path.name)
                    reason = f"{study.title}: {type(error).__name__}: {error}"
                    left_out[path.name] = "; ".join([*filter(None, [left_out.get(path.name)]), reason])
                    continue
                cache[key] = [dataclasses.asdict(result) for result in scored]
                write_whole(cache_file, json.dumps(cache, indent=1) + "\n")
            results += [Result(**values) for values in cache[key]]
        write_whole(output_path / "results.md", page(results, studies, left_out))
    if not files:
        raise click.ClickException(f"{recorded}: no recordings (*.jsonl or *.jsonl.gz) in it")
    write_whole(output_path / "results.md", page(results, studies, left_out))
    click.echo(f"{output_path / 'results.md'}: {count(len(files), 'file')}, {len(left_out)} of them not scored")
