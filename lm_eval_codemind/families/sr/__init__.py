"""SR: write a program from a specification, without a test and with one."""
