"""From a response to an answer, in four steps that every family takes.

1. :func:`~.thinking.without_thinking` removes the thinking. It returns None if the thinking is unfinished.
2. :func:`~.blocks.blocks` finds the last complete pair of marks.
3. :func:`~.normal.readings` yields the text of the block as it is, then without its layout.
4. A parser reads the form that the prompt asks for, from the start. What does not parse is malformed.
"""
