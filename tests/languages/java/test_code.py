"""Programs read out of every shape of the fixture; laws on arbitrary text."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.languages.java.code import extract_class, extract_program, main_class, with_members
from lm_eval_codemind.languages.java.measures import measure

HERE = Path(__file__).parent
SHAPES: list[dict[str, Any]] = read_yaml(HERE / "code_shapes.yaml")


def test_there_are_a_hundred_shapes():
    assert len(SHAPES) >= 100
    assert len({shape["id"] for shape in SHAPES}) == len(SHAPES)


@pytest.mark.parametrize("shape", SHAPES, ids=[shape["id"] for shape in SHAPES])
def test_shape(shape):
    code = extract_program(shape["response"], shape.get("original", ""))
    if shape["main"] is None:
        assert not isinstance(code, str)
        return
    assert isinstance(code, str)
    assert main_class(code) == shape["main"]
    assert code == shape.get("exact", code)
    for text in shape.get("has", []):
        assert text in code
    for text in shape.get("absent", []):
        assert text not in code


MAIN = SHAPES[0]["exact"]


@pytest.mark.parametrize("response", [
    f"```java\nimport java.util.*\n{MAIN}```", f"```java\n{MAIN}}}\n```", f'```java\n{MAIN}print "done"\n```',
    f"```java\nimport foo bar\n{MAIN}```",
    f"```java\n#include <vector>\nusing namespace std;\n{MAIN}```",
    f"```java\n{MAIN}\nstatic int twice(int n) {{ return 2 * n; }}\n```",
    f"```java\nclass A {{ }}\n{MAIN}class A {{ }}\n```",
])  # fmt: skip
def test_code_that_does_not_compile_stays_in_the_program(response):
    code = extract_program(response)
    assert isinstance(code, str) and main_class(code) == "Main"
    assert code.replace(MAIN.strip(), "").strip()


@pytest.mark.parametrize("response", [
    f"Answer: {MAIN}", f"class Other {{ }}\n\nThe program:\n{MAIN}",
    f"```java\n{MAIN};\n```\nTry:\n```\nMain.main(null);\n```", f"First call twice(2);\n\nThen:\n{MAIN}\nOutput:\n42",
])  # fmt: skip
def test_prose_around_a_program_is_no_code(response):
    assert extract_program(response) == MAIN


def test_a_second_class_of_the_same_name_is_another_version():
    assert extract_program(f"{MAIN.replace('42', '43')}\n{MAIN}") == MAIN


def test_of_programs_that_cannot_start_the_last_one_counts():
    response = "```java\nclass First {\n}\n```\nOr:\n```java\nclass Second {\n}\n```"
    assert str(extract_program(response)).strip() == "class Second {\n}"


def test_a_loop_without_a_body_is_no_stub():
    waits = MAIN.replace("System.out", "while (go) {\n            // wait\n        }\n        System.out")
    assert extract_program(f"```java\n{MAIN}```\n```java\n{waits}```") == waits


def test_only_one_file_has_a_public_class():
    helper = "public final class Helper { }\n"
    user = MAIN.replace("42", "new Helper()")
    code = extract_program(f"Helper.java:\n```java\n{helper}```\nMain.java:\n```java\n{user}```")
    assert isinstance(code, str) and "\nfinal class Helper" in f"\n{code}" and "public class Main" in code
    # Within one file it is the compiler's to say.
    code = extract_program(f"```java\n{helper}{MAIN}```")
    assert isinstance(code, str) and code.count("public") == 3


USER = "class Main { public static void main(String[] args) { new Reader(); } }\n"
READER = "class Reader { java.util.Scanner in = new java.util.Scanner(System.in); }\n"
TEST = "class Test { public static void main(String[] args) { System.out.println(1); } }\n"


@pytest.mark.parametrize("response", [
    f"```java\n{USER}{READER}```\n```java\n{TEST}```", f"```java\n{TEST}\n{USER}{READER}```",
    f"```java\n{READER}```\n```java\n{USER}{TEST}```", f"```java\n{MAIN}\n{TEST}```",
])  # fmt: skip
def test_the_program_starts_where_the_reader_says(response):
    assert main_class(extract_program(response)) == "Main"


_LONG = [
    "class A" + " " * 2000, "public class ", "class A<", "class A/*", "@A\n", "```", "```class A{}```", '"""\n', ";\n",
    "public static int f(int a,\n", "static int x=((((((\n", "import a.b.c;",
    "class A { public static void main(String[] a) { } }\n",
]  # fmt: skip


