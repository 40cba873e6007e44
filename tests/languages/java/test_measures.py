"""The measures of Java programs, counted by hand; that they are Python's, on programs in both languages."""

import pytest

from lm_eval_codemind.languages.java.measures import lines, measure, normal_form
from lm_eval_codemind.languages.python import complexity
from lm_eval_codemind.languages.python.complexity import lines_of_code
from lm_eval_codemind.problems import Complexity


def measured(source: str) -> Complexity:
    measures = measure(source)
    assert measures is not None
    return measures


def body(text: str) -> str:
    return f"class A {{ void f(int x) {{ {text} }} }}"


# The lines around a body: two lines.
LINES = [
    ("", 0),
    ("x++; x--;", 2),
    ("// nothing\n\n\n x++; /* x-- */", 1),
    ("int a = 1, b;", 1),
    ("if (x > 1)\n x++;", 2),
    ("if (x > 1) { x++; } else { x--; }", 4),
    ("if (x > 1) x++; else if (x > 0) x--; else return;", 6),
    ("if (x > 1) x++; else { if (x > 0) x--; }", 5),
    ("for (int i = 0; i < 3; i++) x++;", 2),
    ("for (;;) ;", 1),
    ("for (int i : new int[3]) { x++; }", 2),
    ("while (x > 1) x--;", 2),
    ("do { x++; } while (x < 3);", 3),
    ("switch (x) { case 1: case 2: x++; break; default: return; }", 7),
    ("switch (x) { case 1, 2 -> x++; default -> { return; } }", 5),
    ("int y = switch (x) { case 1 -> 2; default -> 3; };", 5),
    ("try { x++; } catch (RuntimeException e) { x--; } finally { return; }", 6),
    ("try (R r = new R(); S s = new S()) { x++; }", 2),
    ("synchronized (this) { x++; }", 2),
    ("a: for (;;) break a;", 2),
    ("Runnable r = () -> { g(); };", 2),
    ("Runnable r = () -> g();", 1),
    ("Object o = new Object() { @Override public String toString() { return null; } };", 4),
    ("{ { x++; } }", 1),
    (";;;", 0),
    ("assert x > 0 : x; throw new Error();", 2),
    ("class B { int y; }", 2),
]


@pytest.mark.parametrize(("text", "count"), LINES)
def test_lines(text, count):
    assert lines(body(text)) == 2 + count
    assert len(normal_form(body(text)).splitlines()) == 2 + count


@pytest.mark.parametrize(("source", "count"), [
    ("package a; import b.*; import static c.d; class A { }", 4),
    ("@X @Y(1) public class A { @Z int x; static { x = 1; } { x = 2; } A() { super(); } }", 11),
    ("enum E { A, B(1) { void f() { } }; int x; }", 4), ("interface I { int f(); default void g() { } }", 3),
    ("record R(int a, @X int b) { R { a = 1; } }", 3),
])  # fmt: skip
def test_lines_of_declarations(source, count):
    assert lines(source) == len(normal_form(source).splitlines()) == count


def test_the_normal_form_is_blind_to_layout_and_comments():
    one = body('if(x>1){String s="a  b";/* c */}else x --;')
    other = body('if ( x > 1 )\n{\n  String s = "a  b"; // d\n}\nelse\n  x--;\n')
    assert normal_form(one) == normal_form(other)
    assert normal_form(normal_form(one)) == normal_form(one)
    assert '"a  b"' in normal_form(one)
    assert normal_form("") == ""


def test_a_backslash_and_halves_of_a_pair_stay_escapes():
    source = normal_form(body(r'String s = "\u0041\ud83d\ude00\u005c\u005c";'))
    assert r'"A\ud83d\ude00\u005c\u005c"' in source


@pytest.mark.parametrize(("text", "decisions"), [
    ("", 0),
    ("if (x > 1 && x < 3 || x == 7) x++; else if (x > 0) x--; else return;", 4), ("x = x > 1 ? 2 : 3;", 1),
    ("for (;;) while (x > 1) do x++; while (x < 9);", 3), ("for (int i : a) assert i > 0;", 2),
    ("switch (x) { case 1: case 2: x++; break; default: return; }", 2),
    ("int y = switch (x) { case 1, 2 -> 2; default -> 3; };", 1),
    ("try { g(); } catch (A | B e) { } catch (C e) { } finally { }", 2), ("Runnable r = () -> { if (x > 1) g(); };", 1),
    ("Object o = new Object() { void g() { if (true) return; } };", 2),  # a separate unit with one decision
    ("x = x & 1 | 2;", 0),
])  # fmt: skip
def test_cyclomatic_complexity(text, decisions):
    assert measured(body(text)).cc == 1 + decisions


