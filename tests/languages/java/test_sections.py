"""The declarations of a text: what starts one, where it ends, and what is prose."""

import pytest

from lm_eval_codemind.languages.blocks import Block
from lm_eval_codemind.languages.java.sections import sections


def listed(text: str, fenced: bool = False) -> list[str]:
    """Return the kinds and the names of the declarations of each section with some."""
    files, _ = sections(Block(text, fenced))
    return [" ".join(f"{item.kind}:{item.name}" for item in file) for file in files if file]


def dotted(times: int) -> str:
    """Return a name with so many dots."""
    return "a" + ".b" * times


@pytest.mark.parametrize(("text", "name"), [
    ("import a.b;", "a.b"), ("import static a.B.c;", "a.B.c"), ("import  static  a.b ;", "a.b"),
    ("import a . b . * ;", "a.b.*"), ("import a.*;", "a.*"), ("import $a.b_1;", "$a.b_1"),
    (f"import {dotted(30)};", dotted(30)), (f"import {dotted(30)}.*;", f"{dotted(30)}.*"),
    ("import static;", "static"),
])  # fmt: skip
def test_imports(text, name):
    assert listed(text) == listed(text, True) == [f"import:{name}"]


@pytest.mark.parametrize(("text", "name"), [
    ("package a.b;", "a.b"), ("package  a ;", "a"), ("package $a.1b;", "$a.1b"),
    (f"package {dotted(30)};", dotted(30)),
])  # fmt: skip
def test_packages(text, name):
    assert listed(text) == listed(text, True) == [f"package:{name}"]


@pytest.mark.parametrize("text", [
    "class A { }", "interface A {}", "enum A {X}", "record A(int a) {}", "@interface A {}", "class A{}",
    "class A<T> {}", "class  A <T> {}", f"class A <{'T' * 300}> {{}}", "class A extends B {}",
    "interface A extends B, C<D> {}", "class A implements B {}", "sealed interface A permits B {}",
    f"class A extends {'B' * 500}{{}}", f"record A ({'a' * 500}) {{}}", f"class A{' ' * 200}{{}}",
    "record A() implements B {}", "@B class A {}", "@b.C(1, 2) class A {}", f"@B({'1' * 300}) class A {{}}",
    f"@B{' ' * 20}(1) class A {{}}", f"{'public ' * 12}class A {{}}", f"public{' ' * 200}class A {{}}",
    "non-sealed class A {}", "strictfp class A {}", "abstract class A {}", "private static final class A {}",
    "protected\nclass A\n{\n}", f"record A(int a){' ' * 20}implements B {{}}", f"class A<T>{' ' * 20}extends B {{}}",
])  # fmt: skip
def test_types(text):
    assert listed(text) == listed(text, True) == ["type:A"]


def test_a_name_may_have_a_dollar_sign_and_digits():
    assert listed("class $A1_ {}") == ["type:$A1_"] and listed("int $f1_() {}") == ["method:$f1_"]


@pytest.mark.parametrize("text", [
    "int f() {}", "void f(int a, int b) {}", "List<Integer> f() {}", "a.b.C<D> f() {}", "int[] f() {}",
    "int [ ] [] f() {}", "int[][][][] f() {}", "<T> T f() {}", "<T>T f(T t) {}", f"<{'T' * 200}> T f() {{}}",
    f"L<{'T' * 200}> f() {{}}", "public static int f() {}", "int  f () {}", f"int f(){' ' * 200}{{}}",
    "int f() throws E, a.F {}", "int f() throws E{}", "int f()\nthrows\nE\n{\n}", f"int f({'a' * 600}) {{}}",
    "newer f() {}", "synchronized void f() {}", f"int f() throws {'E' * 200}{{}}", f"{dotted(8)} f() {{}}",
    "default int f() {}", "@A(1) int f() {}", "elsewhere f() {}",
])  # fmt: skip
def test_methods(text):
    assert listed(text) == listed(text, True) == ["method:f"]


@pytest.mark.parametrize("text", [
    "int x;", "int x = 1;", "int x, y = 2;", "int[] x;", "int x[];", "int x [ ] [];", "List<A> x = new B<>();",
    f"int x ={'1' * 500};", "static final int x = 1;", "a.b x;", "private int x = f(1);", "List<A<B>> x = f();",
    "int\nx\n=\n1\n;", "@A int x;",
])  # fmt: skip
def test_fields(text):
    assert listed(f"int f() {{}}\n{text}") == ["method:f field:x"]
    assert listed(f"{text}\nint f() {{}}") == listed(f"{text}\nint f() {{}}", True) == ["field:x method:f"]


@pytest.mark.parametrize("text", [
    "importa.b;", "import a b;", f"import {dotted(31)};", "package 1a;", "packagea;", f"package {dotted(31)};",
    "package a . b;", "import a.b", "class 1A {}", "classA {}", f"class A <{'T' * 301}> {{}}", "class A extendsB {}",
    f"class A extends {'B' * 501}{{}}", f"class A{' ' * 201}{{}}", "class A foo {}", f"@B({'1' * 301}) class A {{}}",
    f"@B{' ' * 21}(1) class A {{}}", f"{'public ' * 13}class A {{}}", f"public{' ' * 201}class A {{}}",
    "int[][][][][] f() {}", "int  f  () {}", f"int f(){' ' * 201}{{}}", "int f() throwsE {}",
    f"int f({'a' * 601}) {{}}", "new f() {}", "return f() {}", "else f() {}", "throw f() {}", "f() {}",
    f"int f() throws {'E' * 201}{{}}", f"{dotted(9)} f() {{}}", "int 1f() {}", f"<{'T' * 201}> T f() {{}}",
    f"L<{'T' * 201}> f() {{}}", "x;", f"int x ={'1' * 501};", "int x = `a`;", "int x", "int x : 1;", "int x  = 1;",
    "A<b=c> x;", "int f(a;b) {}", "class A extends B(1) {}", "class A implements B; {}", "class A <B;> {}",
    "int f() throws E+F {}", "@interface A class {}", "@ class A {}", "int x = 1`;", " return x;", "throw x;", "new x;",
    "else x;", "break x;", "continue x;", "assert x;", "assert x = 1;", "yield x;", "public return x;",
])  # fmt: skip
def test_what_is_no_declaration(text):
    assert listed(f"\n{text}") == []
    # In a fence, each line is code.
    assert "line:" in " ".join(listed(f"{text}\nclass Z {{}}", True)).split()
    assert listed(f"class Z {{}}\n{text}") == ["type:Z"]


