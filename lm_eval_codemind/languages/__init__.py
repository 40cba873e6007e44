"""The programming languages of the benchmarks, one package each."""
