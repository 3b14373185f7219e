"""Translating more text than one machine should: shards and leases, and nothing but files between the runners."""
