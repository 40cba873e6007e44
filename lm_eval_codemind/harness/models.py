"""Models for the harness that check the suite itself: replay, oracle and null."""

# Name for --model -> class, in the form of the entry points of the group lm_eval.models.
MODELS = {
    "codemind-replay": "lm_eval_codemind.harness.replay:ReplayLM",
    "codemind-oracle": "lm_eval_codemind.harness.reference:OracleLM",
    "codemind-null": "lm_eval_codemind.harness.reference:NullLM",
}


def checks_the_suite(name: str) -> bool:
    """Whether a result file's ``config.model`` is one of these models: by its name, or by that of its class."""
    return name in MODELS or name in {target.partition(":")[2] for target in MODELS.values()}


def replays(name: str) -> bool:
    """Whether it is the replaying one, whose responses are those of another model."""
    return name in ("codemind-replay", MODELS["codemind-replay"].partition(":")[2])


def register() -> None:
    """Make the models known to the harness of this process.

    Releases of the harness that read entry points know them already; then nothing is done.
    """
    # The harness registers its own models only while the registry is empty, so they must be there before ours.
    import lm_eval.models  # noqa: F401
    from lm_eval.api.registry import model_registry

    for name, target in MODELS.items():
        if name not in model_registry:
            model_registry.register(name, target=target)
