"""Suites of assertions in Java: what passes them, what must not, and which assertions stand by themselves."""

from collections.abc import Iterable

import pytest

from lm_eval_codemind.languages import Unfinished, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import SharedPool, Status
from suite_assertions import assertions

pytestmark = pytest.mark.usefixtures("java")

CODE = """\
import java.util.*;

class Solution {
    /** True for an even number. */
    public boolean even(int n) {
        return n % 2 == 0;
    }
    public List<Integer> evens(List<Integer> numbers) {
        List<Integer> found = new ArrayList<>();
        for (int n : numbers) if (even(n)) found.add(n);
        return found;
    }
}
"""
SUITE = """\
import java.util.*;

public class Main {
    public static void main(String[] args) {
        Solution s = new Solution();
        Random rand = new Random(42);
        List<Integer> some = new ArrayList<>();
        some.add(4);
        List<Integer> none = new ArrayList<>();
        List<Boolean> correct = Arrays.asList(
            s.evens(Arrays.asList(1, 2, 3)).equals(Arrays.asList(2)),
            Objects.equals(
                s.evens(some), some
            ),
            s.even(s.evens(some).get(0)),
            !s.evens(Arrays.asList(rand.nextInt())).contains(1),
            s.evens(none).size() == 0
        );
        if (correct.contains(false)) {
            throw new AssertionError();
        }
    }
}
"""
CONTEXT = CODE.partition("    public List")[0] + "}\n"
PROBLEM = Problem("P", "made", "function", "java", CODE, "evens", "", "", context=CONTEXT, tests=SUITE)
KIND = kind_of(PROBLEM)
MEMBERS = CODE[CODE.index("{") + 1 : CODE.rindex("}")]
RIGHT = MEMBERS[MEMBERS.index("public List") :]


def around(body: str, before: str = "", fields: str = "") -> str:
    """Return a program whose method `evens` has a body."""
    method = f"public List<Integer> evens(List<Integer> numbers) {{ {body} }}"
    return f"import java.util.*;\n{before}\nclass Solution {{ {fields}\n{method} }}\n"


def statuses(programs: Iterable[str], tests: Iterable[str] = ("",)) -> list[Status]:
    """Return how programs end on the suite, or on tests of ours."""
    problems = [KIND.with_tests(PROBLEM, test) if test else PROBLEM for test in tests]
    jobs = [KIND.suite_job(problem, code) for code in programs for problem in problems]
    return [outcome.status for outcome in SharedPool().run(jobs)]


COMPUTED = "List<Integer> r = new ArrayList<>(); for (int n : numbers) if (n % 2 == 0) r.add(n); return r;"
ECHO = "return numbers;"
EVEN = "public boolean even(int n) { return n % 2 == 0; }"


RIGHT_PROGRAMS = [
    CODE,
    f"package org.some.where;\n{CODE}",
    CODE.replace("class Solution", "public class Solution"),
    around(f'System.out.println("so far so good"); {COMPUTED}', fields=EVEN),
    around(COMPUTED, fields=f'{EVEN} public static void main(String[] a) {{ System.out.println("mine"); }}'),
    around(COMPUTED, before="class Main { public static void main(String[] a) { } }", fields=EVEN),
    around("return new LinkedList<>(Helper.of(numbers)); } void no() {", fields=EVEN)
    + f"class Helper {{ static List<Integer> of(List<Integer> numbers) {{ {COMPUTED} }} }}\n",
]


@pytest.mark.proof
def test_what_is_right_passes():
    assert statuses(RIGHT_PROGRAMS) == [Status.PASSED] * len(RIGHT_PROGRAMS)


STEAL = """
try {
    var in = new java.io.FileInputStream(java.io.FileDescriptor.in);
    in.getChannel().position(0);
    byte[] token = in.readAllBytes();
    new java.io.FileOutputStream(java.io.FileDescriptor.out).write(token);
    Runtime.getRuntime().halt(0);
} catch (Exception e) { }
return numbers;
"""
LIAR = """
return new ArrayList<Integer>() {
    public boolean equals(Object o) { return true; }
    public boolean contains(Object o) { return false; }
    public Integer get(int place) { return 2; }
};
"""


