"""From a sample to the population it comes from: estimates, model-free bounds, and how far to trust them.

Implements: SPEC page population.md. In all modules, n people are in the sample and N in the population; f = n/N is the
sampling fraction and g = (1 - f)/f. A set has c people in the sample and F >= c in the population; m_k sets have c = k.
"""
