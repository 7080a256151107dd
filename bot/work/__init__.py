"""The workers: one function per action, reading (`observe/`) or writing (`act/`), and the way of its outcome back."""
