"""How a translation model answers to short and odd input: 200 texts, what became of each, and what must never happen.

The texts stand in the tables beside this file, one a direction: KIND, tab, TEXT; an empty line is an empty second
column. They were written by hand for this page. None is made by recipes/default/made_up.py, from which the default
model learns.
"""