@pytest.mark.proof
def test_reading_is_linear():
    """A separate process reads long texts in a small part of the time of a quadratic reader."""
    script = (
        "import json, sys; from lm_eval_codemind.languages.java.code import extract_program\n"
        "for text in json.load(sys.stdin): extract_program(text)"
    )
    texts = [before + (piece * (500_000 // len(piece))) for piece in _LONG for before in ("", "```java\nclass A {")]
    subprocess.run([sys.executable, "-c", script], input=json.dumps(texts), text=True, check=True, timeout=600)


# Pieces that a reader may stumble over, in any order.
_PIECES = [
    "```", "```java\n", "~~~\n", "class A {", "public class Main {", "}", "{",
    "public static void main(String[] args) {",
    "import java.util.*;", "package a;",
    '"', "'", '"""', '"""\n', "/*", "*/", "//", "\n", " ", "\\", "<think>", "</think>",
    "static int x = 1;",
    "(", ")", "@A(", "record R(int a) {", "extends", "<", ">", "\ud800", "\0", "ä", "[JAVA]", "1 | ",
]  # fmt: skip


@given(st.one_of(st.text(), st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)))
@example("import " + "a." * 3000)
@example("class A extends\n" * 3000)
@example("@A(" * 3000)
@example("public class Main {" * 3000)
@example("class A {" + "(" * 20_000 + "}")
@example("class A { int x = " + "-(" * 5_000 + "1" + ")" * 5_000 + "; }")
def test_extraction_never_raises(text):
    code = extract_program(text)
    if isinstance(code, str):
        measure(code)


@settings(max_examples=50, deadline=None)
@given(st.sampled_from([shape for shape in SHAPES if shape["main"]]))
def test_a_program_is_read_out_of_itself(shape):
    code = extract_program(shape["response"])
    assert isinstance(code, str) and extract_program(f"```java\n{code}```") == code


@given(st.sampled_from([shape for shape in SHAPES if "exact" in shape]), st.integers(1, 400))
def test_what_breaks_off_is_no_program(shape, characters):
    program = shape["exact"].rstrip()
    assert not isinstance(extract_program("```java\n" + program[: max(0, len(program) - characters)]), str)


def test_imports_of_a_whole_package_come_from_sections_that_are_used():
    helper = "import java.util.*;\n\nclass Helper {\n    List<Integer> items() { return null; }\n}"
    for used, body in ((True, "new Helper().items();"), (False, "System.out.println(1);")):
        main = f"public class Main {{\n    public static void main(String[] args) {{\n        {body}\n    }}\n}}"
        code = extract_program(f"```java\n{helper}\n```\n```java\n{main}\n```")
        assert isinstance(code, str) and main_class(code) == "Main"
        assert ("import java.util.*;" in code, "class Helper" in code) == (used, used)


def test_a_main_method_outside_of_classes_keeps_the_classes_beside_it():
    main = "public static void main(String[] args) {\n    System.out.println(Helper.f());\n}"
    helper = "class Helper { static int f() { return 1; } }"
    code = extract_program(f"```java\n{main}\n{helper}\n```")
    assert isinstance(code, str) and main_class(code) == "Main" and helper in code


def test_a_program_that_writes_its_own_input_is_a_demo():
    demo = MAIN.replace("System.out", 'Files\n            . writeString(Path.of("in"), "5");\n        System.out', 1)
    assert extract_program(f"```java\n{MAIN}```\n```java\n{demo}```") == MAIN


SOLVED = "class Solution {\n    int twice(int n) {\n        return 2 * n;\n    }\n}"
BROKEN = SOLVED.replace(";", "")


@pytest.mark.parametrize(("response", "text"), [
    (f"```java\n{SOLVED}\n```", SOLVED),
    (f"```java\nimport java.util.List;\n\n{SOLVED}\n```", SOLVED),
    ("```java\nint twice(int n) {\n    return 2 * n;\n}\n```", SOLVED),
    (f"```java\n{SOLVED}\n```\n```java\n{SOLVED.replace('twice', 'once')}\n```", SOLVED),
    (f"```java\n{SOLVED}\n```\n```java\n{SOLVED.replace('return', 'return return')}\n```", SOLVED),
    (f"```java\n{SOLVED}\n```\n```java\n{SOLVED.replace('return 2 * n;', '// as above')}\n```", SOLVED),
    (f"```java\n{BROKEN}\n```\n```java\nclass Solution {{ int twice(int n) {{...}} }}\n```", BROKEN),
    ("int[ ] twice(int n) {\n    return null;\n}", "int[ ] twice(int n)"),
    (f"```java\n{SOLVED}\n```\nIt was:\n```java\n{SOLVED.replace('2', '3')}\n```", SOLVED), ("None", None),
])  # fmt: skip
def test_the_class_with_a_method(response, text):
    source = extract_class(response, "twice", original=SOLVED.replace("2", "3"))
    assert source is None if text is None else isinstance(source, str) and text in source


def test_members_of_the_program_are_added():
    program = (
        "import java.util.List;\n\nclass Solution {\n    int twice(int n) { return 3; }\n    int one() { return 1; }\n}"
    )
    source = with_members(f"import java.util.Map;\n\n{SOLVED}\n\nclass Other {{ }}\n", program)
    assert source.startswith("import java.util.Map;\nimport java.util.List;\n")
    assert source.count("twice") == 1 and "int one() { return 1; }" in source and "class Other { }" in source
    assert source.index("int one()") < source.index("int twice")


def test_members_are_put_in_front_of_those_of_the_class():
    same = "{ int f() { return 1; } }"
    assert with_members(f"class Other {same}\nclass Solution {same}\n", "class Solution { int g() { return 2; } }") == (
        f"\n\nclass Other {same}\n\nclass Solution {{\n    int g() {{ return 2; }}\n int f() {{ return 1; }} }}\n"
    )


@pytest.mark.parametrize("answer", ["class Solution { int f( { } }", "class Other { }"])
def test_an_answer_without_a_valid_class_stays(answer):
    assert with_members(answer, SOLVED) == answer
    assert with_members(SOLVED, "class Other { }") == SOLVED


MAIN_OF = "class {} {{ public static void main(String[] a) {{ {} }} }}"


@pytest.mark.parametrize(("classes", "started"), [
    ([("A", "System.out.println(1);"), ("B", "")], "A"), ([("A", ""), ("B", "")], "B"),
    ([("A", "System.in.read();"), ("B", "System.out.println(1);")], "A"), ([("A", "f(1);"), ("B", "g(1);")], "B"),
])  # fmt: skip
def test_the_class_that_does_something_is_started(classes, started):
    assert main_class("\n".join(MAIN_OF.format(*one) for one in classes)) == started


def test_a_public_class_is_started():
    one, other = MAIN_OF.format("A", "f(1);"), MAIN_OF.format("B", "g(1);")
    assert main_class(f"public {one}\n{other}") == "A" and main_class(f"{one}\npublic {other}") == "B"
    assert main_class("class A {}") == ""


def test_the_parameter_of_main_may_have_annotations():
    assert main_class("class A { public static void main(final @Mine @my.Own String[] a) { } }") == "A"


def test_another_method_is_not_put_into_the_class():
    once = "int once(int n) {\n    return n;\n}\n"
    assert extract_class(f"```java\n{once}```", "twice") is None
    assert isinstance(extract_class(f"```java\n{once}```", "once"), str)


def replaces(later: str) -> bool:
    """Return whether a later version of the class is the answer, and not the whole class before it."""
    answer = str(extract_class(f"```java\n{SOLVED}\n```\n```java\n{later}\n```", "twice")).strip()
    assert answer in (SOLVED, later)
    return answer == later


@pytest.mark.parametrize("body", [
    "// as above", "//\n", "/**/", "/* later */", "throw new X();", "// a\n        // b", "", "/* a\nb */ // c\n",
    'throw new A("x") ;', "throw a; throw b;", "throw (a);", "/* a */ throw a; // b\n",
])  # fmt: skip
def test_a_method_whose_body_does_nothing_is_a_stub(body):
    assert not replaces(SOLVED.replace("return 2 * n;", body))


@pytest.mark.parametrize("body", [
    "return 1;", "throw x; return 1;", "throw f(() -> { ; });", "{ }", ";", "throw new X() {};",
    "// a\n        return 1;", "throwing();", "int x; // y", "return 1; /* a */", "/* a */ return 2 * n; /* b */",
    "/* a */ return 1; // b\n",
])  # fmt: skip
def test_a_method_whose_body_does_something_is_no_stub(body):
    assert replaces(SOLVED.replace("return 2 * n;", body))


@pytest.mark.parametrize("head", [
    "List<Integer> twice(int n)", "int[] twice(int n)", "int  twice (int n)", "int twice(int n) throws a.B, C",
    "public static int twice(int n)", f"int{' ' * 9}twice(int n)", f"int twice({' ' * 600})", "Map<A, B> twice(int n)",
    "int\ntwice(int n)", "a.B twice(int n)", "@A(1) int twice(int n)", f"int twice(){' ' * 199}",
])  # fmt: skip
def test_a_stub_has_any_head(head):
    assert not replaces(SOLVED.replace("int twice(int n)", head).replace("return 2 * n;", "// later"))


@pytest.mark.parametrize("head", [
    f"int{' ' * 10}twice(int n)", f"int twice({' ' * 601})", f"int twice(){' ' * 200}", "int twice  (int n)",
    "int twice(int n)[]", "int twice(@A(1) int n)",
])  # fmt: skip
def test_a_stub_has_a_short_head(head):
    assert replaces(SOLVED.replace("int twice(int n)", head).replace("return 2 * n;", "// later"))


def second(program: str, first: str = MAIN) -> bool:
    """Return whether the second of two programs is the answer."""
    answer = extract_program(f"```java\n{first}```\n```java\n{program}```")
    assert answer in (first, program)
    return answer == program


def main_with(statement: str) -> str:
    return MAIN.replace("System.out", f"{statement}\n        System.out", 1)


@pytest.mark.parametrize("statement", [
    "if (x) { // a\n }", "if (x) { } else if (y) { // a\n }", "while (x) { /* a */ }", "try { // a\n } finally { }",
    "for (;;) { /* a */ }", "do { // a\n } while (x);", "switch (x) { /* a */ }", "synchronized (x) { /* a */ }",
    "Runnable r = () -> { /* a */ };", "f(new A() { /* a */ });", "A a = new A(1) { // a\n };",
    "// int f() { /* a */ }", 'f("int f() { /* a */ }");', "/* int f() { throw a; } */",
    "systemsetIn(x);", "MySystem.setIn(x);", "System.setInput(x);",
    "Files.read(x);", "MyFiles.write(x);", "new FileWriter(a);",
])  # fmt: skip
def test_statements_of_a_program_that_is_whole(statement):
    assert second(main_with(statement))


@pytest.mark.parametrize("statement", [
    "System.setIn(x);", "System\n. setIn(x);", "Files.write(x);", "Files . writeString(x);", 'new FileWriter("a");',
    'new  FileWriter ( "a");',
])  # fmt: skip
def test_statements_of_a_demo(statement):
    assert not second(main_with(statement))


@pytest.mark.parametrize("statement", [
    "System.in.read();", "System\n. in.read();", "System.console();", "Files.readAllLines(x);", "new FileReader(x);",
    'String s = "/dev/stdin";', "FileDescriptor.x();",
])  # fmt: skip
def test_a_program_that_reads_is_preferred(statement):
    assert not second(MAIN, main_with(statement)) and second(main_with(statement))


@pytest.mark.parametrize("statement", [
    "MySystem.in.read();", "System.inn();", "MyFiles.x();", "FilesX.y();", "AFileReader.a();", "System.console1();",
    "FileReaders.x();", "File.x();", "FileDescriptors.x();", "AFileDescriptor.x();", 'String s = "/dev/null";',
])  # fmt: skip
def test_names_that_resemble_those_of_readers(statement):
    assert second(MAIN, main_with(statement))


QUIET = MAIN.replace("System.out.println(42);", "f();")


@pytest.mark.parametrize("statement", ["System.out.x();", "System\n. out.x();", "new PrintStream(FileDescriptor.out);"])
def test_a_program_that_prints_is_preferred(statement):
    assert not second(QUIET, QUIET.replace("f();", statement))


@pytest.mark.parametrize(
    "statement", ["System.outer();", "FileDescriptors.x();", "MySystem.out.x();", "AFileDescriptor.x();"]
)
def test_names_that_resemble_those_of_printers(statement):
    assert second(QUIET, QUIET.replace("f();", statement))


LANGUAGES = "python py cpp c++ c csharp cs c# javascript js typescript ts kotlin scala go Python"


@pytest.mark.parametrize("language", LANGUAGES.split())
def test_a_fence_of_another_language_has_no_java(language):
    assert extract_program(f"```{language}\n{MAIN}```") is None
    assert extract_program(f"```{language}x\n{MAIN}```") == MAIN == extract_program(f"```text\n{MAIN}```")


def test_comments_and_white_space_do_not_make_another_program():
    quoted = MAIN.replace("42", "43")
    comments = (MAIN.replace("{", "{ // a\n", 1), MAIN.replace("{", "{ /* a\n */ ", 1), f"/* b */ {MAIN}/* c */\n")
    for other in (*comments, MAIN.replace(" ", "\t"), f"// b\n{MAIN}"):
        answer = extract_program(f"```java\n{quoted}```\n```java\n{other}```", original=MAIN)
        assert answer == quoted
    assert extract_program(f"```java\n{quoted}```\n```java\n{MAIN.replace('42', '6/7')}```", original=MAIN) != quoted


@pytest.mark.parametrize(("head", "joined"), [
    ("public class", "class"), ("final public class", "final class"), ("@X public final class", "@X final class"),
    ("public  class", "class"), ("public\nclass", "class"),
])  # fmt: skip
def test_a_class_that_is_joined_is_not_public(head, joined):
    helper = f"{head} Helper {{ public int x; }}"
    code = extract_program(f"```java\n{MAIN.replace('42', 'new Helper()')}```\n```java\n{helper}\n```")
    assert isinstance(code, str) and code.endswith(f"\n{joined} Helper {{ public int x; }}\n")


def numbered(number: int) -> str:
    """Return a program with a number in its name. Only the first one, number 0, reads."""
    return MAIN.replace("Main", f"Main{number}").replace(
        "System.out.println(42)", f"f({number})" if number else "System.in.read()"
    )


@pytest.mark.parametrize(("others", "name"), [(49, "Main0"), (50, "Main50")])
def test_the_last_fifty_programs_are_compared(others, name):
    programs = [numbered(number) for number in range(others + 1)]
    assert main_class("\n".join(programs)) == name
    assert main_class(extract_program("".join(f"```java\n{program}```\n" for program in programs))) == name
