"""How is a table treated, and what does the treated file still give away?"""
