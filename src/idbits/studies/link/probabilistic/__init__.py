"""Links by the odds that two records are the same person, from how far their values agree."""
