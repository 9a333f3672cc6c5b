"""How does a folder of source code become records, and how do those stay in step with it?"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import recollect
from recollect import FileProblem, InvalidInput, Memory, NotFound, ProjectStatus
from recollect.engine.intake import reading, workers

SHOP = '''"""A shop."""

def price(article):
    """What an article costs, with tax."""
    return article.net * 1.07


class Till:
    """Where people pay."""

    def pay(self, amount):
        return amount
'''


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    write(root, "app/till.py", SHOP)
    write(root, "README.md", "# Shop\n\nSells things.\n\n## Opening\n\nFrom nine to five.\n")
    write(root, "web/cart.ts", "export function fill(cart: Cart): void {\n  cart.items.push(1);\n}\n")
    return root


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, "utf-8")
    age(root / path)


def age(path: Path) -> None:
    """Makes a file look as if it had been there for a while; each call a little longer ago than the next."""
    age.at += 1_000_000_000  # type: ignore[attr-defined]  # counts up from call to call
    os.utime(path, ns=(age.at, age.at))  # type: ignore[attr-defined]  # see above


age.at = 1_700_000_000_000_000_000  # type: ignore[attr-defined]  # see above


def places(memory: Memory, **filters: object) -> list[tuple[object, ...]]:
    found = memory.list(kinds=["code"], order="position", limit=1_000, **filters)  # type: ignore[arg-type]  # passed on as given
    locators = [record.locator or {} for record in found]
    return [(at["path"], at["start_line"], at["end_line"], at["chunk_type"], at["name"]) for at in locators]


def test_a_folder_is_indexed_by_its_definitions(memory: Memory, shop: Path) -> None:
    status = memory.index_project(shop)
    assert (status.id, status.state, status.percent, status.total_files, status.indexed_files) == (
        "shop", "completed", 100.0, 3, 3,
    )  # fmt: skip
    assert status.total_chunks == len(places(memory)) == 6
    assert places(memory) == [
        ("README.md", 1, 4, "section", "Shop"),
        ("README.md", 5, 7, "section", "Opening"),
        ("app/till.py", 3, 5, "function", "price"),
        ("app/till.py", 8, 12, "class", "Till"),
        ("app/till.py", 11, 12, "method", "pay"),
        ("web/cart.ts", 1, 3, "function", "fill"),
    ]


def test_a_chunk_is_a_record_like_any_other(memory: Memory, shop: Path) -> None:
    memory.index_project(shop)
    record = next(record for record in memory.list(kinds=["code"]) if record.title == "Till.pay")
    assert (record.project, record.source, record.tags, record.memory_type, record.trust) == (
        "shop", "app/till.py", ("python",), "semantic", "imported",
    )  # fmt: skip
    assert record.text == "    def pay(self, amount):\n        return amount"
    assert [past.change.verb for past in memory.history(record.id)] == ["ingest"]
    assert memory.recall("till pay", kinds=["code"])[0].record == memory.get(record.id)


def test_code_is_searched_within_a_project_and_a_language(memory: Memory, shop: Path, tmp_path: Path) -> None:
    write(tmp_path / "other", "a.py", "def price_of_other():\n    return 'price'\n")
    memory.remember("The price of everything is 7.")
    memory.index_project(shop)
    memory.index_project(tmp_path / "other")
    assert {hit.record.project for hit in memory.search_code("price")} == {"shop", "other"}
    assert [hit.record.title for hit in memory.search_code("price", project="other")] == ["price_of_other"]
    assert [hit.record.title for hit in memory.search_code("fill cart", language="typescript")] == ["fill"]
    assert len(memory.search_code("fill cart", language="type")) == 0


def test_a_second_run_reads_nothing_that_has_not_changed(
    memory: Memory, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = memory.index_project(shop)
    before = memory.list(kinds=["code"])
    read: list[str] = []
    really = reading.read_file
    monkeypatch.setattr(reading, "read_file", lambda root, order: read.append(order.path) or really(root, order))
    second = memory.index_project(shop)
    assert read == []
    assert memory.list(kinds=["code"]) == before
    assert (second.total_files, second.indexed_files, second.total_chunks) == (3, 3, first.total_chunks)


def test_only_what_changed_is_written_anew(memory: Memory, shop: Path) -> None:
    memory.index_project(shop)
    before = {record.title: record for record in memory.list(kinds=["code"])}
    write(shop, "app/till.py", "# Shop code, open to all.\n" + SHOP.replace("1.07", "1.19"))
    memory.index_project(shop)
    after = {record.title: record for record in memory.list(kinds=["code"])}
    assert after["price"].id == before["price"].id
    assert "1.19" in after["price"].text
    assert [past.record.text[-4:] for past in memory.history(after["price"].id) if past.record] == ["1.07", "1.19"]
    assert (after["Till.pay"].locator or {})["start_line"] == 12
    assert after["Shop › Opening"] == before["Shop › Opening"]
    assert [hit.record.title for hit in memory.search_code("what an article costs with tax")] == ["price"]


def test_a_file_that_was_touched_but_not_changed_keeps_its_records(memory: Memory, shop: Path) -> None:
    memory.index_project(shop)
    before = memory.list(kinds=["code"])
    age(shop / "app/till.py")
    assert memory.index_project(shop).indexed_files == 3
    assert memory.list(kinds=["code"]) == before


def test_files_that_are_gone_are_dropped(memory: Memory, shop: Path) -> None:
    memory.index_project(shop)
    shutil.rmtree(shop / "app")
    (shop / "web" / "cart.ts").rename(shop / "web" / "basket.ts")
    status = memory.index_project(shop)
    assert {place[0] for place in places(memory)} == {"README.md", "web/basket.ts"}
    assert (status.total_files, status.total_chunks) == (2, 3)
    assert len(memory.search_code("pay amount")) == 0


def test_the_same_code_in_two_files_is_two_records(memory: Memory, shop: Path) -> None:
    write(shop, "app/copy.py", SHOP)
    memory.index_project(shop)
    twins = [record for record in memory.list(kinds=["code"]) if record.title == "price"]
    assert sorted(str(record.source) for record in twins) == ["app/copy.py", "app/till.py"]
    assert twins[0].content_hash == twins[1].content_hash


def test_folders_of_one_name_get_ids_of_their_own(memory: Memory, tmp_path: Path) -> None:
    for place in ("one", "two"):
        write(tmp_path / place / "app", "a.py", f"def {place}():\n    pass\n")
    ids = [memory.index_project(tmp_path / place / "app").id for place in ("one", "two", "one")]
    assert ids == ["app", "app-2", "app"]
    assert [project.path for project in memory.projects()] == [str(tmp_path / "one/app"), str(tmp_path / "two/app")]
    assert [record.title for record in memory.list(project="app-2")] == ["two"]


def test_a_project_is_deleted_for_good(memory: Memory, shop: Path) -> None:
    memory.remember("Kept.")
    memory.index_project(shop)
    write(shop, "app/till.py", "def other():\n    return 'something else'\n")
    status = memory.index_project(shop)
    assert memory.delete_project("shop") == status.total_chunks
    assert memory.projects() == []
    assert [record.text for record in memory.list(valid_only=False)] == ["Kept."]
    assert memory.check() == []
    assert b"What an article costs" not in Path(memory.location).read_bytes()
    with pytest.raises(NotFound, match="there is no project 'shop'"):
        memory.project_status("shop")
    assert memory.index_project(shop).indexed_files == 3


def test_a_space_is_deleted_with_its_projects(memory: Memory, shop: Path) -> None:
    memory.index_project(shop, space="code")
    memory.delete_space("code")
    assert memory.projects(space=None) == []
    assert memory.index_project(shop, space="code").total_chunks == 6


def test_what_cannot_be_indexed_is_counted_and_named(memory: Memory, shop: Path) -> None:
    (shop / "latin.py").write_bytes("# naïve\n".encode("latin-1"))
    (shop / "tool").write_bytes(b"\x7fELF\0\0")
    (shop / "bundle.js").write_text("var a=1;" * 125_000)
    with (shop / "huge.js").open("wb") as file:
        file.truncate(50_000_000)
    for _ in range(2):
        status = memory.index_project(shop)
        assert (status.state, status.total_files, status.indexed_files) == ("completed", 3, 3)
        assert status.skipped == {"binary": 1, "generated": 1, "not UTF-8": 1, "too large": 1}
        assert set(status.errors) == {
            FileProblem(path="huge.js", problem="too large: 50,000,000 bytes"),
            FileProblem(path="latin.py", problem="not UTF-8"),
        }


def test_a_file_that_stops_being_text_loses_its_chunks(memory: Memory, shop: Path) -> None:
    memory.index_project(shop)
    (shop / "app" / "till.py").write_bytes(b"\0\0")
    age(shop / "app" / "till.py")
    assert memory.index_project(shop).total_chunks == 3
    write(shop, "app/till.py", SHOP)
    assert memory.index_project(shop).total_chunks == 6


@pytest.mark.parametrize(
    ("path", "problem"),
    [("missing", "does not exist"), ("a.py", "is a file; name the folder"), ("a\0b", "not the path of a folder")],
)
def test_a_path_that_is_no_folder_is_refused(memory: Memory, tmp_path: Path, path: str, problem: str) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    with pytest.raises(InvalidInput, match=problem) as caught:
        memory.index_project(f"{tmp_path}/{path}")
    assert caught.value.field == "path"
    assert memory.projects() == []


def test_a_folder_that_vanishes_on_the_way_is_named(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "many"
    for i in range(400):
        write(root, f"part{i % 7}/file{i}.py", f"def function_{i}():\n    return {i}\n" * 20)
    gone: list[ProjectStatus] = []

    def vanish(status: ProjectStatus) -> None:
        if status.indexed_files and not gone:
            gone.append(status)
            shutil.rmtree(root)

    status = memory.index_project(root, progress=vanish)
    assert gone
    assert status.state == "failed"
    assert f"{root} is gone" in str(status.problem)
    assert memory.check() == []
    counted = {place[0] for place in places(memory)}
    assert all(memory.count(kinds=["code"], source=path) == 20 for path in counted)


def test_many_files_are_read_by_other_processes_with_the_same_result(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "many"
    for i in range(60):
        write(root, f"file{i:02}.py", f"def function_{i}():\n    return {i}\n")
    memory.index_project(root)
    monkeypatch.setattr(workers, "FEW_FILES", 1_000)
    memory.index_project(root, space="here")
    assert places(memory) == places(memory, space="here")
    assert len(places(memory)) == 60


def test_a_parser_that_dies_takes_down_one_file_only(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "many"
    for i in range(20):
        write(root, f"file{i:02}.py", f"def function_{i}():\n    return {i}\n")
    really = workers._program()
    deadly = (
        "import os; import recollect.engine.intake.reading as m; real = m.read_file;"
        "m.read_file = lambda root, order: os._exit(1) if '07' in order.path else real(root, order);"
    )
    monkeypatch.setattr(workers, "_program", lambda: really.replace("work()", deadly + "work()"))
    status = memory.index_project(root)
    assert (status.state, status.indexed_files) == ("completed", 19)
    assert status.errors == (FileProblem(path="file07.py", problem="its parser failed"),)


def test_files_that_nobody_could_read_are_not_passed_over(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(20):
        write(tmp_path / "many", f"file{i:02}.py", f"def function_{i}():\n    return {i}\n")

    def refuse() -> None:
        raise OSError(11, "no more processes")

    shouted: list[object] = []
    monkeypatch.setattr("threading.excepthook", shouted.append)
    with monkeypatch.context() as poor:
        poor.setattr(workers, "_start", refuse)
        status = memory.index_project(tmp_path / "many")
    assert shouted
    assert (status.state, status.indexed_files) == ("failed", 0)
    assert "no more processes" in str(status.problem)
    assert memory.index_project(tmp_path / "many").indexed_files == 20


def test_progress_is_told_while_it_goes_on(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "many"
    for i in range(300):
        write(root, f"file{i}.py", f"def function_{i}():\n    return {i}\n" * 30)
    told: list[ProjectStatus] = []
    status = memory.index_project(root, progress=told.append)
    assert status.total_chunks == 9_000
    done = [status.indexed_files for status in told]
    assert done == sorted(done)
    halfway = [status for status in told if 0 < status.indexed_files < 300]
    assert halfway
    assert all(status.state == "indexing" and status.eta_seconds is not None for status in halfway)
    assert all(status.percent == round(status.indexed_files / 3, 1) for status in halfway)


def test_a_run_that_is_closed_on_the_way_goes_on_later(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    root = tmp_path / "many"
    for i in range(300):
        write(root, f"file{i}.py", f"def function_{i}():\n    return {i}\n" * 30)
    memory = open_memory()
    first = memory.index_project(root, wait=0)
    assert first.state in ("pending", "indexing")
    memory.close()
    again = open_memory()
    assert again.project_status("many").state in ("pending", "completed")
    assert again.index_project(root).total_chunks == 9_000
    assert len({(record.source, record.position) for record in again.list(kinds=["code"], limit=10_000)}) == 9_000


def test_a_run_that_is_ended_before_it_begins_is_over(memory: Memory, shop: Path) -> None:
    for _ in range(5):
        memory.index_project(shop, wait=0)
        memory.delete_project("shop")
    assert memory.index_project(shop).state == "completed"


def test_an_unknown_project_is_not_found(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.project_status("nothing")
    with pytest.raises(NotFound):
        memory.delete_project("nothing")


def test_code_and_notes_that_stand_in_one_space_are_each_found_by_a_plain_recall(tmp_path: Path) -> None:
    parts = [f'def part_{n}(x):\n    """Lay brick {n} of the wall."""\n    return x + {n}\n' for n in range(25)]
    price = 'def price(article):\n    """What an article costs, with tax."""\n    return article.net * 1.07\n'
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "till.py").write_text("\n\n".join([*parts, price]), "utf-8")
    notes = ("The till stands by the door.", "Prices are raised in January.", "The wall was painted in May.")
    with recollect.open(tmp_path / "home") as memory:
        memory.index_project(tmp_path / "shop")
        for note in notes:
            memory.remember(note)
        memory.embed_waiting()
        asked = ("compute what an article costs with tax", "where is the till?", "when was the wall painted?")
        first = [memory.recall(question).hits[0].record for question in asked]
    assert [record.title or record.text for record in first] == ["price", notes[0], notes[2]]
