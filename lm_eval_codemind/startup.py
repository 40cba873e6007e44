"""The start-up hook: lm-evaluation-harness finds this suite's tasks next to its own.

``lm_eval_codemind.pth`` imports this module at every start of Python, so it must be small and import nothing. It adds a
finder to ``sys.meta_path``. The finder waits for the import of the harness's task manager, extends it and removes
itself. ``CODEMIND_STARTUP_HOOK=0`` in the environment switches the hook off. From Python 3.15 on (PEP 829),
``lm_eval_codemind.start`` takes the place of the ``.pth`` file.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

MODULE = "lm_eval.tasks.manager"


class TaskManagerFinder:
    """A finder that extends the harness's ``TaskManager`` when its module is imported."""

    @classmethod
    def find_spec(cls, name: str, path: "Any" = None, target: "ModuleType | None" = None) -> "ModuleSpec | None":
        """Return the spec that the other finders give, with a loader that also extends ``TaskManager``."""
        if name != MODULE:
            return None
        specs = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not cls)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_extend(module: "ModuleType") -> None:
                execute(module)
                sys.meta_path.remove(cls)
                from lm_eval_codemind.harness.location import include_our_tasks
                from lm_eval_codemind.harness.preflight import check_before_loading

                include_our_tasks(module.TaskManager)
                check_before_loading()

            spec.loader.exec_module = execute_and_extend  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, TaskManagerFinder)


def unless_switched_off() -> None:
    """Remove the finder if the user switched the hook off. ``lm_eval_codemind.start`` calls this after the import."""
    import os

    if os.environ.get("CODEMIND_STARTUP_HOOK") == "0":
        sys.meta_path.remove(TaskManagerFinder)
