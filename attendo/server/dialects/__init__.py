"""One small pure file per dialect: a body in, a job out; answers in, JSON out; errors in the caller's own form."""
