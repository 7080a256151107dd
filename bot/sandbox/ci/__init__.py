"""The embedded GitHub's Actions: workflow files, runs, attempts, jobs, steps and their logs."""
