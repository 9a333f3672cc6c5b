"""What does a system want to know that is to start the service by itself?"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from xml.sax.saxutils import escape

SYSTEMS = ("systemd", "launchd")
_NAME = "org.recollect.up"


def print_unit(system: str, command: Sequence[str]) -> str:
    """The file that has a system run a command for as long as its user is there."""
    return _systemd(command) if system == "systemd" else _launchd(command)


def _systemd(command: Sequence[str]) -> str:
    words = " ".join(_quoted(word) for word in command)
    return f"""\
# ~/.config/systemd/user/recollect.service; then: systemctl --user enable --now recollect
[Unit]
Description=Recollect, one memory for all agents

[Service]
ExecStart={words}
Restart=on-failure
TimeoutStopSec=20
NoNewPrivileges=true
UMask=0077

[Install]
WantedBy=default.target
"""


def _quoted(word: str) -> str:
    """A word as systemd reads it: `%` and `$` begin something there."""
    plain = word.replace("%", "%%").replace("$", "$$")
    return plain if plain == shlex.quote(plain) else '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _launchd(command: Sequence[str]) -> str:
    words = "\n".join(f"    <string>{escape(word)}</string>" for word in command)
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<!-- ~/Library/LaunchAgents/{_NAME}.plist; then: launchctl load ~/Library/LaunchAgents/{_NAME}.plist -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{_NAME}</string>
  <key>ProgramArguments</key>
  <array>
{words}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>20</integer>
</dict>
</plist>
"""
