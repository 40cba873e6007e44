"""From the tests of a package to programs that questions can be asked about: recorded, cut out, compared and chosen."""
