"""Is it noticed when a text is in the wrong language, and only then?"""
