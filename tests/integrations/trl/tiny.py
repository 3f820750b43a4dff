"""A tokenizer of single bytes and a random model: small enough for a test, real enough for a trainer."""

from pathlib import Path

import torch
import trl
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

TEMPLATES = Path(trl.__file__).parent / "chat_templates"
SPECIAL = ["<pad>", "<|im_start|>", "<|im_end|>"]


def tokenizer(template: str) -> PreTrainedTokenizerFast:
    """Every byte is a token; the chat template is one of those that TRL brings along."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: at for at, token in enumerate([*SPECIAL, *letters])}
    bytes_only = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    bytes_only.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_only.decoder = decoders.ByteLevel()
    bytes_only.add_special_tokens(SPECIAL)
    made = PreTrainedTokenizerFast(tokenizer_object=bytes_only, pad_token="<pad>", eos_token="<|im_end|>")
    made.chat_template = (TEMPLATES / f"{template}.jinja").read_text("utf-8")
    return made


def model(words: PreTrainedTokenizerFast) -> Qwen2ForCausalLM:
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=16384,
        pad_token_id=words.pad_token_id,
        eos_token_id=words.eos_token_id,
    )
    return Qwen2ForCausalLM(config)
