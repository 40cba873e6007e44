import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.*;
import javax.lang.model.element.*;
import javax.lang.model.type.TypeKind;
import javax.lang.model.util.*;
import javax.tools.*;

/**
 * The resident compiler: sources come in on standard input, class files go out on standard output.
 *
 * A request is the milliseconds of processor time it may take, the program, the suite that is compiled with it (or
 * nothing), and the class that the suite is about. An answer is a status and a message; for COMPILED the message is the class to start, and the class files follow as a JAR. All
 * numbers are four bytes, big end first, all texts UTF-8 after their length. The program isn't trusted: it is compiled
 * in a thread with limits, nothing of it is run, and after anything out of the ordinary this process ends and is
 * replaced.
 */
final class CompileServer {
    private static final int COMPILED = 0, ERROR = 1, TIMEOUT = 2, MEMORY = 3;
    private static final int MAX_SOURCE = 64 << 20, MAX_CLASSES = 32 << 20, MAX_MESSAGE = 4000;
    // Somewhat more than javac takes with its default stack. Up to there this stack has room even where all frames are
    // the interpreter's: whether a program compiles mustn't depend on which of javac's methods were compiled by then.
    private static final int MAX_NESTING = 2500, STACK = 128 << 20;
    // What waits for a processor does not use it up, but nothing may go on for ever.
    private static final int PATIENCE = 6;
    private static final String WARM =
            "import java.util.*; public class Warm { record P(int a) { } public static void main(String[] a) {"
            + " Map<String, List<Integer>> m = new TreeMap<>(); for (String s : a) m.computeIfAbsent(s, k -> new ArrayList<>())"
            + ".add(new P(s.length()).a()); m.values().stream().mapToInt(List::size).forEach(System.out::println); } }";
    private static final String NESTED = "the program is nested too deeply for the compiler";

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    private static final DataInputStream IN = new DataInputStream(new FileInputStream(FileDescriptor.in));
    private static final DataOutputStream OUT =
            new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16));
    private static List<File> classPath;
    private static StandardJavaFileManager files;

    private CompileServer() {}

    /** Argument: the directory of the classes that suites use. */
    public static void main(String[] arguments) throws Exception {
        // Nothing that a library may print reaches the host.
        System.setOut(System.err);
        classPath = List.of(new File(arguments[0]));
        files = manager();
        Compilation first = new Compilation(WARM, "", "");
        first.run();
        OUT.writeInt(first.status);
        OUT.flush();
        try {
            while (true) {
                long nanoseconds = IN.readInt() * 1_000_000L;
                Compilation compilation = new Compilation(text(), text(), text());
                boolean ended = follow(compilation, nanoseconds);
                answer(compilation, ended);
                if (!ended || compilation.broken) {
                    Runtime.getRuntime().halt(0);
                }
            }
        } catch (EOFException end) {
            // The host is gone.
        }
    }

    private static String text() throws IOException {
        int length = IN.readInt();
        if (length < 0 || length > MAX_SOURCE) {
            throw new EOFException();
        }
        return new String(IN.readNBytes(length), StandardCharsets.UTF_8);
    }

    /** Run a compilation; return whether it ended within its time. */
    private static boolean follow(Compilation compilation, long nanoseconds) throws InterruptedException {
        var machine = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long used = machine.getProcessCpuTime();
        long started = System.nanoTime();
        Thread thread = new Thread(null, compilation, "compilation", STACK);
        thread.setDaemon(true);
        thread.start();
        while (thread.isAlive()) {
            long elapsed = System.nanoTime() - started;
            if (machine.getProcessCpuTime() - used > nanoseconds || elapsed > PATIENCE * nanoseconds) {
                return false;
            }
            thread.join(50);
        }
        return true;
    }

    private static void answer(Compilation compilation, boolean ended) throws IOException {
        int status = ended ? compilation.status : TIMEOUT;
        OUT.writeInt(status);
        text(ended ? compilation.message : "the compiler used up its time");
        if (status == COMPILED) {
            ByteArrayOutputStream jar = new ByteArrayOutputStream();
            try (ZipOutputStream archive = new ZipOutputStream(jar)) {
                archive.setLevel(Deflater.BEST_SPEED);
                for (Map.Entry<String, ByteArrayOutputStream> entry : compilation.classes.entrySet()) {
                    archive.putNextEntry(new ZipEntry(entry.getKey().replace('.', '/') + ".class"));
                    entry.getValue().writeTo(archive);
                }
            }
            OUT.writeInt(jar.size());
            jar.writeTo(OUT);
        }
        OUT.flush();
    }

    private static StandardJavaFileManager manager() throws IOException {
        var manager = COMPILER.getStandardFileManager(null, Locale.ENGLISH, StandardCharsets.UTF_8);
        manager.setLocation(StandardLocation.CLASS_PATH, classPath);
        manager.setLocation(StandardLocation.SOURCE_PATH, List.of());
        return manager;
    }

    private static void text(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        OUT.writeInt(bytes.length);
        OUT.write(bytes);
    }

    /** More class files than are taken. */
    private static final class TooLarge extends RuntimeException {}

    /** How deeply a tree is nested; what is deeper than is taken isn't looked at. */
    private static final class Nesting extends TreeScanner<Void, Void> {
        private int depth, deepest;

        @Override
        public Void scan(Tree tree, Void nothing) {
            depth++;
            deepest = Math.max(deepest, depth);
            if (depth <= MAX_NESTING) {
                super.scan(tree, nothing);
            }
            depth--;
            return null;
        }
    }

    private static final class Compilation implements Runnable, DiagnosticListener<JavaFileObject> {
        private final List<Source> sources;
        private final String tested;
        final Map<String, ByteArrayOutputStream> classes = new TreeMap<>();
        private int size;
        volatile int status = ERROR;
        volatile String message = "";
        volatile boolean broken = false;

        Compilation(String program, String suite, String tested) {
            this.sources = suite.isEmpty() ? List.of(new Source(program)) : List.of(new Source(program), new Source(suite));
            this.tested = tested;
        }

        @Override
        public void run() {
            try {
                String start = compile();
                if (message.isEmpty()) {
                    message = start;
                    status = COMPILED;
                }
            } catch (Throwable error) {
                broken = true;
                explain(error);
            }
        }

        private void explain(Throwable error) {
            // The compiler wraps what happened inside it.
            for (Throwable cause = error; cause != null; cause = cause.getCause()) {
                if (cause instanceof StackOverflowError) {
                    message = NESTED;
                } else if (cause instanceof OutOfMemoryError) {
                    status = MEMORY;
                    message = "the compiler ran out of memory";
                } else if (cause instanceof TooLarge) {
                    message = "the class files are too large";
                } else {
                    continue;
                }
                return;
            }
            message = message.isEmpty() ? "the compiler failed: " + error.getClass().getName() : message;
        }

        /** Return the class to start, or the suite's classes, unless there is a message. */
        private String compile() throws IOException {
            List<String> options = new ArrayList<>(List.of("-proc:none", "-implicit:none", "-g:source,lines", "-nowarn", "-Xlint:none"));
            var task = (JavacTask) COMPILER.getTask(new StringWriter(), new Memory(files), this, options, null, sources);
            List<CompilationUnitTree> units = new ArrayList<>();
            task.parse().forEach(units::add);
            Nesting nesting = new Nesting();
            nesting.scan(units, null);
            if (message.isEmpty() && nesting.deepest > MAX_NESTING) {
                message = NESTED;
            }
            for (int index = 0; index < units.size(); index++) {
                sources.get(index).nameAfter(units.get(index).getTypeDecls());
            }
            if (message.isEmpty() && units.size() > 1) {
                keepApart(units.get(0), units.get(1));
            }
            if (!message.isEmpty()) {
                return "";
            }
            Iterable<? extends Element> elements = task.analyze();
            String start = units.size() > 1 ? names(units.get(1)) : mainClass(elements, task.getElements());
            if (message.isEmpty()) {
                task.generate();
            }
            return start;
        }

        /** Refuse a program whose types have names that its suite uses for Java's own types. */
        private void keepApart(CompilationUnitTree program, CompilationUnitTree suite) {
            Set<String> used = new HashSet<>();
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitIdentifier(IdentifierTree name, Void nothing) {
                    used.add(name.getName().toString());
                    return null;
                }
            }.scan(suite, null);
            used.remove(tested);
            classes(program.getTypeDecls()).map(each -> each.getSimpleName().toString()).filter(used::contains)
                    .forEach(name -> message = "the tests use the name of the program's class " + name);
        }

        /** Return the names of a suite's classes, separated by blanks. */
        private static String names(CompilationUnitTree suite) {
            return classes(suite.getTypeDecls()).map(ClassTree::getSimpleName).collect(Collectors.joining(" "));
        }

        /** Return the binary name of the class to start: the first in the source, outer and public ones first. */
        private static String mainClass(Iterable<? extends Element> elements, Elements names) {
            List<TypeElement> types = new ArrayList<>();
            elements.forEach(element -> types.addAll(ElementFilter.typesIn(List.of(element))));
            String best = "";
            int rank = Integer.MAX_VALUE;
            // Nested classes go to the end, so that outer ones are looked at first.
            for (int index = 0; index < types.size(); index++) {
                TypeElement type = types.get(index);
                types.addAll(ElementFilter.typesIn(type.getEnclosedElements()));
                boolean outer = !type.getNestingKind().isNested();
                int mine = (outer ? 0 : 2) + (type.getModifiers().contains(Modifier.PUBLIC) ? 0 : 1);
                if (mine < rank && hasMain(names.getAllMembers(type))) {
                    best = names.getBinaryName(type).toString();
                    rank = mine;
                }
            }
            return best;
        }

        /** Whether a class has, or inherits, a method to start it by. */
        private static boolean hasMain(List<? extends Element> members) {
            return ElementFilter.methodsIn(members).stream().anyMatch(method ->
                    method.getSimpleName().contentEquals("main")
                    && method.getModifiers().containsAll(Set.of(Modifier.PUBLIC, Modifier.STATIC))
                    && method.getReturnType().getKind() == TypeKind.VOID
                    && method.getParameters().size() == 1
                    && method.getParameters().get(0).asType().toString().matches("java.lang.String(\\[]|\\.\\.\\.)"));
        }

        @Override
        public void report(Diagnostic<? extends JavaFileObject> diagnostic) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR && message.isEmpty()) {
                String text = String.valueOf(diagnostic.getMessage(Locale.ENGLISH));
                long line = diagnostic.getLineNumber();
                text = line > 0 ? "line " + line + ": " + text : text;
                message = text.length() > MAX_MESSAGE ? text.substring(0, MAX_MESSAGE) : text;
            }
        }

        private final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
            Memory(JavaFileManager files) {
                super(files);
            }

            @Override
            public JavaFileObject getJavaFileForOutput(
                    Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream() {
                    @Override
                    public synchronized void write(byte[] part, int from, int length) {
                        size += length;
                        if (size > MAX_CLASSES) {
                            throw new TooLarge();
                        }
                        super.write(part, from, length);
                    }
                };
                classes.put(name, bytes);
                return new SimpleJavaFileObject(URI.create("memory:///class"), kind) {
                    @Override
                    public OutputStream openOutputStream() {
                        return bytes;
                    }
                };
            }
        }
    }

    private static Stream<ClassTree> classes(List<? extends Tree> declared) {
        return declared.stream().filter(ClassTree.class::isInstance).map(ClassTree.class::cast);
    }

    private static boolean isPublic(ClassTree tree) {
        return tree.getModifiers().getFlags().contains(Modifier.PUBLIC);
    }

    /** A source. Its file is called after its public class, so that a second one is refused. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;
        private String publicClass = "";
        private String name = "Program";

        Source(String text) {
            super(URI.create("memory:///Program.java"), Kind.SOURCE);
            this.text = text;
        }

        /** Take the name of the public type, or else of the first: stack traces show it. */
        void nameAfter(List<? extends Tree> declared) {
            classes(declared).reduce((first, next) -> isPublic(next) ? next : first)
                    .ifPresent(tree -> name = tree.getSimpleName().toString());
        }

        @Override
        public URI toUri() {
            return URI.create("memory:///" + URLEncoder.encode(name, StandardCharsets.UTF_8) + ".java");
        }

        @Override
        public boolean isNameCompatible(String simpleName, Kind kind) {
            // The compiler also asks whether it is package-info or module-info.
            if (publicClass.isEmpty() && !simpleName.contains("-")) {
                publicClass = simpleName;
            }
            return kind == Kind.SOURCE && publicClass.equals(simpleName);
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
