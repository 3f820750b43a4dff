"""Two steps of a real GRPOTrainer in a gym: what the model is made to say reaches the tools and the customer."""

import json
import os
import re

import pytest

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"

from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from agent_gym.adapters.trl import TrlSpec, rollouts
from agent_gym.adapters.trl.cases import CASE
from agent_gym.adapters.trl.sampling import Sampled, sample
from agent_gym.adapters.trl.tokens import Tokens
from agent_gym.environment import Environment, create_environment
from agent_gym.types import Message
from tests.environment import clinic
from tests.integrations.trl import tiny

pytestmark = pytest.mark.filterwarnings("default")  # what trainers warn of is theirs
GROUP = 2


@pytest.fixture(scope="module")
def gym() -> Environment:
    return create_environment([clinic.cancelled(i) for i in range(6)], agent="embedded")


def trainer(tmp_path, spec, words, **how):
    config = GRPOConfig(
        output_dir=str(tmp_path), use_cpu=True, bf16=False, max_steps=2, per_device_train_batch_size=2 * GROUP,
        num_generations=GROUP, max_completion_length=1200, report_to=[], logging_steps=1, save_strategy="no",
        dataloader_pin_memory=False, gradient_checkpointing=False, beta=0.0, seed=0,
    )  # fmt: skip
    return GRPOTrainer(
        tiny.model(words), spec.reward_funcs, config, train_dataset=spec.train_dataset, processing_class=words, **how
    )


def turns(visit: str) -> list[str]:
    calls = [json.dumps({"name": name, "arguments": {"visit_id": visit}}) for name in ("get_visit", "cancel_visit")]
    return [*(f"<think>Now.</think><tool_call>\n{call}\n</tool_call>" for call in calls), f"{visit} is cancelled."]


def scripted(words, heard):
    """A stand-in for sampling: every other conversation is played well, the rest are refused."""

    def said(_trainer, contexts, limits):
        found = []
        for at, context in enumerate(contexts):
            text = words.decode(context)
            heard.append(text)
            asked = text.partition("<|im_start|>user")[2]
            done = asked.count("<|im_start|>assistant") - 1
            good = "sorry" not in text and (done > 0 or at % 2 == 0)
            line = turns(re.findall(r"V-\d+", asked)[0])[min(done, 2)] if good else "I am sorry, I cannot do that."
            ids = words(line + "<|im_end|>", add_special_tokens=False)["input_ids"]
            found.append(Sampled(ids, [-1.0] * len(ids)))
        return found

    return said


def test_two_steps_carry_calls_replies_and_rewards_through_the_trainer(gym, tmp_path, monkeypatch):
    words, heard, spec = tiny.tokenizer("qwen3"), [], TrlSpec(gym, turn_tokens=200)
    monkeypatch.setattr(rollouts, "sample", scripted(words, heard))
    episodes, opened = [], spec.cases.open
    monkeypatch.setattr(type(spec.cases), "open", lambda _, case: episodes.append(opened(case)) or episodes[-1])
    spec.train_dataset  # noqa: B018  its rows open episodes too
    episodes.clear()
    trained = trainer(tmp_path, spec, words, rollout_func=spec.rollout_func)
    trained.train()
    played = [[call.name for call, _ in episode.answers] for episode in episodes]
    assert played.count(["get_visit", "cancel_visit"]) == played.count([]) == len(episodes) // 2 > 0
    assert {episode.ending for episode in episodes if episode.answers} == {"customer_left"}
    assert all(answer.source == "recorded" for episode in episodes for _, answer in episode.answers)
    assert any("tool_response" in text and '"status": "booked"' in text for text in heard)
    logged = trained.state.log_history[0]
    assert logged["gym/success"] == 0.5 and logged["frac_reward_zero_std"] == 0.0 and logged["gym/masked"] == 0.0
    assert logged["gym/answers/recorded"] == 1.0


@pytest.mark.parametrize("template", ["qwen3", "qwen2_5"])
def test_sampled_ids_are_kept_as_they_were_and_all_lengths_agree(gym, tmp_path, monkeypatch, template):
    words, heard, spec = tiny.tokenizer(template), [], TrlSpec(gym, turn_tokens=200)
    monkeypatch.setattr(rollouts, "sample", scripted(words, heard))
    made = trainer(tmp_path, spec, words, rollout_func=spec.rollout_func)
    fields = spec.rollout_func([spec.train_dataset[0]["prompt"]] * 2, made)
    for ids, logprobs, mask in zip(fields["completion_ids"], fields["logprobs"], fields["env_mask"], strict=True):
        assert len(ids) == len(logprobs) == len(mask)
        own = words.decode([token for token, wrote in zip(ids, mask, strict=True) if wrote])
        assert set(own.split("<|im_end|>")) <= {*turns(own_visit(own)), "I am sorry, I cannot do that.", ""}
    thinking = words.decode(fields["completion_ids"][0])
    assert thinking.count("<think>Now.</think>") == 2  # though the template would drop them on a second rendering


