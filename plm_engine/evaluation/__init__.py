"""How good a forecast is: error measures and the baselines every forecast is compared with."""
