"""What listings colour, language by language."""

import re

import pytest

from lm_eval_codemind.languages import get_language, languages
from lm_eval_codemind.languages.java.syntax import parse_valid
from lm_eval_codemind.workshop.benchmarks.sample import read_java


def pieces(language: str, source: str) -> list[tuple[str, str]]:
    """Return the pieces of a source that have a colour, as the report finds them."""
    marks = get_language(language).marks
    pattern = re.compile("|".join(f"({match})" for _, match in marks))
    assert pattern.groups == len(marks), "a pattern has a group that captures"
    return [(marks[match.lastindex - 1][0], match[0]) for match in pattern.finditer(source) if match.lastindex]


def test_every_language_has_marks():
    for name, language in languages().items():
        assert {kind for kind, _ in language.marks} == {"comment", "string", "keyword", "number"}, name


@pytest.mark.parametrize(("language", "source", "expected"), [
    ("python", "return x  # if not", "keyword:return comment:# if not"),
    ("python", "s = 'it\\'s # no' + rb\"a\"", "string:'it\\'s # no' string:rb string:\"a\""),
    ("python", '"""one\n"two" # 3\n"""; for1 = 0x1f', 'string:"""one\n"two" # 3\n""" number:0x1f'),
    ("python", "def f(): pass", "keyword:def keyword:pass"), ("python", "a1 = 1e-3 + 2.5", "number:1e-3 number:2.5"),
    ("python", "'open", "string:'open"),
    ("java", "int i = 1L; // if", "keyword:int number:1L comment:// if"),
    ("java", '/* "a\n */ public class Def {}', 'comment:/* "a\n */ keyword:public keyword:class'),
    ("java", 'char c = \'"\'; String s = "\\"//";', 'keyword:char string:\'"\' string:"\\"//"'),
    ("java", "/* open", "comment:/* open"), ("java", "x # def None", ""),
])  # fmt: skip
def test_pieces(language, source, expected):
    assert " ".join(f"{kind}:{text}" for kind, text in pieces(language, source)) == expected


def test_comments_and_strings_of_java_are_those_of_its_grammar():
    kinds = {"line_comment": "comment", "block_comment": "comment", "string_literal": "string"}
    kinds["character_literal"] = "string"
    for problem in read_java():
        tree = parse_valid(problem.code)
        expected = [(kinds[node.kind], tree.text(node)) for node in tree.root.walk() if node.kind in kinds]
        assert [one for one in pieces("java", problem.code) if one[0] in ("comment", "string")] == expected
