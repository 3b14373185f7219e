"""Files that may lie or break: durable writing, manifests, tensors, JSON, tables of values, the cache folder."""
