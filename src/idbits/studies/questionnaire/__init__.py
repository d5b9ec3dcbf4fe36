"""How anonymous are the answers to a questionnaire?"""
