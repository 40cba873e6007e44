"""IER: which output does a program have on an input?"""
