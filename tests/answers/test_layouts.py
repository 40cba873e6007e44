"""Every label of every task is read back from every layout, and never from thinking that is cut off.

What says nothing, and what answers another problem, is never right.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lm_eval.tasks import TaskManager

from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.families import families
from lm_eval_codemind.family import Family
from lm_eval_codemind.harness.location import task_directories
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.questions import Question

LIST = read_yaml(Path(__file__).with_name("thinking_formats.yaml"))
FORMATS = [row[tokens] for row in LIST for tokens in ("kept", "skipped") if row.get(tokens)]
BLOCK = re.compile(r"<(?P<mark>output|answer|input|trace)>\n(?P<label>.*?)\n?</(?P=mark)>", re.DOTALL)
DRAFT = "First idea: <output>\n54\n</output> <answer>54</answer> <input>f(54)</input> <trace>54</trace> No, one more.\n"

# The tasks whose answers have marks, in groups; the others ask for programs, or have the rules of a published study.
TASKS = ("branches", "loops", "trace", "ier", "input", "runtime", "verdict", "locate", "re2")

Layout = Callable[[str, str], str]
# Layouts of any text, which may have several lines.
TEXT: dict[str, Layout] = {
    "plain": lambda label, name: label,
    "fence": lambda label, name: f"```\n{label}\n```",
    "fence with a language": lambda label, name: f"```python\n{label}\n```",
    "fence without an end": lambda label, name: f"```\n{label}",
    "fence with prose below": lambda label, name: f"```\n{label}\n```\nThe loop ends there.",
    "label and fence": lambda label, name: f"Output:\n```\n{label}\n```",
    "label": lambda label, name: f"Answer:\n{label}",
    "bold label": lambda label, name: f"**Output:**\n{label}",
    "box": lambda label, name: f"\\boxed{{{label}}}",
    "code tag": lambda label, name: f"<code>{label}</code>",
    "back-ticks": lambda label, name: f"`{label}`",
    "bold": lambda label, name: f"**{label}**",
    "bold back-ticks": lambda label, name: f"**`{label}`**",
    "formula": lambda label, name: f"${label}$",
    "box in a formula": lambda label, name: f"$\\boxed{{{label}}}$",
    "invisible": lambda label, name: f"\ufeff{label}\u200b\u2060",
}
# Layouts of an answer that is a value, a word, a number or a list.
VALUE: dict[str, Layout] = {
    "label in the same line": lambda label, name: f"Answer: {label}",
    "bold label in the same line": lambda label, name: f"**Output:** {label}",
    "wide blanks": lambda label, name: f"\u202f\u00a0{label}\u3000",
    "thin blank": lambda label, name: f"\u2009{label}\u2009",
    "full stop": lambda label, name: f"{label}.",
    "name": lambda label, name: f"{name} = {label}" if name else label,
    "name in back-ticks": lambda label, name: f"`{name}` = {label}" if name else label,
    "minus": lambda label, name: f"\u2212{label[1:]}" if re.match(r"-\d", label) else label,
}
# Text after an answer. A list of lines, or a printed text, has no end but that of its block.
AFTER: dict[str, Layout] = {
    "prose": lambda label, name: f"{label}, because the loop ends there",
    "prose below": lambda label, name: f"{label}\n\nThe loop ends there.",
    "prose in brackets": lambda label, name: f"{label} (as line 3 is not reached)",
}
OUTSIDE = "So the loop ends there, and x is 3. Both <output> and </output> are there.\nThe value of x was 3."


def tasks(group: str) -> Iterator[tuple[str, Family, list[dict[str, Any]]]]:
    """Yield the tasks of a group whose answers have marks, with their documents."""
    manager = TaskManager(include_path=list(task_directories()), include_defaults=False)
    by_name = {variant.name: family for family in families().values() for variant in family.variants}
    for task in sorted(manager.all_tasks):
        if not task.startswith(f"codemind_{group}_") or "published" in task:
            continue
        loaded = manager.load([task])["tasks"]
        if list(loaded) != [task]:
            continue
        metadata = loaded[task].config.metadata or {}
        family = by_name.get(str(metadata.get("suite", {}).get("family")))
        documents = list(loaded[task].eval_docs)
        if family is not None and documents and BLOCK.search(documents[0]["target"]):
            yield task, family, documents


def name_of(question: Question) -> str:
    if question.key.setting == "state":
        return str(question["variable"])
    if question.key.setting == "loops":
        from lm_eval_codemind.data.facts.executions import loop_variables

        return ", ".join(loop_variables(question["code"]).get(question["line"], ()))
    return ""


def layouts_of(question: Question) -> dict[str, Layout]:
    """Return the layouts in which a person may write the answer to a question."""
    setting, target = question.key.setting, question.target
    label = (BLOCK.search(target) or {"label": ""})["label"].strip()
    printed = kind_of(question).printed and ("<answer>" not in target or setting in ("output", "input"))
    # A line of code goes on to its end, like a printed text.
    if printed or "\n" in label or "<trace>" in target or is_line_of_code(question):
        # In bold text, two asterisks end it.
        fits = {name: write for name, write in TEXT.items() if "**" not in label or "bold" not in name}
        return fits if label else {name: TEXT[name] for name in ("plain", "fence", "invisible")}
    return TEXT | VALUE | ({} if "<input>" in target else AFTER)


def is_line_of_code(question: Question) -> bool:
    return {"program", "lines"} <= question.fields.keys()


def is_right(family: Family, question: Question, response: str) -> bool:
    answer = family.read(response, question, family.filters[0])
    if answer.reading != "read":
        return False
    if is_line_of_code(question):
        return answer.program == family.read(question.target, question, family.filters[0]).program
    if family.executes:
        return bool(answer.details.get("as_recorded")) or bool(
            getattr(family, "right", lambda *_: False)(question, answer)
        )
    return family.score(question, answer)[family.verdict] == 1


def laid_out(question: Question, layout: Layout) -> str:
    name = name_of(question)
    return BLOCK.sub(
        lambda block: f"<{block['mark']}>\n{layout(block['label'], name)}\n</{block['mark']}>", question.target
    )


def failures(group: str) -> Iterator[tuple[str, str, str]]:
    """Yield the task, the layout and the response for each answer that is not read back."""
    seen = set[tuple[str, ...]]()
    for task, family, documents in tasks(group):
        for number, document in enumerate(documents):
            question = Question.from_document(document)
            # Each format of thinking meets each task.
            for opens, closes, after in FORMATS[number :: len(documents)]:
                response = f"{opens}{DRAFT}{closes}\n{question.target}{after}"
                if not is_right(family, question, response):
                    yield task, f"after {opens}", response
                response = f"{opens}{DRAFT}{question.target[:-3]}"
                answer = family.read(response, question, family.filters[0])
                if answer.text is not None or answer.reading != "unfinished":
                    yield task, f"cut off after {opens}", response
            # Tasks on the same problems share many answers.
            same = (type(family).__name__, question.kind, question.target, name_of(question), question.key.setting[:5])
            if same in seen:
                continue
            seen.add(same)
            responses = {layout: laid_out(question, write) for layout, write in layouts_of(question).items()}
            responses["prose outside"] = f"{question.target}\n{OUTSIDE}"
            for layout, response in responses.items():
                if not is_right(family, question, response):
                    yield task, layout, response


@pytest.mark.parametrize("group", TASKS)
def test_every_label_of_every_task(group, built):
    assert [(task, layout, response[-300:]) for task, layout, response in failures(group)] == []


# What a model writes that does not know.
NOTHING = ("not sure", "N/A", "yes or no", "No idea", "I don't know.")


def misjudged(group: str) -> Iterator[tuple[str, str, str]]:
    """Yield the task, the kind and the response where a score is not the one that a person would give."""
    for task, family, documents in tasks(group):
        targets = [str(document["target"]) for document in documents]
        for document in documents:
            question, target = Question.from_document(document), str(document["target"])
            label = [block["label"].strip() for block in BLOCK.finditer(target)]
            for text in NOTHING:
                if text not in label and is_right(family, question, laid_out(question, lambda *_, text=text: text)):
                    yield task, text, target
            if not is_right(family, question, f"{document['prompt']}\n{target}"):
                yield task, "after the repeated prompt", target
            other = next((one for one in targets if one != target and not is_right(family, question, one)), None)
            if other is None:
                continue
            if not is_right(family, question, f"{other}\n\nThat was the example. Now the problem.\n\n{target}"):
                yield task, "after the answer of the example", target
            if not is_right(family, question, f"{target}\n\n{document['prompt']}\n{other}"):
                yield task, "before an invented problem", target


@pytest.mark.proof
@pytest.mark.parametrize("group", TASKS)
def test_what_answers_nothing_or_another_problem(group, built):
    assert [(task, kind, target[-300:]) for task, kind, target in misjudged(group)] == []
