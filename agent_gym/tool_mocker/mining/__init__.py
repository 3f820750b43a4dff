"""Recorded calls in, frozen models out. Miners know nothing of the rungs that use what they find.

`mine` runs all of them, in this order:

- `ground`: what all others stand on. `sampling` (which conversations teach rules), `tables` and `keys` (which dicts are
  records), `verbs` and `kinds` (which tools write), `history` and `records` (the records before anybody wrote),
  `subjects` (what a call is about).
- `answers`: what each question was answered, and where conversations were told different things. `stories` (what came
  before an answer) tell which of them a session is like.
- `examples`: what each tool did, sorted by what it may teach. `moments` (each call and what was known then), `writes`,
  `side_effects`, `read_backs`, `variables`.
- The rules. `functions`, `variables`, `effects`, `side_effects` and `read_backs` say what an answer is; `queries` and
  `searches` how a record is found; `refusals` (with `conditions` and `error_texts`), `borrowing` and `absence` what is
  denied. All are built by `induction/` of what `atoms` offers. `schemas` says what a call may look like, `wordings` how
  faults sound.
"""
