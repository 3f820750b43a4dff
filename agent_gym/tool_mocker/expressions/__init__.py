"""The little language that rules are written in: expressions with a value in a context, predicates, and their words."""

from agent_gym.tool_mocker.expressions import counting, filters, language, predicates, structures

__all__ = ["KEPT"]

KEPT: tuple[type, ...] = (  # what a stored rule may hold of them
    *(language.Const, language.Path, language.Given, language.Lookup, language.Total, language.Piece, language.Sorted),
    *(language.Unary, language.Binary, language.Choice, language.Mapped, language.Template),
    *(language.Calculated, counting.Successor, counting.FirstKnown, counting.NextNumber),
    *(predicates.NotAmong, predicates.NotYet, predicates.Misshapen, predicates.NotMember, predicates.Unnamed),
    *(predicates.Compared, predicates.Equal, predicates.Both, filters.Filter),
    *(structures.Object, structures.ListOf, structures.Appended, structures.AppendedEach),
    *(structures.Replaced, structures.Removed),
)
