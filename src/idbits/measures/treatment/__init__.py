"""What a treatment costs, and which groups break a rule: pure functions of the groups that a treatment leaves."""
