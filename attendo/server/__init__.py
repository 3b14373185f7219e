"""HTTP: a model as a service that many programs already know how to talk to."""
