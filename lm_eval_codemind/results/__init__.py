"""From the harness's result files to statistics, reports and submissions."""
