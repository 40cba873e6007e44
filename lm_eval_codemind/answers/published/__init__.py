"""The rules by which published studies read and compare answers, kept with their faults, for replication.

There are three exceptions: thinking is removed as everywhere, the last complete pair of marks counts, and a study whose
responses all read as nothing is an error.
"""
