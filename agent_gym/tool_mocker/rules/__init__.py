"""Small printable rules over a call, its record and what they refer to; learned in `mining/`, applied in `rungs/`."""
