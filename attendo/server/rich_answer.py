"""All that is known of a translation, for our own API: words with their log-probabilities, alignment, ledger, remarks."""

from typing import Any

from attendo.server.job import Job
from attendo.server.translate_job import Translated
