"""How the arithmetic of RPLM is shared out over processors; see :mod:`plm_engine.parallel.strategy`."""
