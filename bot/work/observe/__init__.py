"""Reading GitHub: each function answers with facts."""
