/**
 * Calls a method of some classes once for each input and prints the values, one token a line.
 *
 * Standard input has the method's name, its number of parameters, the number of calls without a result in time after
 * which a class is given up, the classes, the number of inputs, and the tokens of the inputs.
 */
class ProgramCalls {
    private static final long MILLISECONDS = 1500;
    private static java.util.Iterator<String> tokens;

    public static void main(String[] arguments) throws Exception {
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        String name = in.readLine();
        int arity = Integer.parseInt(in.readLine());
        int mostHanging = Integer.parseInt(in.readLine());
        String[] classes = in.readLine().split(" ");
        int count = Integer.parseInt(in.readLine());
        java.util.List<String> lines = in.lines().collect(java.util.stream.Collectors.toList());
        for (String each : classes) {
            tokens = lines.iterator();
            call(Class.forName(each), name, arity, count, mostHanging);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static void call(Class<?> type, String name, int arity, int count, int mostHanging) throws Exception {
        java.lang.reflect.Method method = null;
        for (java.lang.reflect.Method each : type.getDeclaredMethods()) {
            if (each.getName().equals(name) && each.getParameterCount() == arity) {
                method = each;
            }
        }
        method.setAccessible(true);
        java.lang.reflect.Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        StringBuilder printed = new StringBuilder();
        int hanging = 0;
        for (int call = 0; call < count; call++) {
            Object[] values = new Object[arity];
            boolean fits = true;
            for (int place = 0; place < arity; place++) {
                Object value = read();
                try {
                    values[place] = converted(value, method.getGenericParameterTypes()[place]);
                } catch (IllegalArgumentException error) {
                    fits = false;
                }
            }
            StringBuilder out = new StringBuilder();
            if (!fits || hanging >= mostHanging) {
                out.append("U\n");
            } else if (!called(method, constructor.newInstance(), values, out)) {
                hanging++;
                out = new StringBuilder("T\n");
            }
            printed.append(out);
        }
        System.out.print(printed.append("C\n"));
    }

    /** Returns false if the method does not return in time. */
    @SuppressWarnings("removal")
    private static boolean called(java.lang.reflect.Method method, Object object, Object[] values, StringBuilder out)
            throws InterruptedException {
        Thread thread = new Thread(null, () -> {
            try {
                write(method.invoke(object, values), out);
            } catch (java.lang.reflect.InvocationTargetException error) {
                out.setLength(0);
                out.append("E ").append(error.getCause().getClass().getSimpleName()).append('\n');
            } catch (ReflectiveOperationException error) {
                out.setLength(0);
                out.append("E ").append(error.getClass().getSimpleName()).append('\n');
            }
        }, "call", 1 << 22);
        thread.setDaemon(true);
        thread.start();
        thread.join(MILLISECONDS);
        if (thread.isAlive()) {
            thread.stop();
            return false;
        }
        return true;
    }

    private static Object read() {
        String line = tokens.next();
        String rest = line.length() > 2 ? line.substring(2) : "";
        switch (line.charAt(0)) {
            case 'N': return null;
            case 'B': return rest.equals("1");
            case 'I': return new java.math.BigInteger(rest);
            case 'D': return Double.valueOf(rest);
            case 'S': {
                StringBuilder text = new StringBuilder();
                for (int place = 0; place + 4 <= rest.length(); place += 4) {
                    text.append((char) Integer.parseInt(rest.substring(place, place + 4), 16));
                }
                return text.toString();
            }
            case 'L': {
                java.util.List<Object> list = new java.util.ArrayList<>();
                for (int left = Integer.parseInt(rest); left > 0; left--) {
                    list.add(read());
                }
                return list;
            }
            default: {
                java.util.Map<Object, Object> map = new java.util.LinkedHashMap<>();
                for (int left = Integer.parseInt(rest); left > 0; left--) {
                    Object key = read();
                    map.put(key, read());
                }
                return map;
            }
        }
    }

    private static Object converted(Object value, java.lang.reflect.Type type) {
        if (type instanceof java.lang.reflect.ParameterizedType) {
            java.lang.reflect.Type[] of = ((java.lang.reflect.ParameterizedType) type).getActualTypeArguments();
            if (value instanceof java.util.List) {
                java.util.List<Object> list = new java.util.ArrayList<>();
                for (Object each : (java.util.List<?>) value) {
                    list.add(converted(each, of[0]));
                }
                return list;
            }
            if (value instanceof java.util.Map) {
                java.util.Map<Object, Object> map = new java.util.LinkedHashMap<>();
                for (java.util.Map.Entry<?, ?> each : ((java.util.Map<?, ?>) value).entrySet()) {
                    map.put(converted(each.getKey(), of[0]), converted(each.getValue(), of[1]));
                }
                return map;
            }
            throw new IllegalArgumentException("not a " + type);
        }
        if (value instanceof java.math.BigInteger) {
            java.math.BigInteger number = (java.math.BigInteger) value;
            if (type == double.class || type == Double.class) {
                return number.doubleValue();
            }
            if (type == long.class || type == Long.class) {
                return number.longValueExact();
            }
            if (number.bitLength() > 31) {
                throw new IllegalArgumentException("not an int");
            }
            if (type == int.class || type == Integer.class || type == Object.class) {
                return number.intValue();
            }
            throw new IllegalArgumentException("not a " + type);
        }
        if (value instanceof java.util.List && type == Object.class) {
            return converted(value, new java.lang.reflect.ParameterizedType() {
                public java.lang.reflect.Type[] getActualTypeArguments() {
                    return new java.lang.reflect.Type[] {Object.class};
                }

                public java.lang.reflect.Type getRawType() {
                    return java.util.List.class;
                }

                public java.lang.reflect.Type getOwnerType() {
                    return null;
                }
            });
        }
        boolean fits = value instanceof Double
            ? type == double.class || type == Double.class || type == Object.class
            : value == null ? type == Object.class : type == Object.class || ((Class<?>) type).isInstance(value)
                || type == boolean.class;
        if (!fits) {
            throw new IllegalArgumentException("not a " + type);
        }
        return value;
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof java.util.Optional) {
            write(((java.util.Optional<?>) value).orElse(null), out);
        } else if (value == null) {
            out.append("N\n");
        } else if (value instanceof Boolean) {
            out.append((Boolean) value ? "B 1\n" : "B 0\n");
        } else if (value instanceof Double) {
            out.append("D ").append(value).append('\n');
        } else if (value instanceof Number) {
            out.append("I ").append(value).append('\n');
        } else if (value instanceof java.util.List) {
            out.append("L ").append(((java.util.List<?>) value).size()).append('\n');
            for (Object each : (java.util.List<?>) value) {
                write(each, out);
            }
        } else if (value instanceof java.util.Map) {
            out.append("M ").append(((java.util.Map<?, ?>) value).size()).append('\n');
            for (java.util.Map.Entry<?, ?> each : ((java.util.Map<?, ?>) value).entrySet()) {
                write(each.getKey(), out);
                write(each.getValue(), out);
            }
        } else {
            out.append("S ");
            for (char each : value.toString().toCharArray()) {
                out.append(String.format("%04x", (int) each));
            }
            out.append('\n');
        }
    }
}
