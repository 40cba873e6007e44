"""Repair: fix a bug, without a test and with one."""
