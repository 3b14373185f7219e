"""The notes' sentences that no claim of the lab judges: checked, judged in effect, waiting, or not to be tested."""
