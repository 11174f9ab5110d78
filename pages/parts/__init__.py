"""Building blocks of the pages: the data choice, forms, charts, and the one door to the engine (:mod:`client`)."""