def own_visit(text: str) -> str:
    return next(iter(re.findall(r"V-\d+", text)), "")


def test_the_ids_of_a_conversation_are_what_the_template_renders(gym):
    words = tiny.tokenizer("qwen2_5")
    tokens = Tokens(words, {})
    said = words("One moment.<|im_end|>", add_special_tokens=False)["input_ids"]
    whole = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "One moment."}]
    reply = {"role": "user", "content": "Well?"}
    pieces = tokens.prompt(whole[:1], []) + said + tokens.after(said, [Message("user", "Well?")])
    assert pieces == tokens.prompt([*whole, reply], [])


def test_a_turn_cut_short_is_ended_before_the_answer_to_it(gym):
    tokens = Tokens(tiny.tokenizer("qwen2_5"), {})
    assert tokens.after([5], [Message("user", "Well?")])[0] == tokens.end


def test_a_real_model_samples_with_the_log_probability_of_each_token(gym, tmp_path):
    words, spec = tiny.tokenizer("qwen2_5"), TrlSpec(gym)
    made = trainer(tmp_path, spec, words, rollout_func=spec.rollout_func)
    turns = sample(made, [[5, 6, 7], [8]], [12, 4])
    assert [len(turn.ids) for turn in turns] <= [12, 4]
    assert all(len(turn.ids) == len(turn.logprobs) and max(turn.logprobs) < 0 for turn in turns)


def test_the_trainers_own_tool_loop_meets_the_customer_through_a_tool(gym, tmp_path, monkeypatch):
    words, spec = tiny.tokenizer("qwen2_5"), TrlSpec(gym)
    made = trainer(tmp_path, spec, words, environment_factory=spec.environment_factory)
    opened = []

    def generated(prompts, *_, **__):
        opened.append(len(prompts))
        asks = "Which visit?" not in words.decode(prompts[0])
        line = '<tool_call>\n{"name": "respond_to_user", "arguments": {"message": "Which visit?"}}\n</tool_call>'
        ids = words((line if asks else "Bye.") + "<|im_end|>", add_special_tokens=False)["input_ids"]
        return [ids] * len(prompts), None

    monkeypatch.setattr(made, "_generate_single_turn", generated)
    made.train()
    heard = [[message.text for message in episode._live().messages] for episode in made.environments]
    assert len(heard) == 2 * GROUP and all("Which visit?" in texts and len(texts) == 3 for texts in heard)
    assert "gym/success" in made.state.log_history[0]


def test_a_call_that_cannot_be_read_is_a_mistake_the_episode_names(gym):
    words = tiny.tokenizer("qwen2_5")
    ids = words('<tool_call>\n{"name": "get_visit", \n</tool_call><|im_end|>', add_special_tokens=False)["input_ids"]
    episode = gym.episode("c1")
    episode.step(Tokens(words, {}).action(ids, [], []))
    assert "malformed_action" in episode.flags and "JSON" in str(episode.messages[-1].result)


def test_a_prompt_of_another_dataset_is_named(gym):
    with pytest.raises(Exception, match=CASE):
        TrlSpec(gym).cases.of_prompt([{"role": "user", "content": "Hi"}])


def test_a_warm_start_on_whole_conversations_learns_the_agents_words_and_no_others(gym, tmp_path):
    words, spec = tiny.tokenizer("qwen3"), TrlSpec(gym, show_tools=False)
    config = SFTConfig(
        output_dir=str(tmp_path), use_cpu=True, bf16=False, max_steps=1, assistant_only_loss=True, report_to=[],
        save_strategy="no", dataloader_pin_memory=False, gradient_checkpointing=False,
    )  # fmt: skip
    trainer = SFTTrainer(tiny.model(words), config, train_dataset=spec.sft_conversations, processing_class=words)
    batch = next(iter(trainer.get_train_dataloader()))
    learned = words.decode(batch["labels"][0][batch["labels"][0] >= 0])
    read = words.decode(batch["input_ids"][0])
    assert "cancel_visit" in learned
    assert "tool_response" in read and "tool_response" not in learned
    assert trainer.train().global_step == 1
