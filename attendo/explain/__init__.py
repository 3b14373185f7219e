"""One sentence through the machine, every number of it: for a terminal, and as one page that needs nothing else."""
