"""What knows a programming language: one package a language, all with the same face."""
