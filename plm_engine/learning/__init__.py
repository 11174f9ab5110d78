"""RPLM's modules, one file each: interpreting, picking, understanding, cramming, organizing (with regularizing)."""
