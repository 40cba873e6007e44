"""CodeNet: solutions of contest problems in Python and Java, those of CodeMind's first study, from stdin to stdout.

Source: ``dataset/CodeNet`` of CodeMind. A name is a problem's (``p00006``) or a problem's with a submission's
(``p00006_s493435186``); the programs of a problem have the same input, which is the only one.
"""

from functools import partial

from lm_eval_codemind.benchmarks.contests import read_contests
from lm_eval_codemind.benchmarks.upstream import ArchivePart
from lm_eval_codemind.catalogue.packaged import CODEMIND_V1

PYTHON_PART = ArchivePart(
    CODEMIND_V1,
    "dataset/CodeNet/CodeNet-Python",
    ("*/main.py", "*/input.txt", "*/output.txt"),
    "287cd6318d28f51dabd87ef329f75e0d9896fbee1e6cb2787f830333a24af323",
)
JAVA_PART = ArchivePart(
    CODEMIND_V1,
    "dataset/CodeNet/CodeNet-Java",
    ("*/Main.java", "*/input.txt", "*/output.txt"),
    "160d91371812ed508b8860ffcd8d30a7f6acc6d76cf03811d50813c783905aab",
)


read_python = partial(read_contests, benchmark="codenet_python", language="python", part=PYTHON_PART)
read_java = partial(read_contests, benchmark="codenet_java", language="java", part=JAVA_PART)
