"""Hostile programs in Java, and how each must end.

None may pass. A program that tries to get at something prints the expected output only if it got it, so that a pass
means that the attack succeeded.
"""

# ruff: noqa: SIM905, E501
from textwrap import dedent, indent

from lm_eval_codemind.sandbox import Job, Limits, Status
from lm_eval_codemind.sandbox.attacks import Attack
from tests.sandbox.attacks import B, C, E, F, M, O, T

LIMITS = Limits(cpu_seconds=0.8, wall_seconds=2.5, memory_bytes=128 << 20, output_bytes=1 << 20, file_bytes=8 << 20)
_ATTACKS: list[Attack] = []
_PACKAGES = "io lang.reflect net nio nio.file util util.concurrent".split()
_IMPORTS = "".join(f"import java.{package}.*; " for package in _PACKAGES)
_MAIN = "public static void main(String[] args) throws Throwable"


def _source(name: str, expected: set[Status], source: str, stdout: str = "42\n", limits: Limits = LIMITS) -> None:
    job = Job.script(source, [("", stdout)], limits=limits, job_id=name)
    _ATTACKS.append(Attack(name, job, frozenset(expected)))


def _main(name: str, expected: set[Status], body: str, members: str = "", limits: Limits = LIMITS) -> None:
    """Add a program by what its ``main`` does."""
    text = indent(dedent(body).strip(), "        ")
    source = f"{_IMPORTS}\npublic class Main {{\n{dedent(members)}\n    {_MAIN} {{\n{text}\n    }}\n}}\n"
    _source(name, expected, source, limits=limits)


def _escape(name: str, expected: set[Status], attempt: str, members: str = "") -> None:
    """Add a program that prints 42 only if an attempt succeeded: it doesn't throw, and its value isn't null."""
    body = indent(dedent(attempt).strip(), "    ")
    method = f"static Object attempt() throws Throwable {{\n{body}\n}}\n{members}"
    _main(name, expected, "Object got = attempt();\nif (got != null) System.out.println(42);", method)


# fmt: off
# Leaving early.
_main("exit before anything is printed", {F}, "System.exit(0);")
_main("exit with a status after the right output", {E}, "System.out.println(42); System.exit(3);")
_main("halt before the output is written", {F}, "System.out.print(4); Runtime.getRuntime().halt(0);")
_main("halt with a status", {E}, "System.out.println(42); System.out.flush(); Runtime.getRuntime().halt(1);")
_main("an exception after the right output", {E}, "System.out.println(42); throw new RuntimeException();")
_main("a shutdown hook that prints on", {F}, """
    Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("more")));
    System.out.println(42);""")
_main("a shutdown hook that never ends", {T}, """
    Runtime.getRuntime().addShutdownHook(new Thread(() -> { while (true); }));
    System.out.println(42);""")
_main("a thread that goes on", {T}, "System.out.println(42); new Thread(() -> { while (true); }).start();")
_main("a thread that sleeps on", {T}, """
    System.out.println(42);
    Thread.sleep(100);
    new Thread(() -> { try { Thread.sleep(100_000); } catch (InterruptedException e) { } }).start();""")
_source("no main", {E}, "public class Main { }")
_source("no class", {E}, "")
_source("no Java", {E}, "The answer is 42.")

# Time and memory.
_main("an endless loop", {T}, "while (true);")
_main("an endless loop that swallows everything", {T}, """
    while (true) try { while (true) new int[10].clone(); } catch (Throwable t) { }""")
_main("an endless recursion", {E}, "f(0);", "static int f(int n) { return f(n + 1) + 1; }")
_main("sleep", {T}, "Thread.sleep(100_000);")
_main("a deadlock", {T}, "Object o = new Object(); synchronized (o) { o.wait(); }")
_source("an endless static initialiser", {T}, "public class Main { static { while (x()); } static boolean x() { return true; }"
        " public static void main(String[] a) { System.out.println(42); } }")
_source("a static initialiser that throws", {E}, "public class Main { static int x = 1 / 0;"
        " public static void main(String[] a) { System.out.println(42); } }")
