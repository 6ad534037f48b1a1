"""`kill -9` at random moments of syncing, rebuilding, importing, compacting: all is completed, once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.support.workspaces import Desk, sync, talk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")

POINTS = int(os.environ.get("MEMDESK_KILLS", "6"))
"""So many kills in a usual run; 50 prove more (MEMDESK_KILLS=50)."""

PHASES = ("sync", "compact", "import", "rebuild", "sync again")

LINES = [f"Line {number}: the {number % 7}th gull sat on post {number}." for number in range(120)]
FILE_LINES = [f"Alex: Imported {number}, long ago." for number in range(300)]

WORKER = """
import sys
from pathlib import Path
from memdesk.work.cancel import CancelToken
from tests.support.workspaces import WordEmbedder
import memdesk.workspace
memdesk.workspace.OnnxEmbedder = lambda _folder: WordEmbedder()
folder, file = Path(sys.argv[1]), Path(sys.argv[2])
nobody, token = (lambda done, total: None), CancelToken()
with memdesk.workspace.Workspace(folder, samples=False, background=False) as workspace:
    print("open", flush=True)
    while True:
        print("sync", flush=True)
        workspace.sync.sync([1], nobody, token)
        print("compact", flush=True)
        workspace.sync.indexing.compact(nobody, token)
        print("import", flush=True)
        result, undo = workspace.memory_files.import_file(file, 1)
        print("rebuild", flush=True)
        workspace.upkeep.rebuild(1)
        print("sync again", flush=True)
        workspace.sync.sync([1], nobody, token)
        if undo is not None:
            undo.run()
"""


def memory_file(folder: Path) -> Path:
    chunks = [
        {
            "content": line,
            "embedding": None,
            "messageCount": 1,
            "firstMessageAt": f"2020-01-01T00:{number // 60:02}:{number % 60:02}.000Z",
            "lastMessageAt": f"2020-01-01T00:{number // 60:02}:{number % 60:02}.000Z",
            "createdAt": "2020-01-02T00:00:00.000Z",
        }
        for number, line in enumerate(FILE_LINES)
    ]
    source = {"id": "elsewhere", "name": "Old", "mode": "roleplay", "memoryCount": len(chunks)}
    data = {"sourceChat": source, "chunks": chunks}
    body = {
        "type": "marinara_memory_recall",
        "version": 1,
        "exportedAt": "2020-01-02T00:00:00Z",
        "data": data,
    }
    path = folder / "old.marinara.json"
    path.write_text(json.dumps(body), "utf-8")
    return path


def kill_at(desk: Desk, file: Path, phase: str, seconds: float) -> str:
    """Kill a process so long after it began with a phase of its work; returns what it was doing then."""
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, str(desk.folder), str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        while (line := process.stdout.readline().decode().strip()) != phase:
            assert line, "it ended by itself"
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        out, err = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, err.decode("utf-8", "replace")
    return out.decode().split("\n")[-2] if out.count(b"\n") else phase


@pytest.mark.timeout(60 + 20 * POINTS)
def test_nothing_is_lost_or_doubled_whenever_it_is_killed(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.support.workspaces import WordEmbedder, use_embedder

    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    file = memory_file(tmp_path)
    with desk.open() as workspace:
        talk(workspace, *LINES)
    choose = random.Random(POINTS)
    seen: Counter[str] = Counter()
    for number in range(POINTS):
        seen[kill_at(desk, file, PHASES[number % len(PHASES)], choose.uniform(0.0, 0.4))] += 1
        with desk.open() as workspace:
            sync(workspace)
            chunks = workspace.chunks.page(1, workspace.sync.space_of(1))
            texts = Counter(chunk.text for chunk in chunks)
            assert set(texts.values()) == {1}, "nothing is doubled"
            said = [chunk for chunk in chunks if chunk.origin == "native"]
            assert len(said) == len(LINES), "nothing is lost"
            imported = len(chunks) - len(said)
            assert imported in (0, len(FILE_LINES)), "nothing is half imported"
            assert all(chunk.has_vector for chunk in chunks)
            keys = workspace.chunks.vector_keys(1, workspace.sync.space_of(1))
            assert workspace.index.count("chat-1", "words-64") == len(keys) == len(chunks)
            left = [
                path.name for path in desk.folder.iterdir() if ".new-" in path.name or ".old-" in path.name
            ]
            assert left == []
            assert workspace.messages.page(1, 1, 1)[0].text == LINES[0]
            with workspace.database.read() as db:
                assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
                orphans = "SELECT count(*) FROM chunk_words WHERE rowid NOT IN (SELECT id FROM memory_chunks)"
                assert db.execute(orphans).fetchone()[0] == 0
    print(f"\nkilled during {dict(seen)}")