def test_initialisers_are_a_unit_if_they_decide():
    assert measured("class A { int x = 1; static { x(); } }").cc == 1
    assert measured("class A { static { if (x) y(); } void f() { } }").cc == 1 + 2
    assert measured("interface I { int f(); int g(); }").cc == 1


@pytest.mark.parametrize(("text", "tags", "nesting"), [
    ("x++;", ("basic",), 0),
    ("for (;;) for (int i : a) while (true) g();", ("for", "while", "nested_loop"), 2),
    ("do { if (x > 1) g(); } while (true);", ("while", "if"), 1), ("if (x > 1) g(); else if (x > 2) h();", ("if",), 0),
    ("if (x > 1) g(); else { if (x > 2) h(); }", ("if", "nested_if"), 1),
    ("try { switch (x) { case 1: g(); } } finally { }", ("try", "match"), 1),
    ("int y = switch (x) { case 1 -> 2; default -> 3; };", ("basic",), 0),
    ("for (;;) { Runnable r = () -> { for (;;) g(); }; }", ("for",), 0),
    ("for (;;) new Object() { void g() { for (;;) h(); } };", ("for",), 0),
    ("switch (x) { case 1 -> { if (x > 2) g(); } default -> { } }", ("if", "match"), 1),
])  # fmt: skip
def test_constructs(text, tags, nesting):
    measures = measured(body(text))
    assert (measures.constructs, measures.nc) == (tags, nesting)


@pytest.mark.parametrize(("source", "pairs"), [
    ("class A { void f() { g(); g(); this.g(); A.g(); f(); } static void g() { } }", 1),
    ("class A { void f() { h(); } } class B { void h() { } }", 0),
    ("class A extends B { void f() { h(); super.h(); } } class B { void h() { } }", 1),
    ("class A { void f() { h(); new B().h(); B.h(); } } class B { static void h() { } }", 1),
    ("class A { void f() { new B(); new C(); } } class B { B() { } } class C { }", 1),
    ("class A { void f(int x) { f(); } void f() { } }", 0),
    ("class A { int x = f(); int y = f(); static int f() { return 1; } }", 1),
    ("class A { void f() { run(this::g); run(A::g); run(B::new); } void g() { } } class B { B() { } }", 2),
    ("class A { void f() { } class B { void g() { f(); } } }", 1),
    ("class A extends B { A() { super(); } } class B { B() { } }", 1),
    ("class A extends A { void f() { nowhere(); } }", 0),
])  # fmt: skip
def test_dependencies(source, pairs):
    assert measured(source).dep == pairs


# The same program in both languages; the class around Java's methods is one line more.
TWINS = [
    (
        "static int f(int n) { int s = 0; for (int i : range(n)) { if (i % 2 == 0 && i > 3) s += i; else if (i == 1)"
        " s -= 1; else s = g(s); } return s; } static int g(int x) { try { return x > 0 ? 1 : 2; }"
        " catch (Exception e) { return 3; } }",
        "def f(n):\n    s = 0\n    for i in range(n):\n        if i % 2 == 0 and i > 3:\n            s += i\n"
        "        elif i == 1:\n            s -= 1\n        else:\n            s = g(s)\n    return s\n"
        "def g(x):\n    try:\n        return 1 if x > 0 else 2\n    except Exception:\n        return 3\n",
    ),
    (
        "static void f(int x) { while (x > 0) { for (int j : a) { h(j); } x -= 1; } switch (x) { case 1 -> h(1);"
        " default -> h(2); } assert x > 0; } static void h(int j) { if (j == 1) { if (j == 2) { h(j); } } }",
        "def f(x):\n    while x > 0:\n        for j in a:\n            h(j)\n        x -= 1\n    match x:\n"
        "        case 1:\n            h(1)\n        case _:\n            h(2)\n    assert x > 0\n"
        "def h(j):\n    if j == 1:\n        if j == 2:\n            h(j)\n",
    ),
]


@pytest.mark.parametrize(("java_text", "python_text"), TWINS)
def test_the_definitions_are_pythons(java_text, python_text):
    source = f"class A {{ {java_text} }}"
    ours, of_python = measured(source), complexity.measure(python_text)
    for name in ("cc", "nc", "constructs", "dep"):
        assert getattr(ours, name) == getattr(of_python, name), name
    assert lines(source) == lines_of_code(python_text) + 1


def test_what_is_no_java_has_no_measures():
    assert measure("") is None
    assert measure("print(42)\nx = = 3") is None
    with pytest.raises(SyntaxError):
        lines("class A {")
