"""The READMEs say what is upstream's in each published task, and no more than the tasks do."""

import re

import pytest

import published_forms
from lm_eval_codemind.families import families

ROOT = published_forms.TASKS.parent


@pytest.mark.parametrize("name", published_forms.forms())
def test_a_readme_has_the_table_that_is_made_from_its_tasks(name):
    readme = (published_forms.TASKS / name / "README.md").read_text(encoding="utf-8")
    assert published_forms.filled(readme, published_forms.forms()[name]) == readme


def test_every_published_task_is_in_one_table():
    rows = [row for about in published_forms.forms().values() for row in about["rows"]]
    for task in published_forms.published():
        assert sum(any(published_forms.fnmatch(task, pattern) for pattern in row["tasks"]) for row in rows) == 1, task


def test_tasks_without_upstreams_prompts_say_so_wherever_they_are_described():
    ours = [
        task for task, path in published_forms.published().items() if not published_forms.family_of(path).prompt_texts
    ]
    assert ours == ["codemind_ier_published_classeval"]
    for task in ours:
        path = published_forms.published()[task]
        family = published_forms.family_of(path)
        assert published_forms.OUR_PROMPTS in path.read_text(encoding="utf-8").lower()
        assert published_forms.OUR_PROMPTS in (family.__doc__ or "").lower().replace(", and our", ", our")
        assert all("our prompts" in variant.title for variant in family.variants)
        changes = " ".join((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split())
        assert f"`{task}` has {published_forms.OUR_PROMPTS}" in changes


def test_a_family_that_claims_published_prompts_in_its_docstring_sends_them():
    claims = [family for family in families().values() if re.search(r"\bprompts?\b", family.__doc__ or "")]
    published = [family for family in claims if "published" in family.name or "upstream" in (family.__doc__ or "")]
    assert len(published) >= 5
    for family in published:
        assert family.prompt_texts or "our prompts" in (family.__doc__ or ""), family.name


def test_a_family_with_upstreams_prompts_has_no_templates_of_its_own():
    for family in families().values():
        if family.prompt_texts:
            templates = {path.name: path.read_text(encoding="utf-8") for path in family.templates.iterdir()}
            assert templates["prompt.txt"] == "{{ prompt }}\n", family.name