_main("finalize that never ends", {T, F}, """
    for (int i = 0; i < 1000; i++) new Main();
    System.gc();
    System.runFinalization();
    System.out.println(41);""", "@Override protected void finalize() { while (true); }")
_main("a memory bomb", {M, T}, "List<byte[]> all = new ArrayList<>(); while (true) all.add(new byte[1 << 20]);")
_main("a memory bomb that swallows its errors", {M, T, E}, """
    List<byte[]> all = new ArrayList<>();
    while (true) try { all.add(new byte[1 << 20]); } catch (OutOfMemoryError e) { }""")
_main("an array larger than the heap", {M}, "System.out.println(new long[1 << 28].length > 0 ? 42 : 0);")
_main("a bomb of direct buffers", {M}, """
    List<ByteBuffer> all = new ArrayList<>();
    while (true) all.add(ByteBuffer.allocateDirect(1 << 20));""")
_UNSAFE = """
static sun.misc.Unsafe unsafe() throws Exception {
    Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
    field.setAccessible(true);
    return (sun.misc.Unsafe) field.get(null);
}
"""
_main("native memory by Unsafe", {M, T, C, E}, """
    while (true) { long at = unsafe().allocateMemory(1 << 24); unsafe().setMemory(at, 1 << 24, (byte) 1); }""", _UNSAFE)
_main("a bomb of classes", {M, T}, """
    List<Object> all = new ArrayList<>();
    while (true) {
        ClassLoader loader = new ClassLoader(null) { };
        all.add(java.lang.reflect.Proxy.newProxyInstance(loader, new Class<?>[] {Runnable.class}, (p, m, a) -> null));
    }""")
_main("a bomb of interned strings", {M, T}, """
    List<String> all = new ArrayList<>();
    for (int i = 0; ; i++) all.add(("x".repeat(1000) + i).intern());""")
_main("a thread bomb", {M, T}, """
    while (true) new Thread(() -> { try { Thread.sleep(100_000); } catch (InterruptedException e) { } }).start();""")
# Each thread that cannot be made may be complained about on stderr, and the machine gives up if it is the machine's own.
_main("a bomb of threads that make threads", {M, T, O, C}, "f();", """
    static void f() { while (true) new Thread(Main::f).start(); }""")
_main("an output bomb", {O}, 'String line = "x".repeat(1 << 16); while (true) System.out.println(line);')
_main("an error output bomb", {O}, 'String line = "x".repeat(1 << 16); while (true) System.err.println(line);')
_main("an output bomb past System.out", {O}, """
    FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    byte[] bytes = new byte[1 << 16];
    while (true) out.write(bytes);""")
_main("a file bomb", {E, B, T, F}, """
    FileOutputStream out = new FileOutputStream("big");
    for (int i = 0; i < 1 << 10; i++) out.write(new byte[1 << 20]);
    System.out.println(42);""")
_main("a bomb of descriptors", {E, B, T}, """
    List<Object> all = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) all.add(new FileInputStream("/dev/null"));
    System.out.println(42);""")

# The machine itself.
_main("a null pointer by Unsafe", {C, E}, "unsafe().putLong(0L, 1L); System.out.println(42);", _UNSAFE)
_main("it interrupts itself", {E, C, F}, """
    sun.misc.Signal.raise(new sun.misc.Signal("INT"));
    Thread.sleep(500);
    System.out.println(41);""")
_escape("its own native library", {E, B}, """
    Path path = Path.of("lib.so").toAbsolutePath();
    Files.write(path, new byte[] {127, 'E', 'L', 'F'});
    System.load(path.toString());
    return 1;""")
_escape("attach to itself", {E, B}, """
    Class<?> machine = Class.forName("com.sun.tools.attach.VirtualMachine");
    return machine.getMethod("attach", String.class).invoke(null, "" + ProcessHandle.current().pid());""")
# A newer JDK would wait longer for the other's answer than the program has.
_escape("attach to the first process", {E, B}, """
    System.setProperty("sun.tools.attach.attachTimeout", "500");
    Class<?> machine = Class.forName("com.sun.tools.attach.VirtualMachine");
    return machine.getMethod("attach", String.class).invoke(null, "1");""")
