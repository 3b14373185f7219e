"""What people try first: 400 texts, the default model's answers, and whether a strict reader would accept them.

The texts stand in the tables beside this file, one a direction: KIND, tab, TEXT. They were written by hand for this
measure, without sight of the generator from which the default model learns and of any corpus; none is in
benchmarks/doubt or benchmarks/behaviour. README.md has the rule by which answers are labelled.
"""
