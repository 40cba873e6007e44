"""One record for every problem, its schema, and the registry of benchmarks."""
