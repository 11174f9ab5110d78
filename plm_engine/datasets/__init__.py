"""From a file to arrays: reading, roles, checks, split and scaling.  Never imports torch."""
