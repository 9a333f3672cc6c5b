"""Does the map of a repository hold what it should, and nothing else?"""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.ingest import repo
from recollect.ingest.repo import RepoMap, internal_imports, map_repo, module_name, scan_repo
from recollect.ingest.repo_files import ALWAYS_EXCLUDED, PREFLIGHT, Patterns, list_repo

EVERYTHING = Patterns()


def write(root: Path, **files: str) -> Path:
    """Files by name, with `__` for a slash."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def mapped(root: Path, patterns: Patterns = EVERYTHING, *, force: bool = False) -> RepoMap:
    return map_repo(scan_repo(root, patterns, force=force))


@pytest.mark.parametrize("folder", sorted(ALWAYS_EXCLUDED))
def test_generated_folders_are_left_out_wherever_they_are(folder: str, tmp_path: Path) -> None:
    for place in (folder, f"deep/{folder}/inner"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "made.py").write_text("x = 1\n")
    (tmp_path / "main.py").write_text("x = 1\n")
    listing = list_repo(tmp_path, EVERYTHING)
    assert (listing.files, listing.top_level) == (["main.py"], ["deep", "main.py"])


def test_the_file_that_marks_a_worktree_is_left_out(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    assert list_repo(tmp_path, EVERYTHING).top_level == []


@pytest.mark.parametrize("name", sorted(PREFLIGHT))
def test_state_of_agents_waits_for_a_decision(name: str, tmp_path: Path) -> None:
    (tmp_path / "pkg" / name).mkdir(parents=True)
    (tmp_path / "pkg" / name / "notes.md").write_text("# Notes\n")
    listing = list_repo(tmp_path, EVERYTHING)
    assert (listing.preflight, listing.files) == ([f"pkg/{name}"], [])
    forced = list_repo(tmp_path, EVERYTHING, force=True)
    assert (forced.preflight, forced.files) == ([f"pkg/{name}"], [f"pkg/{name}/notes.md"])
    assert list_repo(tmp_path, Patterns(exclude=(name,))).preflight == []


def test_state_of_agents_matters_only_where_its_files_are_wanted(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "notes.md").write_text("# Notes\n")
    assert list_repo(tmp_path, Patterns(include=("src/*",))).preflight == []
    assert list_repo(tmp_path, Patterns(include=("*.md",))).preflight == [".codex"]


@pytest.mark.parametrize(
    ("include", "exclude", "kept"),
    [
        ((), ("docs",), {"README.md", "src/a.py", "src/gen/b.py"}),
        ((), ("docs/",), {"README.md", "src/a.py", "src/gen/b.py"}),
        ((), ("src/gen",), {"README.md", "docs/c.md", "src/a.py"}),
        ((), ("*.py",), {"README.md", "docs/c.md"}),
        ((), ("**/b.py",), {"README.md", "docs/c.md", "src/a.py"}),
        (("*.md",), (), {"README.md", "docs/c.md"}),
        (("src",), (), {"src/a.py", "src/gen/b.py"}),
        (("src/**",), ("gen",), {"src/a.py"}),
        (("./docs",), (), {"docs/c.md"}),
        (("README.md",), ("README.md",), set[str]()),
    ],
)
def test_patterns_fit_paths_and_names(
    include: tuple[str, ...], exclude: tuple[str, ...], kept: set[str], tmp_path: Path
) -> None:
    write(
        tmp_path, README_dot_md="# R\n", docs__c_dot_md="# C\n", src__a_dot_py="a = 1\n", src__gen__b_dot_py="b = 1\n"
    )
    assert set(list_repo(tmp_path, Patterns.of(include, exclude)).files) == kept


@pytest.mark.parametrize(
    ("include", "kept"),
    [
        ((), {".gitignore", "README.md", "src/.gitignore", "src/a.py", "src/keep.gen.py"}),
        (("out",), {"out/b.py", "out/deep/c.py"}),
        (("out/deep/*.py",), {"out/deep/c.py"}),
        (("*.py",), {"src/a.py", "src/b.gen.py", "src/keep.gen.py"}),
        (("src",), {"src/.gitignore", "src/a.py", "src/keep.gen.py"}),
    ],
)
def test_what_git_ignores_is_left_out_unless_a_pattern_asks_for_it(
    include: tuple[str, ...], kept: set[str], tmp_path: Path
) -> None:
    write(
        tmp_path, README_dot_md="# R\n", src__a_dot_py="a = 1\n", out__b_dot_py="b = 1\n", out__deep__c_dot_py="c = 1\n"
    )
    write(
        tmp_path, src__b_dot_gen_dot_py="b = 1\n", src__keep_dot_gen_dot_py="k = 1\n", out__deep___dot_gitignore="*\n"
    )
    write(tmp_path, _dot_gitignore="out/\n*.gen.py\n", src___dot_gitignore="!keep.gen.py\n")
    files = set(list_repo(tmp_path, Patterns.of(include, ())).files)
    assert {file for file in files if not file.startswith("out/deep/.")} == kept


def test_state_of_agents_waits_for_a_decision_though_git_ignores_it(tmp_path: Path) -> None:
    write(tmp_path, _dot_gitignore=".codex\n", _dot_codex__notes_dot_md="# N\n", a_dot_py="a = 1\n")
    assert list_repo(tmp_path, EVERYTHING).preflight == [".codex"]
    assert ".codex/notes.md" in list_repo(tmp_path, EVERYTHING, force=True).files


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, src__a_dot_py="a = 1\n")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "copy.py").symlink_to(tmp_path / "src" / "a.py")
    assert list_repo(tmp_path, EVERYTHING).files == ["src/a.py"]


def test_a_map_knows_code_modules_and_sections(tmp_path: Path) -> None:
    write(
        tmp_path,
        README_dot_md="# Demo\n\nHello.\n\n## Use\n\nCall it.\n",
        src__demo_dot_py="import os\n\n\nclass A:\n    def run(self): ...\n",
        data_dot_json="{}\n",
    )
    found = mapped(tmp_path)
    assert [(one.path, one.language, one.lines) for one in found.code] == [("src/demo.py", "python", 5)]
    (module,) = found.modules
    assert (module.name, module.outline.imports, module.outline.named("class", "method")) == (
        "src.demo",
        ("os",),
        ("A", "A.run"),
    )
    assert [(one.path, one.chunk.heading_path, one.chunk.line_start) for one in found.sections] == [
        ("README.md", ("Demo",), 1),
        ("README.md", ("Demo", "Use"), 5),
    ]
    assert found.top_level == ("README.md", "data.json", "src")


def test_caps_keep_the_foremost_and_totals_count_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("DOCUMENTS", 2), ("SECTIONS", 3), ("CODE_FILES", 2), ("MODULES", 1)):
        monkeypatch.setattr(repo, f"MOST_{name}", value)
    for at in range(4):
        write(tmp_path, **{f"tests__test_{at}_dot_py": "x = 1\n", f"docs__{at}_dot_md": "# D\n\na\n\n## E\n\nb\n"})
    write(tmp_path, src__z_dot_py="z = 1\n", README_dot_md="# R\n")
    found = mapped(tmp_path)
    assert [one.path for one in found.code] == ["src/z.py", "tests/test_0.py"]
    assert [one.source.path for one in found.modules] == ["src/z.py"]
    assert [one.path for one in found.documents] == ["README.md", "docs/0.md"]
    assert (len(found.sections), found.totals) == (
        3,
        {"code_files": 5, "code_modules": 5, "documents": 5, "document_sections": 3},
    )


def test_the_fingerprint_changes_with_files_and_with_patterns(tmp_path: Path) -> None:
    write(tmp_path, a_dot_py="a = 1\n", b_dot_py="b = 1\n", _dot_codex__s_dot_md="# S\n")
    first = scan_repo(tmp_path, EVERYTHING).fingerprint
    assert scan_repo(tmp_path, EVERYTHING).fingerprint == first
    assert scan_repo(tmp_path, Patterns(exclude=(".codex",))).fingerprint != first
    assert scan_repo(tmp_path, Patterns(exclude=("nothing",))).fingerprint != first
    assert scan_repo(tmp_path, EVERYTHING, force=True).fingerprint != first
    (tmp_path / "a.py").write_text("a = 2\n")
    assert scan_repo(tmp_path, EVERYTHING).fingerprint != first


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "binary.py").write_bytes(b"a\0b")
    (tmp_path / "latin.md").write_bytes("# Caf\xe9\n".encode("latin-1"))
    found = mapped(tmp_path)
    assert [(one.path, one.problem) for one in found.problems] == [("binary.py", "binary, though its name says text")]
    assert found.sections[0].chunk.heading_path == ("Caf�",)


@pytest.mark.parametrize(
    ("path", "name"), [("src/pkg/core.py", "src.pkg.core"), ("pkg/__init__.py", "pkg"), ("main.go", "main")]
)
def test_modules_are_called_by_their_paths(path: str, name: str) -> None:
    assert module_name(path) == name


def test_imports_between_modules_are_resolved(tmp_path: Path) -> None:
    write(
        tmp_path,
        src__pkg__a_dot_py="from pkg.b import f\nimport os\nfrom . import c\nfrom .b import g\nfrom pkg import d, e\n",
        src__pkg__b_dot_py="f = g = 1\n",
        src__pkg__c_dot_py="c = 1\n",
        src__pkg__d_dot_py="d = 1\n",
        web__x_dot_ts="import { y } from './y';\nimport z from '../web/z/index';\n",
        web__y_dot_ts="export const y = 1;\n",
        web__z__index_dot_ts="export default 1;\n",
    )
    assert sorted(internal_imports(mapped(tmp_path).modules)) == [
        ("src/pkg/a.py", "src/pkg/b.py"),
        ("src/pkg/a.py", "src/pkg/c.py"),
        ("src/pkg/a.py", "src/pkg/d.py"),
        ("web/x.ts", "web/y.ts"),
        ("web/x.ts", "web/z/index.ts"),
    ]
