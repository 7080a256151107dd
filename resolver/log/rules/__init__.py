"""The rule files: data only. `resolver.log.rulebook` reads and checks them."""
