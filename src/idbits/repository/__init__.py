"""The repository of KL distances: how uneven quasi-identifiers are in populations, published, signed, queried."""
