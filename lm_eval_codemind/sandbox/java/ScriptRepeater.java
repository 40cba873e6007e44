import java.io.*;
import java.lang.reflect.*;
import java.util.*;

/**
 * Runs a program on several inputs in one virtual machine: first as if it were alone there, then each time with its
 * classes loaded anew.
 *
 * Standard input has the inputs, one after the other. After each run the text that ends it is printed. A run that throws
 * ends it all, and so does a later one that takes much longer than the first.
 */
public final class ScriptRepeater {
    private static final int LEAST_MILLISECONDS = 1000, TIMES = 4;
    private static volatile long deadline = Long.MAX_VALUE;

    private ScriptRepeater() {}

    /** Arguments: the class to start, what ends a run, and the length of each input. */
    public static void main(String[] arguments) throws Throwable {
        byte[][] inputs = inputs(arguments);
        long started = System.currentTimeMillis(), patience = 0;
        for (int number = 0; number < inputs.length; number++) {
            System.setOut(stream(FileDescriptor.out));
            System.setErr(stream(FileDescriptor.err));
            ClassLoader loader = ClassLoader.getSystemClassLoader();
            if (number == 1) {
                patience = Math.max(LEAST_MILLISECONDS, TIMES * (System.currentTimeMillis() - started));
                watch();
            }
            if (number > 0) {
                System.setIn(new ByteArrayInputStream(inputs[number]));
                loader = new Anew();
                Thread.currentThread().setContextClassLoader(loader);
                deadline = System.currentTimeMillis() + patience;
            }
            run(loader.loadClass(arguments[0]));
            deadline = Long.MAX_VALUE;
            if (!FileDescriptor.out.valid()) {
                // It has closed its output, and ends.
                return;
            }
            new FileOutputStream(FileDescriptor.out).write(arguments[1].getBytes());
        }
    }

    /** Loads the program's classes anew. */
    private static final class Anew extends ClassLoader {
        private static final Map<String, byte[]> KNOWN = new HashMap<>();

        Anew() {
            super(ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] bytes;
            synchronized (KNOWN) {
                bytes = KNOWN.computeIfAbsent(name, Anew::read);
            }
            if (bytes == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, bytes, 0, bytes.length);
        }

        private static byte[] read(String name) {
            try (InputStream in = ClassLoader.getSystemResourceAsStream(name.replace('.', '/') + ".class")) {
                return in == null ? null : in.readAllBytes();
            } catch (IOException error) {
                return null;
            }
        }
    }

    /** Returns the inputs. Standard input keeps the first one. */
    private static byte[][] inputs(String[] arguments) throws IOException {
        byte[][] inputs = new byte[arguments.length - 2][];
        try (RandomAccessFile file = new RandomAccessFile("/proc/self/fd/0", "rw")) {
            for (int number = 0; number < inputs.length; number++) {
                inputs[number] = new byte[Integer.parseInt(arguments[number + 2])];
                file.readFully(inputs[number]);
            }
            file.setLength(inputs[0].length);
        }
        return inputs;
    }

    private static void watch() {
        Thread thread = new Thread(() -> {
            while (System.currentTimeMillis() < deadline) {
                try {
                    Thread.sleep(100);
                } catch (InterruptedException interrupted) {
                    // It goes on.
                }
            }
            Runtime.getRuntime().halt(1);
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void run(Class<?> program) throws Throwable {
        Method main = program.getMethod("main", String[].class);
        main.setAccessible(true);
        try {
            main.invoke(null, (Object) new String[0]);
        } catch (InvocationTargetException error) {
            throw cut(error.getCause());
        } catch (LinkageError error) {
            throw cut(error);
        }
        // A program ends with the last of its threads, but for those that are daemons.
        for (Thread thread = other(); thread != null; thread = other()) {
            thread.join();
        }
    }

    /** Returns an exception without what is below the program in its stack traces. */
    private static Throwable cut(Throwable error) {
        for (Throwable each = error; each != null; each = each.getCause()) {
            StackTraceElement[] trace = each.getStackTrace();
            int length = trace.length;
            while (length > 0 && trace[length - 1].getClassName().matches("ScriptRepeater|.*[.]reflect[.].*")) {
                length--;
            }
            each.setStackTrace(Arrays.copyOf(trace, length));
        }
        return error;
    }

    private static Thread other() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        Thread[] threads = new Thread[group.activeCount() + 100];
        int count = group.enumerate(threads);
        for (int place = 0; place < count; place++) {
            if (threads[place] != Thread.currentThread() && !threads[place].isDaemon()) {
                return threads[place];
            }
        }
        return null;
    }

    /** Returns a stream like the machine's own, but for one thing: closed, it leaves the file open for the next run. */
    private static PrintStream stream(FileDescriptor file) throws UnsupportedEncodingException {
        OutputStream kept = new FileOutputStream(file) {
            @Override
            public void close() {}
        };
        return new PrintStream(new BufferedOutputStream(kept, 8192), true, "UTF-8");
    }
}