# Makes every truth value of the suite's list true.
YES_MAN = """
class Arrays {
    static <T> List<T> asList(T... given) {
        List<T> made = new ArrayList<>();
        for (T each : given) made.add(each instanceof Boolean ? (T) (Object) true : each);
        return made;
    }
}
"""
WRONG_PROGRAMS = [
    around(ECHO),
    around("System.exit(0); return numbers;"),
    around(ECHO, fields="static { Runtime.getRuntime().halt(0); }"),
    around(STEAL),
    around(LIAR),
    around(ECHO, fields="public boolean even(int n) { return true; }"),
    around("Main.main(new String[0]); return numbers;"),
    around(ECHO, "class Objects { static boolean equals(Object a, Object b) { return true; } }"),
    around(ECHO, YES_MAN),
    around(ECHO, "class AssertionError extends RuntimeException { { System.exit(0); } }"),
    around(ECHO, "class MainSuite { public static void main(String[] a) { } }"),
    around(ECHO, "class MainHelpers { boolean even(int n) { return true; } }"),
    around(ECHO, "class Main { public static void main(String[] a) { } }"),
    around(ECHO, "class java { static class lang { } }"),
    around(ECHO, "import static Solution.Arrays;", "public static class Arrays { static List asList(Object o) { } }"),
]


@pytest.mark.proof
def test_what_is_wrong_never_passes():
    by_program = dict(zip(WRONG_PROGRAMS, statuses(WRONG_PROGRAMS), strict=True))
    assert [code for code, status in by_program.items() if status is Status.PASSED] == []


@pytest.mark.proof
def test_how_a_wrong_program_ends():
    wrong = [around(ECHO), around("return numbers.get(9) > 0 ? numbers : null;"), "class Solution { nothing }"]
    assert statuses(wrong) == [Status.FAILED, Status.ERROR, Status.ERROR]


@pytest.mark.proof
def test_the_assertions_that_stand_by_themselves():
    # The third calls twice, the fourth draws its argument.
    made = "Solution s = new Solution();\n"
    assert assertions(PROBLEM) == {
        f"{made}assert s.evens(Arrays.asList(1, 2, 3)).equals(Arrays.asList(2));": "s.evens(Arrays.asList(1, 2, 3))",
        f"{made}List<Integer> some = new ArrayList<>();\nsome.add(4);\nassert Objects.equals(s.evens(some), some);": (
            "s.evens(some)"
        ),
        f"{made}List<Integer> none = new ArrayList<>();\nassert s.evens(none).size() == 0;": "s.evens(none)",
    }
    passed, failed = Status.PASSED, Status.FAILED
    of_assertions = statuses([CODE, around(ECHO)], assertions(PROBLEM))
    assert of_assertions == [passed, passed, passed, failed, passed, passed]


def test_what_a_response_gives():
    def program(response: str) -> str:
        code = KIND.program(response, PROBLEM, into=CODE)
        assert isinstance(code, str)
        return KIND.extract_target(code, PROBLEM)

    own = KIND.extract_target(CODE, PROBLEM)
    assert program(f"```java\n{CODE}```") == own
    # Methods that are left out are those of the program, also where the class is, or was meant to be.
    alone = f"It is this method:\n```java\n{RIGHT}\n```"
    in_class = f"```java\nclass Solution {{\n    {RIGHT}}}\n```"
    for response in (alone, in_class):
        assert program(response).split() == own.replace("/** True for an even number. */", "").split()
    # The last class counts that has the method, whatever else calls it.
    demo = "class Main { public static void main(String[] a) { System.out.println(new Solution().evens(null)); } }"
    wrong = CODE.replace("n % 2", "n % 3")
    response = f"```java\n{wrong}\n{demo}\n```\nNo:\n```java\n{CODE}```\nThe class is used thus:\n```java\n{demo}\n```"
    assert "n % 3" not in program(response) and "n % 2" in program(response)
    broken = KIND.program(f"```java\n{CODE[:-40]}", PROBLEM, into=CODE)
    assert isinstance(broken, Unfinished)
    assert KIND.program("There is no bug.", PROBLEM, into=CODE) is None
