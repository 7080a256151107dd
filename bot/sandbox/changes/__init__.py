"""The only code that alters the state: what people and Apps can do, each alteration told through `GitHub.happen`."""
