import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticListener;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * The resident compiler: sources come in on standard input, class files go out on standard output.
 *
 * A request is the release to compile for (0 for the compiler's own), and the source. An answer is a status; for
 * COMPILED the class to start and the class files, otherwise a message. All numbers are four bytes, big end first, all
 * texts UTF-8 after their length. What is compiled isn't trusted: it is compiled in a thread with limits, nothing of it
 * is run, and after anything out of the ordinary this process ends, to be replaced.
 */
final class CompileServer {
    private static final int COMPILED = 0, ERROR = 1, TIMEOUT = 2, MEMORY = 3, TOO_LARGE = 4;
    private static final int MAX_SOURCE = 64 << 20, MAX_CLASSES = 32 << 20, MAX_MESSAGE = 4000;
    // Somewhat more than javac takes with its default stack. Up to there this stack has room even where all frames are
    // the interpreter's: whether a program compiles mustn't depend on which of javac's methods were compiled by then.
    private static final int MAX_NESTING = 2500, STACK = 128 << 20;
    private static final String NESTED = "the program is nested too deeply for the compiler";

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    private static final DataInputStream IN = new DataInputStream(new FileInputStream(FileDescriptor.in));
    private static final DataOutputStream OUT =
            new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16));
    private static final StandardJavaFileManager FILES =
            COMPILER.getStandardFileManager(null, Locale.ENGLISH, StandardCharsets.UTF_8);

    private CompileServer() {}

    /** Arguments: the seconds of processor time and of elapsed time that a compilation may take. */
    public static void main(String[] arguments) throws Exception {
        long processor = (long) (Double.parseDouble(arguments[0]) * 1e9);
        long elapsed = (long) (Double.parseDouble(arguments[1]) * 1e9);
        // Nothing that a library may print reaches the host.
        System.setOut(System.err);
        FILES.setLocation(StandardLocation.CLASS_PATH, List.of());
        FILES.setLocation(StandardLocation.SOURCE_PATH, List.of());
        Compilation first = new Compilation("class Warm { public static void main(String[] a) { } }", 0);
        first.run();
        OUT.writeInt(first.status);
        OUT.flush();
        while (true) {
            Compilation compilation;
            try {
                int release = IN.readInt();
                int length = IN.readInt();
                if (length < 0 || length > MAX_SOURCE) {
                    return;
                }
                byte[] source = new byte[length];
                IN.readFully(source);
                compilation = new Compilation(new String(source, StandardCharsets.UTF_8), release);
            } catch (EOFException end) {
                return;
            }
            boolean ended = follow(compilation, processor, elapsed);
            answer(compilation, ended);
            if (!ended || compilation.broken) {
                Runtime.getRuntime().halt(0);
            }
        }
    }

    /** Run a compilation; return whether it ended within its time. */
    private static boolean follow(Compilation compilation, long processor, long elapsed) throws InterruptedException {
        var machine = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long used = machine.getProcessCpuTime();
        long started = System.nanoTime();
        Thread thread = new Thread(null, compilation, "compilation", STACK);
        thread.setDaemon(true);
        thread.start();
        while (true) {
            thread.join(100);
            if (!thread.isAlive()) {
                return true;
            }
            if (machine.getProcessCpuTime() - used > processor || System.nanoTime() - started > elapsed) {
                return false;
            }
        }
    }

    private static void answer(Compilation compilation, boolean ended) throws IOException {
        if (!ended) {
            OUT.writeInt(TIMEOUT);
            text("the compiler used up its time");
        } else if (compilation.status == COMPILED) {
            OUT.writeInt(COMPILED);
            text(compilation.mainClass);
            OUT.writeInt(compilation.classes.size());
            for (Map.Entry<String, ByteArrayOutputStream> entry : compilation.classes.entrySet()) {
                text(entry.getKey());
                OUT.writeInt(entry.getValue().size());
                entry.getValue().writeTo(OUT);
            }
        } else {
            OUT.writeInt(compilation.status);
            text(compilation.message);
        }
        OUT.flush();
    }

    private static void text(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        OUT.writeInt(bytes.length);
        OUT.write(bytes);
    }

    /** More class files than are taken. */
    private static final class TooLarge extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

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
        private final String source;
        private final int release;
        final Map<String, ByteArrayOutputStream> classes = new TreeMap<>();
        private int size;
        volatile int status = ERROR;
        volatile String message = "";
        volatile String mainClass = "";
        volatile boolean broken = false;

        Compilation(String source, int release) {
            this.source = source;
            this.release = release;
        }

        @Override
        public void run() {
            try {
                compile();
            } catch (Throwable error) {
                broken = true;
                explain(error);
            }
        }

        private void explain(Throwable error) {
            status = ERROR;
            // The compiler wraps what happened inside it.
            for (Throwable cause = error; cause != null; cause = cause.getCause()) {
                if (cause instanceof OutOfMemoryError) {
                    status = MEMORY;
                    message = "the compiler ran out of memory";
                    return;
                }
                if (cause instanceof StackOverflowError) {
                    message = NESTED;
                    return;
                }
                if (cause instanceof TooLarge) {
                    status = TOO_LARGE;
                    message = "the class files are too large";
                    return;
                }
            }
            if (message.isEmpty()) {
                message = "the compiler failed: " + error.getClass().getName();
            }
        }

        private void compile() throws IOException {
            List<String> options = new ArrayList<>(List.of("-proc:none", "-implicit:none", "-g:source,lines", "-nowarn", "-Xlint:none"));
            if (release > 0) {
                options.addAll(List.of("--release", Integer.toString(release)));
            }
            try (StandardJavaFileManager own = release > 0 ? manager() : null) {
                JavaFileManager files = new Memory(own != null ? own : FILES);
                JavacTask task = (JavacTask) COMPILER.getTask(
                        new StringWriter(), files, this, options, null, List.of(new Source(source)));
                Iterable<? extends Tree> trees = task.parse();
                Nesting nesting = new Nesting();
                nesting.scan(trees, null);
                if (message.isEmpty() && nesting.deepest > MAX_NESTING) {
                    message = NESTED;
                }
                String found = "";
                if (message.isEmpty()) {
                    found = mainClass(task.analyze(), task.getElements());
                }
                if (message.isEmpty()) {
                    task.generate();
                }
                if (message.isEmpty()) {
                    mainClass = found;
                    status = COMPILED;
                }
            }
        }

        private static StandardJavaFileManager manager() throws IOException {
            StandardJavaFileManager files = COMPILER.getStandardFileManager(null, Locale.ENGLISH, StandardCharsets.UTF_8);
            files.setLocation(StandardLocation.CLASS_PATH, List.of());
            files.setLocation(StandardLocation.SOURCE_PATH, List.of());
            return files;
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
                if (mine < rank && hasMain(type)) {
                    best = names.getBinaryName(type).toString();
                    rank = mine;
                }
            }
            return best;
        }

        private static boolean hasMain(TypeElement type) {
            for (ExecutableElement method : ElementFilter.methodsIn(type.getEnclosedElements())) {
                if (method.getSimpleName().contentEquals("main")
                        && method.getModifiers().containsAll(Set.of(Modifier.PUBLIC, Modifier.STATIC))
                        && method.getReturnType().getKind() == TypeKind.VOID
                        && method.getParameters().size() == 1
                        && method.getParameters().get(0).asType().getKind() == TypeKind.ARRAY) {
                    ArrayType array = (ArrayType) method.getParameters().get(0).asType();
                    if (array.getComponentType().toString().equals("java.lang.String")) {
                        return true;
                    }
                }
            }
            return false;
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
                return new ClassFile(name, kind);
            }
        }

        private final class ClassFile extends SimpleJavaFileObject {
            private final String name;

            ClassFile(String name, Kind kind) {
                super(URI.create("memory:///class"), kind);
                this.name = name;
            }

            @Override
            public OutputStream openOutputStream() {
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
                return bytes;
            }
        }
    }

    /** The one source; it may hold a public class of any name. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("memory:///Program.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public boolean isNameCompatible(String simpleName, Kind kind) {
            return kind == Kind.SOURCE;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
