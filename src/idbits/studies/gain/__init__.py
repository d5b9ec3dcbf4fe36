"""How much does each cell, person and column give away?"""