_escape("the machine's own inside by reflection", {E}, """
    Class<?> inside = Class.forName("jdk.internal.misc.Unsafe");
    return inside.getMethod("getUnsafe").invoke(null);""")
_escape("the compiler's own classes", {E, F}, """
    return Class.forName("CompileServer");""")

# Other processes, the network.
_escape("ProcessBuilder", {B}, 'return new ProcessBuilder("/bin/echo", "42").inheritIO().start();')
_escape("Runtime.exec", {B}, 'return Runtime.getRuntime().exec("/bin/true");')
_escape("a shell", {B}, 'return new ProcessBuilder("/bin/sh", "-c", "echo 42").start();')
_escape("another Java", {B}, """
    String java = System.getProperty("java.home") + "/bin/java";
    return new ProcessBuilder(java, "-version").start();""")
_escape("ends the process above it", {F, E, B}, """
    ProcessHandle parent = ProcessHandle.current().parent().orElse(null);
    return parent != null && parent.destroyForcibly() ? parent : null;""")
_escape("a server socket", {B, E}, "return new ServerSocket(0);")
_escape("a socket", {B, E}, 'return new Socket("127.0.0.1", 22);')
_escape("a datagram", {B, E}, """
    DatagramSocket socket = new DatagramSocket();
    socket.send(new DatagramPacket(new byte[1], 1, InetAddress.getByName("127.0.0.1"), 53));
    return socket;""")
_escape("a page of the web", {B, E}, 'return new URL("http://example.org/").openStream();')
_escape("a unix socket", {B, E}, """
    var channel = java.nio.channels.SocketChannel.open(StandardProtocolFamily.UNIX);
    channel.connect(UnixDomainSocketAddress.of("/run/docker.sock"));
    return channel;""")

# Files, environment, neighbours.
_escape("reads the accounts' hashes", {E, B}, 'return Files.readAllBytes(Path.of("/etc/shadow"));')
_escape("reads the accounts", {E, B}, 'return Files.readAllBytes(Path.of("/etc/passwd"));')
_escape("reads files of root's", {F}, """
    for (String name : new String[] {".bashrc", ".profile", ".ssh", ".netrc", ".cache", ".config", ".git-credentials"})
        if (new File("/root", name).exists()) return name;
    return null;""")
_escape("writes into the system", {E, B}, 'Files.write(Path.of("/usr/x"), new byte[1]); return 1;')
_escape("writes into the JDK", {E, B}, """
    Files.write(Path.of(System.getProperty("java.home"), "lib", "x"), new byte[1]);
    return 1;""")
_escape("secrets of the environment", {F}, """
    for (String name : System.getenv().keySet())
        if (name.contains("TOKEN") || name.contains("KEY") || name.startsWith("CODEMIND")
            || name.contains("USER") && !System.getenv(name).equals("sandbox"))
            return name;
    return null;""")
_escape("the first process's memory", {E, B}, 'return new RandomAccessFile("/proc/1/mem", "r");')
_escape("the first process's environment", {E, B, F}, """
    byte[] found = Files.readAllBytes(Path.of("/proc/1/environ"));
    return found.length == 0 ? null : found;""")
_escape("another program's class files", {E, F}, """
    File[] found = new File(".").getAbsoluteFile().getParentFile().getParentFile().listFiles();
    Set<String> names = new TreeSet<>();
    if (found != null) for (File file : found) names.add(file.getName());
    File classes = new File("../classes");
    for (String name : classes.list()) if (!name.startsWith("Main")) return name;
    return new File("left").createNewFile() ? null : "left by another";""")
_escape("something left by itself for the next", {E, F}, """
    for (String place : new String[] {"../classes/Left.class", "../left", System.getProperty("java.io.tmpdir") + "/left"})
        if (!new File(place).createNewFile()) return place;
    return null;""")
_source("a class that replaces its own file", {E, F}, """
    import java.nio.file.*;
    public class Main { public static void main(String[] a) throws Exception {
        Files.write(Path.of("../classes/Main.class"), new byte[] {1}); System.out.println(41); } }""")

