"""SkyRL's own registry makes our environment, and its text goes in and out as SkyRL's generator has it."""

import json

import pytest
import skyrl_gym
from skyrl_gym.metrics import aggregate_for_environment

from agent_gym.adapters import skyrl
from agent_gym.environment import create_environment
from tests.environment import clinic
from tests.integrations.conformance import MOST_TURNS, Played, check_adapter
from tests.integrations.pages import run_page

pytestmark = pytest.mark.filterwarnings("default")  # what SkyRL warns of is its own


@pytest.fixture(scope="module")
def gym():
    return create_environment(clinic.traces(), agent="embedded", policy="Be kind.")


@pytest.fixture(scope="module")
def file(gym, tmp_path_factory):
    skyrl.register()
    path = tmp_path_factory.mktemp("saved") / "clinic.gym"
    gym.save(path)
    return str(path)


def rows(gym, file, seed=0):
    return {row["extra_info"]["conversation_id"]: row for row in skyrl.skyrl_rows(gym, file, "train", seed)}


def made(row, max_turns=MOST_TURNS):
    """As SkyRL's generator makes it: the columns of the row but for the prompt are the extras."""
    extras = {name: value for name, value in row.items() if name != "prompt"} | {"max_turns": max_turns}
    environment = skyrl_gym.make(row["env_class"], env_config={}, extras=extras)
    assert environment.init(row["prompt"]) == (row["prompt"], {})
    return environment


def written(action):
    """The action as a model writes it."""
    calls = [json.dumps({"name": call.name, "arguments": call.arguments}) for call in action.tool_calls]
    return "<think>Now.</think>" + ("\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in calls) or action.text)


def plain(observations):
    contents = [message["content"] for message in observations]
    assert {message["role"] for message in observations} <= {"user"}
    return "\n".join(c.removeprefix("<tool_response>\n").removesuffix("\n</tool_response>") for c in contents)


def test_the_conversation_is_that_of_our_own_episode(gym, file):
    def play(cases):
        live = [(made(rows(gym, file, case.seed)[case.conversation_id]), case, [], []) for case in cases]
        for at in range(MOST_TURNS):
            for environment, case, heard, paid in live:
                if not environment.episode.over:
                    step = environment.step(written(case.actions[at]))
                    heard.append(plain(step["observations"]))
                    paid.append(step["reward"])
                    assert step["done"] == environment.episode.over
        return [Played(tuple(heard), sum(paid), env.episode.ending) for env, _, heard, paid in live]

    check_adapter(gym, play)


def test_the_prompt_holds_rules_tools_and_the_customers_first_words(gym, file):
    system, *greeting, opener = rows(gym, file)["c2"]["prompt"]
    assert system["role"] == "system" and "Own rules." in system["content"] and '"get_visit"' in system["content"]
    assert greeting == [{"role": "assistant", "content": "Welcome to the clinic."}]
    assert opener == {"role": "user", "content": gym.episode("c2").user.open().text}


def test_metrics_are_averaged_over_episodes(gym, file):
    episodes = [made(rows(gym, file)["c1"], max_turns=1) for _ in range(2)]
    for environment, line in zip(episodes, ("I cannot help.", "<tool_call>{broken</tool_call>"), strict=True):
        environment.step(line)
    found = aggregate_for_environment(skyrl.ENV_CLASS, [environment.get_metrics() for environment in episodes])
    assert (found["success"], found["malformed"], found["turns"]) == (0.0, 0.5, 1.0)


def test_registering_twice_is_registering_once():
    skyrl.register()
    skyrl.register()
    assert skyrl_gym.spec(skyrl.ENV_CLASS).entry_point.endswith(":AgentGymEnv")


def test_the_page_runs_as_written(tmp_path):
    assert "'success': False" in run_page("skyrl", tmp_path)
