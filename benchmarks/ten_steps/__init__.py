"""The ten steps of docs/ten-steps: from code and prose to executed notebooks and pages, in two languages."""
