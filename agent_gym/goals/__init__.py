"""Successful traces in, goals out: what a conversation was for, and whether it was reached.

Goals come from successes alone. A success is its own goal; a failure borrows the goal of a success of the
same case; a conversation with neither has none. Where no conversation of the corpus says how it ended,
each one that was not cut off is taken as a success, and its goal says `assumed`.

Read in this order: `calls` (when two calls are the same), `told` and `deeds` (what an agent said and did),
`answers` (what a success found out for its customer), `goal` (what has to be true in the end), `mining` (from traces
to goals).
"""

from agent_gym.goals.calls import arguments_of, call_key, leaves, values_of
from agent_gym.goals.deeds import Deeds, cut_off, deeds_in, result_of
from agent_gym.goals.goal import READS_NEEDED, Goal, GoalSource, Matched, Place, is_void
from agent_gym.goals.mining import Goals, goal_from, goal_of
from agent_gym.goals.told import QUESTION_MARKS, Told, heard_in

__all__ = [
    "QUESTION_MARKS",
    "READS_NEEDED",
    "Deeds",
    "Goal",
    "GoalSource",
    "Goals",
    "Matched",
    "Place",
    "Told",
    "arguments_of",
    "call_key",
    "cut_off",
    "deeds_in",
    "goal_from",
    "goal_of",
    "heard_in",
    "is_void",
    "leaves",
    "result_of",
    "values_of",
]
