"""The transactions, pure too: given what is known, which step of a repair, a sync, a fixer run or a landing is next."""