# Names.
_source("a class named like the compiler's server", {F}, "public class CompileServer {"
        " public static void main(String[] a) { System.out.println(41); } }")
_source("a class of java.lang", {E}, "package java.lang; public class Main {"
        " public static void main(String[] a) { System.out.println(42); } }")
_source("its own String", {E}, "public class Main { static class String { }"
        " public static void main(String[] a) { System.out.println(42); } }")
_source("its own System", {F}, "public class Main { static class System {"
        " static java.io.PrintStream out = new java.io.PrintStream(java.io.OutputStream.nullOutputStream()); }"
        " public static void main(java.lang.String[] a) { System.out.println(42); } }")
_source("a module", {E}, "module m { requires java.base; }")
_source("a package that climbs", {E}, "package ../..; public class Main { }")

# The compiler.
_HELLO = "public static void main(String[] a) { System.out.println(41); }"


def _compiler(name: str, expected: set[Status], inside: str, before: str = "") -> None:
    """Add a program by what stands in its class, and in front of it."""
    _source(f"compiler: {name}", expected, f"{before}public class Main {{ {inside}\n{_HELLO} }}")


_compiler("a constant that doubles", {M, E, T}, f'static final String A0 = "{"x" * 1000}";\n'
          + "".join(f" static final String A{n + 1} = A{n} + A{n};\n" for n in range(30)))
_compiler("a string that is too long", {E}, f'String s = "{"x" * 70_000}";')
_compiler("parentheses that nest", {E}, "int x = " + "(" * 30_000 + "1" + ")" * 30_000 + ";")
_compiler("a sum of very many", {E}, "int f(int x) { return x" + " + x" * 30_000 + "; }")
_compiler("blocks that nest", {E}, "void f() { " + "{" * 20_000 + "}" * 20_000 + " }")
_compiler("a method that is too large", {E}, "void f(int x) { " + "x++;" * 40_000 + " }")
_compiler("a switch that is too large", {E, F}, "int f(int x) { switch (x) { "
          + "".join(f"case {n}: return {n};" for n in range(9000)) + " } return 0; }")
_compiler("generic calls that nest", {E, T, F, M}, "static <T> T f(T a, T b) { return a; }\n Object o = "
          + "f(" * 24 + "1" + ', List.of(1, "a"))' * 24 + ";", "import java.util.*; ")
_compiler("lambdas that nest", {E, T, F, M},
          "interface F { F f(F x); } static F g(F x) { return x; } static F g(Runnable x) { return null; }\n"
          "static F a = " + "".join(f"g(x{n} -> " for n in range(14)) + "null" + ")" * 14 + ";")
_source("compiler: an annotation processor", {E, F}, """
    import javax.annotation.processing.*; import javax.lang.model.element.*; import java.util.*;
    @SupportedAnnotationTypes("*") public class Main extends AbstractProcessor {
    static { System.out.println(42); } public boolean process(Set<? extends TypeElement> s, RoundEnvironment r)
    { System.exit(1); return true; } """ + _HELLO + "}")
_source("compiler: options in the name", {E}, "package -J-Xmx1k; public class @file { " + _HELLO + " }")
_compiler("a class named by an option file", {E}, "@/etc/passwd")
_compiler("unicode escapes that end a comment", {F}, "// \\u000a static int x = y(); static int y() { return 0; }")
_compiler("a malformed unicode escape", {E}, "// \\u00zz")
_compiler("bytes that are not text", {E}, "\0\ud800\uffff")
_source("compiler: a class that extends itself", {E}, "public class Main extends Main { " + _HELLO + " }")
_compiler("very many classes", {E, F, M, T}, "", "".join(f"class C{n} {{ }}\n" for n in range(4000)))
_compiler("a name that is too long", {E, F}, f"static class {'x' * 300} {{ }}")
_compiler("class files that are too large", {E, F, M, T}, "".join(
    f"static class C{n} {{ static final String S = \"{'x' * 60_000}{n}\"; String f() {{ return S; }} }}\n" for n in range(100)))
# fmt: on


def attacks() -> list[Attack]:
    """Return the hostile programs."""
    return list(_ATTACKS)
