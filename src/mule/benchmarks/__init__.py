"""The seeds' experiments and the races against peers, each a module with `run(models, …) -> exit status`."""
