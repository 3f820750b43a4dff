"""The ways to answer a call, one module each: `answer(call, view)` gives a ToolAnswer, or None to pass it on."""
