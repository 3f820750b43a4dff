"""The ways to answer a call, one module each: `answer(call, view)` gives a ToolAnswer, or None to pass it on.

What `invalid` lets through is a call of a known tool with an object as its arguments: the rungs after it rely on that.
"""
