"""What Qt needs from a Linux system: shared libraries and a font with Chinese characters.

The list was read from the NEEDED entries of PySide6-Essentials 6.11.3 (QtGui, QtWidgets, QtDBus,
QtNetwork, the offscreen and xcb platform plugins) and tried in a minimal Debian 12.
"""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from devtools.errors import SetupError

CJK_FONT_PACKAGE = "fonts-noto-cjk"
_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
_CJK_FONT_NAME = re.compile(
    r"cjk|noto(sans|serif)(sc|tc|hk|jp|kr)|source ?han|wqy|wenquanyi|droidsansfallback|uming|ukai|ipa[gm]"
    r"|takao|vlgothic|nanum|unifont",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Library:
    """A shared library Qt loads, and the packages that carry it on Debian and on Arch."""

    soname: str
    debian: str
    arch: str
    window_only: bool = False
    """True when only a real window (the xcb plugin) needs it, not the offscreen tests."""


LIBRARIES = (
    Library("libEGL.so.1", "libegl1", "libglvnd"),
    Library("libGL.so.1", "libgl1", "libglvnd"),
    Library("libglib-2.0.so.0", "libglib2.0-0", "glib2"),
    Library("libgthread-2.0.so.0", "libglib2.0-0", "glib2"),
    Library("libdbus-1.so.3", "libdbus-1-3", "dbus"),
    Library("libfontconfig.so.1", "libfontconfig1", "fontconfig"),
    Library("libfreetype.so.6", "libfreetype6", "freetype2"),
    Library("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon"),
    Library("libX11.so.6", "libx11-6", "libx11"),
    Library("libz.so.1", "zlib1g", "zlib"),
    Library("libzstd.so.1", "libzstd1", "zstd"),
    Library("libgssapi_krb5.so.2", "libgssapi-krb5-2", "krb5"),
    Library("libbrotlidec.so.1", "libbrotli1", "brotli"),
    Library("libxcb.so.1", "libxcb1", "libxcb", window_only=True),
    Library("libX11-xcb.so.1", "libx11-xcb1", "libx11", window_only=True),
    Library("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11", window_only=True),
    Library("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor", window_only=True),
    Library("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm", window_only=True),
    Library("libxcb-image.so.0", "libxcb-image0", "xcb-util-image", window_only=True),
    Library("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms", window_only=True),
    Library("libxcb-randr.so.0", "libxcb-randr0", "libxcb", window_only=True),
    Library("libxcb-render.so.0", "libxcb-render0", "libxcb", window_only=True),
    Library("libxcb-render-util.so.0", "libxcb-render-util0", "xcb-util-renderutil", window_only=True),
    Library("libxcb-shape.so.0", "libxcb-shape0", "libxcb", window_only=True),
    Library("libxcb-shm.so.0", "libxcb-shm0", "libxcb", window_only=True),
    Library("libxcb-sync.so.1", "libxcb-sync1", "libxcb", window_only=True),
    Library("libxcb-util.so.1", "libxcb-util1", "xcb-util", window_only=True),
    Library("libxcb-xfixes.so.0", "libxcb-xfixes0", "libxcb", window_only=True),
    Library("libxcb-xkb.so.1", "libxcb-xkb1", "libxcb", window_only=True),
)


def loads(soname: str) -> bool:
    """Tell whether the system can load the shared library of this name."""
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


def missing_libraries(*, window: bool) -> list[Library]:
    """Return the libraries of `LIBRARIES` that do not load; without `window`, those for offscreen only."""
    return [
        library for library in LIBRARIES if (window or not library.window_only) and not loads(library.soname)
    ]


def has_cjk_font() -> bool:
    """Tell whether a font with Chinese characters is installed (fontconfig's word, else by file names)."""
    lister = shutil.which("fc-list")
    if lister:
        found = subprocess.run([lister, ":lang=zh", "file"], capture_output=True, check=False, text=True)
        if found.returncode == 0:
            return bool(found.stdout.strip())
    return any(
        _CJK_FONT_NAME.search(name)
        for folder in _FONT_FOLDERS
        for _, _, names in os.walk(Path(folder).expanduser())
        for name in names
    )


def is_debian() -> bool:
    """Tell whether apt-get installs packages here (Debian, Ubuntu and their children)."""
    return Path("/etc/debian_version").exists() and shutil.which("apt-get") is not None


def is_root() -> bool:
    """Tell whether this process may install packages without asking."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def apt_command(packages: list[str]) -> str:
    """Return the shell command by which a person installs these Debian packages."""
    return "sudo apt-get update && sudo apt-get install -y " + " ".join(packages)


def install_command(libraries: list[Library]) -> str:
    """Return the shell command that installs these libraries on this distribution."""
    if is_debian():
        return apt_command(_unique([library.debian for library in libraries]))
    if shutil.which("pacman"):
        return "sudo pacman -S --needed " + " ".join(_unique([library.arch for library in libraries]))
    # Red Hat and SUSE packages declare what they carry, so the library names themselves can be asked for.
    mark = "()(64bit)" if sys.maxsize > 2**32 else ""
    tool = "zypper" if shutil.which("zypper") else "dnf"
    return f"sudo {tool} install " + " ".join(shlex.quote(library.soname + mark) for library in libraries)


def apt_install(packages: list[str]) -> bool:
    """Install Debian packages as root without questions; return whether it worked."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    print(f"Installing system packages: {' '.join(packages)}", flush=True)
    # Lists that are absent or out of date make the first attempt fail; then they are fetched.
    if _apt_lists_present() and subprocess.run(install, env=environment, check=False).returncode == 0:
        return True
    subprocess.run(["apt-get", "update", "-q"], env=environment, check=False)
    return subprocess.run(install, env=environment, check=False).returncode == 0


def ensure_system(*, window: bool) -> None:
    """Make sure Qt's libraries and a CJK font are there.

    As root on Debian or Ubuntu what is missing is installed; a font that cannot be had is only a hint.
    Raises SetupError with the exact command when a library is missing and may not be installed.
    """
    if not sys.platform.startswith("linux"):
        return
    libraries = missing_libraries(window=window)
    font_missing = not has_cjk_font()
    if not libraries and not font_missing:
        return
    if is_debian() and is_root():
        packages = _unique([library.debian for library in libraries])
        fonts = [CJK_FONT_PACKAGE] if font_missing else []
        # A mirror without the font must not keep the libraries away: then they are asked for alone.
        if not apt_install(packages + fonts) and packages and fonts:
            apt_install(packages)
        libraries = missing_libraries(window=window)
        font_missing = font_missing and not has_cjk_font()
    if libraries:
        raise SetupError(_missing_message(libraries))
    if font_missing:
        how = apt_command([CJK_FONT_PACKAGE]) if is_debian() else "install Noto Sans CJK"
        print(f"Hint: no font with Chinese characters; Chinese text shows as boxes. {how}", flush=True)


def ensure_venv_module() -> None:
    """Make sure `python -m venv` can make an environment with pip (Debian packs that apart).

    Raises SetupError with the exact command when it cannot.
    """
    if _has_ensurepip():
        return
    package = f"python3.{sys.version_info.minor}-venv"
    if is_debian() and is_root() and apt_install([package]) and _has_ensurepip():
        return
    how = apt_command([package]) if is_debian() else "install the venv and ensurepip modules of this Python"
    raise SetupError(f"This Python ({sys.executable}) cannot make virtual environments. To go on:\n    {how}")


def _has_ensurepip() -> bool:
    # A child process: this one may have cached that the module is absent.
    probe = [sys.executable, "-c", "import ensurepip, venv"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def _missing_message(libraries: list[Library]) -> str:
    names = " ".join(library.soname for library in libraries)
    return f"System libraries that Qt needs are missing: {names}\nTo go on:\n    {install_command(libraries)}"


def _apt_lists_present() -> bool:
    return any(Path("/var/lib/apt/lists").glob("*_Packages*"))


def _unique(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))
