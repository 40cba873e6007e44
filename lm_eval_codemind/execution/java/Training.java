import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Scanner;
import java.util.StringTokenizer;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Uses what programs commonly use, so that the archive of classes made from its run has it. */
final class Training {
    private Training() {}

    public static void main(String[] arguments) throws IOException {
        Scanner scanner = new Scanner("3 4 5 6.5\nline\n");
        long sum = scanner.nextInt() + scanner.nextLong() + Integer.parseInt(scanner.next());
        double real = scanner.nextDouble();
        scanner.nextLine();
        String line = scanner.nextLine();
        new Scanner(System.in).hasNext();
        BufferedReader reader = new BufferedReader(new InputStreamReader(System.in));
        reader.readLine();
        StringTokenizer tokens = new StringTokenizer("a b");
        List<Integer> list = new ArrayList<>(Arrays.asList(3, 1, 2));
        Collections.sort(list, Comparator.reverseOrder());
        list.sort((a, b) -> a - b);
        Map<String, Integer> map = new HashMap<>();
        map.merge(tokens.nextToken(), 1, Integer::sum);
        map.computeIfAbsent(line, key -> 2);
        Map<Integer, Integer> sorted = new TreeMap<>(new LinkedHashMap<>());
        sorted.put(1, 2);
        new TreeSet<>(list).first();
        new HashSet<>(list).contains(1);
        PriorityQueue<int[]> queue = new PriorityQueue<>((a, b) -> Integer.compare(a[0], b[0]));
        queue.add(new int[] {1});
        queue.add(new int[] {2});
        new ArrayDeque<>(list).pollFirst();
        new LinkedList<>(list).pop();
        int[] array = IntStream.range(0, 5).map(i -> i * 2).toArray();
        Arrays.sort(array);
        Arrays.fill(array, 1);
        String joined = list.stream().filter(i -> i > 1).map(String::valueOf).collect(Collectors.joining(" "));
        joined += Arrays.stream(line.split(" ")).mapToInt(String::length).sum() + "abc".replace('a', 'b').toUpperCase();
        StringBuilder builder = new StringBuilder(joined).append(sum).append(real).reverse();
        BigInteger big = BigInteger.valueOf(7).pow(5).mod(BigInteger.TEN);
        BigDecimal decimal = new BigDecimal("1.5").add(BigDecimal.ONE);
        System.out.println(builder + " " + big + " " + decimal + Arrays.toString(array) + list + map + sorted);
        System.out.printf("%d %.3f %s%n", sum, real, String.format("%5d", 3));
        PrintWriter writer = new PrintWriter(System.out);
        writer.println(Math.sqrt(sum));
        writer.flush();
        try {
            Integer.parseInt("x");
        } catch (NumberFormatException error) {
            writer.println(error.getMessage());
        }
    }
}
