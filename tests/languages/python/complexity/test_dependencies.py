import pytest

from lm_eval_codemind.languages.python.complexity import dependencies


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(x):\n  return x", 0),
        ("def f(x):\n  return f(x - 1) if x else 0", 0),
        ("def g(x):\n  return x\ndef f(x):\n  return g(x) + g(x + 1)", 1),
        ("def f(xs):\n  return map(g, xs)\ndef g(x):\n  return x", 1),
        ("def f(x):\n  def g(y):\n    return y\n  return g(x)", 1),
        ("def g(x):\n  return x\ndef f(g):\n  return 1\nprint(f(2))", 1),
        ("class A:\n  def m(self):\n    return self.n()\n  def n(self):\n    return self.m()", 2),
        ("class A:\n  def m(this):\n    return [this.n() for _ in range(3)]\n  def n(self):\n    return self.x", 1),
        ("class A:\n  @staticmethod\n  def m(x):\n    return x.n()\n  def n(self):\n    return A.m(self)", 1),
        ("class A:\n  @property\n  def p(self):\n    return 1\n  def n(self):\n    return self.p", 1),
        ("class A:\n  def n(self):\n    return n()\ndef n():\n  return 1", 1),
        ("class A:\n  def n(self):\n    return 1\n  def m(self):\n    return n()", 0),
        ("class B:\n  def n(self):\n    return 1\nclass A(B):\n  def m(self):\n    return self.n()", 1),
        ("class B:\n  def __init__(self):\n    self.x = 1\ndef f():\n  return B()", 1),
        ("class A(A):\n  def m(self):\n    return self.n()", 0),
        ("class A:\n  def m(self):\n    def g():\n      return self.n()\n    return g()\n  def n(self):\n    pass", 2),
        ("def f(x):\n  x.g()\ndef g():\n  pass", 0),
    ],
)
def test_pairs_of_functions(code: str, expected: int) -> None:
    assert dependencies(code) == expected
