"""Make a tiny Llama of random weights with a byte-level tokenizer and a chat template, for tests of the whole path."""

import argparse
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

CONTEXT = 8192
CHAT_TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>\n{{ message['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)


def make(directory: Path) -> None:
    """Write model, configuration and tokenizer into a directory; the same weights every time."""
    torch.manual_seed(0)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1024,
        special_tokens=["<|end|>", "<|user|>", "<|assistant|>", "<|system|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    # The package's own sources have the vocabulary of the prompts.
    sources = sorted((Path(__file__).parents[2] / "lm_eval_codemind").rglob("*.txt"))
    tokenizer.train_from_iterator((source.read_text(encoding="utf-8") for source in sources), trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|end|>", pad_token="<|end|>", model_max_length=CONTEXT
    )
    fast.chat_template = CHAT_TEMPLATE
    config = LlamaConfig(
        vocab_size=len(fast),
        # vLLM has attention on the CPU for heads of 32 and more.
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        bos_token_id=None,
        eos_token_id=fast.eos_token_id,
        pad_token_id=fast.pad_token_id,
    )
    model = LlamaForCausalLM(config)
    # Not the end and not part of a character: vLLM holds incomplete characters back, and the response would be empty.
    texts = [tokenizer.decode([number]).strip() for number in range(len(fast))]
    model.lm_head.weight.data[[number for number, text in enumerate(texts) if not text or not text.isascii()]] = 0
    model.to(torch.bfloat16).save_pretrained(directory)
    fast.save_pretrained(directory)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    make(parser.parse_args().directory)