@pytest.mark.parametrize("text", [
    "class A { // }\n}", "class A { /* } */ }", 'class A { String s = "}"; }', "class A { char c = '}'; }",
    'class A { String s = """\n}"""; }', "class A { char c = '\\u007d'; char d = '\\''; }",
    'class A { String s = "\\"}"; }', "class A { '1234567}' }", 'class A { """ \t\n } " "" \\""" } """ }',
    "class A { /* }\n*/ }", 'class A { "\\\\" }', "class A { /* } * / } */ }",
])  # fmt: skip
def test_a_brace_in_a_comment_or_a_string_ends_nothing(text):
    files, broken = sections(Block(text, False))
    assert [item.source for file in files for item in file] == [text] and broken is None


@pytest.mark.parametrize(("text", "source"), [
    ("class A { '12345678}' }", "class A { '12345678}"), ('class A { """ x\n } """ }', 'class A { """ x\n }'),
    ('class A { "}\n } "', 'class A { "}'), ("class A { '}\n' }", "class A { '}"),
    ("class A {}}class B {}", "class A {}"),
])  # fmt: skip
def test_a_brace_that_no_string_holds_ends_a_type(text, source):
    files, broken = sections(Block(text, False))
    assert [item.source for file in files for item in file] == [source] and broken is None


@pytest.mark.parametrize(
    "text", ["class A { /* }", 'class A { """\n }', "class A { // }", "class A { { }", "int f() {\nint g() {}\n"]
)
def test_a_declaration_without_an_end_is_reported(text):
    for fenced in (False, True):
        files, broken = sections(Block(text, fenced))
        assert not any(files) and broken == text


@pytest.mark.parametrize(("text", "prose", "code"), [
    ("class A { }\nclass A { }", ["type:A", "type:A"], ["type:A", "type:A"]),
    ("class A { } class B { }", ["type:A type:B"], ["type:A type:B"]),
    ("class A { }\nprose\nclass B { }", ["type:A", "type:B"], ["type:A line: type:B"]),
    ("prose\nclass A { }", ["type:A"], ["line: type:A"]),
    ("class A { }\n\n;; class B { }", ["type:A type:B"], ["type:A type:B"]), ("x class A {\n  }", [], ["line: line:"]),
    ("int f() { }\nint f() { }", ["method:f method:f"], ["method:f method:f"]),
    ("interface A {}\nenum A {}", ["type:A", "type:A"], ["type:A", "type:A"]),
    ("import a;\nprose\nclass A { }", ["import:a", "type:A"], ["import:a line: type:A"]),
])  # fmt: skip
def test_prose_separates_sections(text, prose, code):
    assert listed(text) == prose and listed(text, True) == code


@pytest.mark.parametrize("text", [
    "class B { }", "enum B { }", "record B() { }", "interface B { }", "import a.b;\nclass B { }",
    "package a;\nclass B { }", "x\npublic class B { }", "private int x;\nclass B { }", f"{'public ' * 9}class B {{ }}",
    f"public{' ' * 9}class B {{ }}", "non-sealed class B { }", "sealed interface B { }",
])  # fmt: skip
def test_a_text_begins_anew_behind_a_declaration_without_an_end(text):
    assert "type:B" in " ".join(listed(f"class A {{\n{text}"))
    # In a fence, it does not.
    assert listed(f"class A {{\n{text}", True) == []
    if "\n" not in text:
        assert listed(f"class A {{ {text}") == listed(f"class A {{\n {text}") == []


@pytest.mark.parametrize("text", [
    f"{'public ' * 10}class B {{ }}", f"public{' ' * 10}class B {{ }}", "importa;\n", "classB { }", "@A class B { }",
    "int f() { }", "publicclass B { }",
])  # fmt: skip
def test_a_text_begins_anew_with_a_plain_declaration_only(text):
    assert listed(f"class A {{\n{text}") == []


def test_imports_alone_belong_to_the_type_without_an_end():
    assert listed("import a;\nimport b;\nclass A {\nclass B { }") == ["type:B"]
    assert listed("class C { }\nimport a;\nclass A {\nclass B { }") == ["type:C import:a", "type:B"]
    assert listed("import a;\nclass A {\nimport a.b;\nclass B { }") == ["import:a.b type:B"]


def test_the_margin_of_a_declaration_goes():
    for blanks in (4, 199):
        text = f"class A {{\n{' ' * blanks}    int x;\n{' ' * blanks}}}"
        files, _ = sections(Block(" " * blanks + text, False))
        assert files[0][0].source == "class A {\n    int x;\n}"
    files, _ = sections(Block("class Z { } class A {\nclass Z {\n} }", False))
    assert files[0][1].source == "class A {\nclass Z {\n} }"


def test_the_first_declaration_without_an_end_is_reported_from_its_start():
    _, broken = sections(Block("class Z { }\nclass A {\nclass B {", False))
    assert broken == "class A {\nclass B {"
    _, broken = sections(Block("class Z { } int f() {", True))
    assert broken == "int f() {"
