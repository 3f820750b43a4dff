"""How rules are found: the simplest expression that explains what was seen. Read `inducer` first."""
