"""The runtime for Python: a sandbox on this machine, or one on each node of a Ray cluster."""

import os

from .runtimes import Runtime
from .sandbox import Sandbox

EXECUTOR_VARIABLE = "CODEMIND_EXECUTOR"


class _Python(Runtime):
    name = "python"

    def sandbox(self, workers: int | None = None, hash_seed: int = 0) -> Sandbox:
        return Sandbox(workers=workers, hash_seed=hash_seed)

    def shared_sandbox(self) -> Sandbox:
        executor = os.environ.get(EXECUTOR_VARIABLE, "local") or "local"
        if executor not in ("local", "ray"):
            raise ValueError(f"{EXECUTOR_VARIABLE} is {executor!r}, and must be local or ray")
        if executor == "local":
            return self.sandbox()
        from .ray_sandbox import RaySandbox

        return RaySandbox()


PYTHON = _Python()
