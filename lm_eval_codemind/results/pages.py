"""HTML pages from the packaged templates, each with its style, its script and a policy that forbids all others."""

import base64
import hashlib
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from lm_eval_codemind import __version__


def templates() -> jinja2.Environment:
    """Return the environment of the packaged templates. It escapes for HTML."""
    loader = jinja2.PackageLoader("lm_eval_codemind.results")
    return jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)


def render_page(name: str, **context: Any) -> str:
    """Return the page that ``templates/NAME.html.j2`` describes, with ``common.js`` and ``NAME.js`` as its only script.

    Everything in the context is escaped, unless it is ``Markup``.
    """
    script = _resource("common.js") + _resource(f"{name}.js")
    return (
        templates()
        .get_template(f"{name}.html.j2")
        .render(
            version=__version__,
            style=Markup(_resource("report.css")),
            script=Markup(script),
            script_hash=Markup(base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()),
            **context,
        )
    )


def _resource(name: str) -> str:
    return resources.files("lm_eval_codemind.results").joinpath("templates").joinpath(name).read_text(encoding="utf-8")
