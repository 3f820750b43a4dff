"""The examples most like a call: found without looking at each, the same as if each were looked at."""

import random

from agent_gym.text import canonical
from agent_gym.tool_mocker.alike import Alike, likeness
from tests.tool_mocker.builders import Call, mocker


def found(dice: random.Random) -> Call:
    names = dice.sample(["city", "day", "seats", "class"], dice.randrange(1, 5))
    asked = {name: dice.randrange(6) for name in names}
    return "find", asked, {"price": dice.randrange(100), **asked}


def test_the_examples_found_are_those_of_the_greatest_likeness_in_their_order():
    dice = random.Random(0)
    model = mocker(*([found(dice)] for _ in range(60))).world.tools["find"]
    alike = Alike()
    for _ in range(200):
        _, asked, _ = found(dice)
        forms = {name: canonical(value + 3) for name, value in asked.items()} | {"other": b"1"}
        how_like = [likeness(example, forms, model.weights) for example in model.examples]
        wanted = [e for e, how in zip(model.examples, how_like, strict=True) if how == max(how_like)]
        assert list(alike.most(model, forms)) == wanted
