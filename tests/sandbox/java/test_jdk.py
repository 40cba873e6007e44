"""Where the sandbox looks for Java, and its message where there is none."""

from pathlib import Path

import pytest

from lm_eval_codemind.sandbox.java import jdk, machine


def installed(home: Path, version: str = "", compiler: bool = True, status: int = 0) -> Path:
    """Make what looks like a Java."""
    (home / "bin").mkdir(parents=True)
    java = home / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\nexit {status}\n")
    java.chmod(0o755)
    if compiler:
        (home / "bin" / "javac").write_text("#!/bin/sh\n")
        (home / "bin" / "javac").chmod(0o755)
    return home


def test_java_home_comes_before_the_path(tmp_path, monkeypatch):
    named, on_path = installed(tmp_path / "a", "21.0.2"), installed(tmp_path / "b", "17.0.15")
    monkeypatch.setenv("PATH", f"{on_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert jdk.find() == jdk.Jdk(on_path, 17, "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(named))
    assert jdk.find() == jdk.Jdk(named, 21, "21.0.2")


def test_links_of_the_path_are_followed(tmp_path, monkeypatch):
    home = installed(tmp_path / "jdk", "17")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "javac").symlink_to(home / "bin" / "javac")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(jdk, "at", lambda home: jdk.Jdk(home, 17, "17"))
    assert jdk.find().home == home


@pytest.mark.parametrize(("version", "compiler", "status", "said"), [
    ("1.8.0_402", True, 0, "too old"), ("11.0.2", True, 0, "is Java 11.0.2, too old"),
    ("21.0.2", False, 0, "a runtime without a compiler"), ("21.0.2", True, 1, "does not start"),
    ("none", True, 0, "does not start"),
])  # fmt: skip
def test_what_does_not_do_is_refused_with_what_to_install(tmp_path, monkeypatch, version, compiler, status, said):
    monkeypatch.setenv("JAVA_HOME", str(installed(tmp_path / "jdk", version, compiler, status)))
    with pytest.raises(jdk.JavaUnavailable, match=said) as refusal:
        jdk.find()
    assert "JAVA_HOME" in str(refusal.value) and "Install a JDK of version 17 or newer" in str(refusal.value)


def test_no_java_at_all(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(jdk.JavaUnavailable, match=r"there is none on PATH\. Install"):
        jdk.find()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(jdk.JavaUnavailable, match="has no bin/java"):
        jdk.find()


def test_the_directories_that_links_lead_to_belong_to_it(tmp_path):
    home = installed(tmp_path / "jdk", "17")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "jvm.cfg").write_text("")
    (home / "lib").mkdir()
    (home / "lib" / "jvm.cfg").symlink_to(tmp_path / "etc" / "jvm.cfg")
    assert sorted(jdk.Jdk(home, 17, "17").directories()) == sorted([str(home), str(tmp_path / "etc")])


@pytest.mark.proof
def test_the_compiler_is_made_wherever_the_package_lies(tmp_path, java, monkeypatch):
    folder = tmp_path / "odd äö place"
    folder.mkdir()
    for source in Path(machine.__file__).parent.glob("*.java"):
        (folder / source.name).write_bytes(source.read_bytes())
    monkeypatch.setattr(machine, "__file__", str(folder / "machine.py"))
    made = machine._prepare.__wrapped__(java, java)
    assert any(made.directory.glob("*.class"))
