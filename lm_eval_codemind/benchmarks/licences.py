"""What the benchmarks are made of, and under which licences their authors give it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """What a benchmark is made of, and under which licence its authors give it.

    Attributes:
        name: The repository on GitHub, or what the programs were taken from by one.
        licence: Name of the licence; empty where there is none, so that all rights are reserved.
        free: Whether anybody may pass it on for any purpose, under the licence's terms.
    """

    name: str
    licence: str
    free: bool = True

    def __str__(self) -> str:
        return f"{self.name}: {self.licence or 'no licence'}"


CODEMIND = Source("Intelligent-CAT-Lab/CodeMind", "NCSA")
HUMAN_EVAL = Source("openai/human-eval", "MIT")
CRUXEVAL = Source("facebookresearch/cruxeval", "MIT")
CLASSEVAL = Source("FudanSELab/ClassEval", "CC BY-NC 4.0 (data)", free=False)
AVATAR = Source("wasiahmad/AVATAR", "CC BY-SA 4.0")
MBPP = Source("google-research/mbpp", "CC BY 4.0")
OCTOPACK = Source("bigcode-project/octopack", "MIT")
CODENET = Source("IBM/Project_CodeNet", "CDLA-Permissive-2.0 (data)")
REVAL = Source("r-eval/REval", "", free=False)
OWN = Source("lm-eval-codemind", "MIT")
