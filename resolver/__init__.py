"""The pure core: values in, values out. No I/O, clock, randomness or global state below this package."""
