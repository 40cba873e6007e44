"""The cache of responses behind ``--use_cache``: one file for each model, and each of several responses to a prompt.

The harness's own cache identifies a response by prompt and options. It returns one response for all repeats of a
request, keeps none that is sampled, and does not know one model from another.
"""

import hashlib
import pickle
import re
import sqlite3
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.harness.models import checks_the_suite
from lm_eval_codemind.harness.stages import model_identity

_METHODS = ("generate_until", "loglikelihood", "loglikelihood_rolling")

# Of --model_args: what the harness's models use to reach a model and to run it, which does not change a response.
HARMLESS = (
    *("base_url", "header", "auth_token", "verify_certificate", "ca_cert_path", "timeout", "max_retries"),
    *("num_concurrent", "batch_size", "max_batch_size", "max_num_seqs", "device", "devices", "num_nodes"),
    *("tensor_parallel_size", "data_parallel_size", "pipeline_parallel_size", "tp_size", "dp_size", "tp_degree"),
    *("parallelize", "tp_plan", "max_memory_per_gpu", "max_cpu_memory", "offload_folder", "low_cpu_mem_usage"),
    *("gpu_memory_utilization", "mem_fraction_static", "logits_cache"),
)
# The harness's default for --seed.
_SEEDS = [0, 1234, 1234, 1234]


class ResponseCache:
    """A model of the harness that asks another one only for what is not in a file, in place of its ``CachingLM``.

    Each response is written as soon as the model hands it over; failed ones are not. The n-th request with the same
    prompt and options gets the n-th response to it, also in a later run. The file has the form of the harness's own
    cache, which holds the first response to each prompt.
    """

    def __init__(self, lm: Any, cache_db: str) -> None:
        """Open the file, which is made if it is not there.

        Raises:
            UserError: If it is not such a file or cannot be written.
        """
        self.lm, self.cache_db = lm, cache_db
        self._database = opened(Path(cache_db))
        # Hash of a prompt and its options -> the keys of responses to it that the model was asked for.
        self._asked: dict[str, deque[str]] = defaultdict(deque)
        # Hash of a prompt alone -> the hashes with its options.
        self._of_prompt: dict[str, set[str]] = defaultdict(set)
        lm.set_cache_hook(SimpleNamespace(dbdict=self, add_partial=self._add_partial))

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.lm, name)
        return partial(self._responses, name) if name in _METHODS else attribute

    def _responses(self, method: str, requests: Sequence[Any], **options: Any) -> list[Any]:
        from lm_eval.api.model import hash_args

        hashes = [hash_args(method, request.args) for request in requests]
        keys = list(_numbered(hashes))
        responses = [self._read(key) for key in keys]
        missing = [place for place, response in enumerate(responses) if response is None]
        self._asked.clear()
        self._of_prompt.clear()
        for place in missing:
            self._asked[hashes[place]].append(keys[place])
            self._of_prompt[hash_args(method, requests[place].args[:1])].add(hashes[place])
        if missing:
            new = getattr(self.lm, method)([requests[place] for place in missing], **options)
            for place, response in zip(missing, new, strict=True):
                responses[place] = response
            # The model may have handed over responses to the same prompt in another order.
            self._write((keys[place], responses[place]) for place in missing)
        return responses

    def _add_partial(self, method: str, arguments: Sequence[Any], response: Any) -> None:
        """Keep a response that the model hands over: the next one to its prompt.

        Some models name other options than they were asked with, such as vLLM, which completes them. Then the prompt
        tells which response it is, if it was asked with the same options only.
        """
        from lm_eval.api.model import hash_args

        one = hash_args(method, arguments)
        same_prompt = self._of_prompt.get(hash_args(method, arguments[:1]), set())
        if one not in self._asked and len(same_prompt) == 1:
            (one,) = same_prompt
        if asked := self._asked.get(one):
            self._write([(asked.popleft(), response)])

    def _read(self, key: str) -> Any:
        row = self._database.execute("SELECT value FROM unnamed WHERE key = ?", (key,)).fetchone()
        response = None if row is None else pickle.loads(row[0])
        # Earlier releases kept failed ones.
        return None if getattr(response, "failed", False) else response

    def _write(self, pairs: Iterable[tuple[str, Any]]) -> None:
        rows = [
            (key, sqlite3.Binary(pickle.dumps(response, protocol=pickle.HIGHEST_PROTOCOL)))
            for key, response in pairs
            if not getattr(response, "failed", False)
        ]
        try:
            with self._database:
                self._database.executemany("REPLACE INTO unnamed (key, value) VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            # A model for APIs tries a request again after any other exception.
            raise SystemExit(
                f"Error: {self.cache_db}: a response cannot be kept ({error}), and the run ends; make room, and start "
                "it again with the same arguments: the responses so far are not asked for again"
            ) from error


def _numbered(hashes: Iterable[str]) -> Iterable[str]:
    """Yield the key of each response: the harness's own hash for the first response to a prompt, then numbered ones."""
    seen: Counter[str] = Counter()
    for one in hashes:
        yield f"{one}-{seen[one]}" if seen[one] else one
        seen[one] += 1


def opened(file: Path) -> sqlite3.Connection:
    """Return a connection to a cache of responses, which is made if it is not there.

    Raises:
        UserError: If the file is another one or damaged, or cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(file, check_same_thread=False, timeout=60)
        # What a process has written stays if it ends; only a machine that stops may lose some.
        database.execute("PRAGMA synchronous = OFF")
        with database:
            database.execute("CREATE TABLE IF NOT EXISTS unnamed (key TEXT PRIMARY KEY, value BLOB)")
            database.execute("SELECT key, value FROM unnamed LIMIT 1")
        return database
    except (sqlite3.OperationalError, OSError) as error:
        raise UserError(f"{file}: cannot be written ({error}); choose another --use_cache") from error
    except sqlite3.DatabaseError as error:
        raise UserError(f"{file}: no cache of responses ({error}); choose another --use_cache") from error


def own_cache() -> Any:
    """Return a patch by which the harness uses this cache for ``--use_cache``."""
    import lm_eval.api.model

    return patch.object(lm_eval.api.model, "CachingLM", ResponseCache)


def path_for_model(config: Any) -> str | None:
    """Return the path for ``--use_cache``: a separate one for each model and all that may change its responses.

    A model that checks the suite has none: its responses depend on files and documents.

    Args:
        config: The harness's ``EvaluatorConfig``.
    """
    if checks_the_suite(config.model):
        return None
    identity = model_identity({"config": {"model_args": config.model_args}})
    arguments = config.model_args or {}
    beside = {name: str(arguments[name]) for name in sorted(arguments.keys() - identity.keys() - {*HARMLESS})}
    if list(config.seed or _SEEDS) != _SEEDS:
        beside["--seed"] = str(config.seed)
    name = re.sub(r"[^\w.-]+", "_", "-".join(identity.values()) or config.model)[-60:]
    # Without anything beside it, as in earlier releases.
    whole = (config.model, identity, beside) if beside else (config.model, identity)
    return f"{config.use_cache}-{name}-{hashlib.sha256(repr(whole).encode()).hexdigest()[:8]}"
