"""Run untrusted programs in isolation and judge them where they cannot reach."""
