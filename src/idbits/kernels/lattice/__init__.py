"""The lattice of treatments: one level of coarseness per column, and the groups that each combination leaves."""
