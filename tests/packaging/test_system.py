"""What the set-up asks of a Linux system, and what it says when something is missing."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from devtools import system
from devtools.errors import SetupError
from devtools.system import LIBRARIES, Library

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="about Linux")

ABSENT = Library("libnowhere-one.so.7", "libnowhere1", "nowhere")
ABSENT_WINDOW = Library("libnowhere-two.so.7", "libnowhere2", "nowhere", window_only=True)
# Part of every Debian: the C and C++ libraries; libbrotlicommon comes in the same package as libbrotlidec.
EVERYWHERE = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libresolv.so.2"}
EVERYWHERE |= {"libdl.so.2", "libpthread.so.0", "librt.so.1", "libbrotlicommon.so.1"}
WINDOW_PARTS = ["plugins/platforms/libqxcb.so", "lib/libQt6XcbQpa.so.6"]
OFFSCREEN_PARTS = ["plugins/platforms/libqoffscreen.so"] + [
    f"lib/libQt6{part}.so.6" for part in ("Core", "Gui", "Widgets", "DBus", "Network", "Svg", "Test")
]


class Machine:
    """A pretended machine: which libraries it lacks, who we are, and what apt-get was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.patch = monkeypatch
        self.asked: list[list[str]] = []
        self.apt_works = True
        self.set(debian=True, root=False, font=True, libraries=(ABSENT, ABSENT_WINDOW))
        monkeypatch.setattr(system, "apt_install", self.apt_install)

    def set(self, *, debian: bool, root: bool, font: bool, libraries: tuple[Library, ...]) -> None:
        self.patch.setattr(system, "is_debian", lambda: debian)
        self.patch.setattr(system, "is_root", lambda: root)
        self.patch.setattr(system, "has_cjk_font", lambda: font)
        self.patch.setattr(system, "LIBRARIES", libraries)

    def apt_install(self, packages: list[str]) -> bool:
        self.asked.append(packages)
        if self.apt_works:
            self.set(debian=True, root=True, font=True, libraries=())
        return self.apt_works


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


def test_a_person_gets_the_exact_command_and_nothing_is_installed(machine: Machine) -> None:
    with pytest.raises(SetupError) as stopped:
        system.ensure_system(window=True)
    assert "libnowhere-one.so.7 libnowhere-two.so.7" in str(stopped.value)
    command = "sudo apt-get update && sudo apt-get install -y libnowhere1 libnowhere2"
    assert str(stopped.value).splitlines()[-1].strip() == command
    assert machine.asked == []


def test_the_tests_do_not_ask_for_what_only_a_window_needs(machine: Machine) -> None:
    machine.set(debian=True, root=False, font=True, libraries=(ABSENT_WINDOW,))
    system.ensure_system(window=False)
    with pytest.raises(SetupError):
        system.ensure_system(window=True)


def test_root_on_debian_installs_libraries_and_font_together(machine: Machine) -> None:
    machine.set(debian=True, root=True, font=False, libraries=(ABSENT, ABSENT_WINDOW))
    system.ensure_system(window=True)
    assert machine.asked == [["libnowhere1", "libnowhere2", "fonts-noto-cjk"]]


def test_root_without_a_font_in_reach_still_gets_the_libraries(machine: Machine) -> None:
    machine.set(debian=True, root=True, font=False, libraries=(ABSENT,))
    machine.apt_works = False
    with pytest.raises(SetupError, match="libnowhere-one"):
        system.ensure_system(window=True)
    assert machine.asked == [["libnowhere1", "fonts-noto-cjk"], ["libnowhere1"]]


@pytest.mark.parametrize("root", [False, True])
def test_a_missing_font_alone_is_only_a_hint(
    machine: Machine, root: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.set(debian=True, root=root, font=False, libraries=())
    machine.apt_works = False
    system.ensure_system(window=True)
    assert "apt-get install -y fonts-noto-cjk" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("tool", "command"),
    [
        ("pacman", "sudo pacman -S --needed nowhere"),
        ("dnf", "sudo dnf install 'libnowhere-one.so.7()(64bit)' 'libnowhere-two.so.7()(64bit)'"),
        ("zypper", "sudo zypper install 'libnowhere-one.so.7()(64bit)' 'libnowhere-two.so.7()(64bit)'"),
    ],
)
def test_other_distributions_get_their_own_command(machine: Machine, tool: str, command: str) -> None:
    machine.set(debian=False, root=True, font=True, libraries=(ABSENT, ABSENT_WINDOW))
    machine.patch.setattr(system.shutil, "which", lambda name: f"/usr/bin/{name}" if name == tool else None)
    with pytest.raises(SetupError) as stopped:
        system.ensure_system(window=True)
    assert str(stopped.value).splitlines()[-1].strip() == command
    assert machine.asked == []


def test_apt_is_asked_again_after_fetching_its_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    tool = tmp_path / "apt-get"
    # It knows no package until `update` was called.
    tool.write_text(
        f'#!/bin/sh\necho "$1 $DEBIAN_FRONTEND" >> "{log}"\n[ "$1" = update ] || grep -q update "{log}"\n',
        encoding="utf-8",
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(system, "_apt_lists_present", lambda: True)
    assert system.apt_install(["libnowhere1"])
    calls = [line.split() for line in log.read_text(encoding="utf-8").splitlines()]
    assert calls == [[name, "noninteractive"] for name in ("install", "update", "install")]


def test_python_without_venv_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "_has_ensurepip", lambda: False)
    monkeypatch.setattr(system, "is_debian", lambda: True)
    monkeypatch.setattr(system, "is_root", lambda: False)
    with pytest.raises(SetupError, match=rf"apt-get install -y python3\.{sys.version_info.minor}-venv"):
        system.ensure_venv_module()


def test_fonts_are_found_by_name_without_fontconfig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system.shutil, "which", lambda _: None)
    monkeypatch.setattr(system, "_FONT_FOLDERS", (str(tmp_path), str(tmp_path / "absent")))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "DejaVuSans.ttf").touch()
    assert not system.has_cjk_font()
    (tmp_path / "deep" / "NotoSansCJK-Regular.ttc").touch()
    assert system.has_cjk_font()


def test_a_library_that_is_not_there_does_not_load() -> None:
    assert system.loads("libc.so.6")
    assert not system.loads(ABSENT.soname)


@pytest.mark.parametrize(("parts", "window"), [(OFFSCREEN_PARTS, False), (WINDOW_PARTS, True)])
def test_every_library_qt_names_is_asked_for(parts: list[str], window: bool) -> None:
    spec = importlib.util.find_spec("PySide6")
    assert spec
    assert spec.origin
    qt = Path(spec.origin).parent / "Qt"
    own = {file.name for folder in ("lib", "plugins/platforms") for file in (qt / folder).iterdir()}
    known = {library.soname for library in LIBRARIES if window or not library.window_only}
    # The names in a binary's string table; those it needs are among them.
    pattern = re.compile(rb"(?<=\x00)lib[A-Za-z0-9_.+-]+\.so[.0-9]*(?=\x00)")
    named = {name.decode() for part in parts for name in pattern.findall((qt / part).read_bytes())}
    assert "libGL.so.1" in named
    assert named - own - known - EVERYWHERE == set()


def test_the_list_is_tried_in_a_child_without_failing() -> None:
    code = "from devtools import system; print([x.soname for x in system.missing_libraries(window=False)])"
    root = Path(system.__file__).parents[1]
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"
