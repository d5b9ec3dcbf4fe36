"""Does the release still leak?"""
