"""C to C+: rules that make a program more complex without changing what it means, and the composer that draws them."""
