"""The workshop: what makes and proves the data. Whoever evaluates built data imports none of it."""
