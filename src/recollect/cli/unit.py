"""What does a system want to know that is to start the service by itself?"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from recollect.config import Around

SYSTEMS = ("systemd", "launchd")
_NAME = "org.recollect.up"
_SECRETS = ".config/recollect/service.env"


def print_unit(system: str, command: Sequence[str], around: Around) -> str:
    """The file that has a system run a command for as long as its user is there, with the variables of now."""
    return _systemd(command, around) if system == "systemd" else _launchd(command, around)


def tell_secrets(system: str, names: Sequence[str]) -> str:
    """Where to set what is not written into such a file."""
    told = " and ".join(names)
    if system == "systemd":
        return f"not written here, because anybody may read it: put {told} into ~/{_SECRETS} (NAME=value, chmod 600)"
    settings = " and ".join(name.removeprefix("RECOLLECT_").lower() for name in names)
    return (
        f"not written here, because anybody may read it: {told}; set {settings} in config.toml of the memory's folder"
    )


def _systemd(command: Sequence[str], around: Around) -> str:
    words = " ".join(_quoted(word) for word in command)
    lines = [f"Environment={_quoted(f'{name}={value}', doubled='%')}" for name, value in around.plain.items()]
    lines += [f"# {tell_secrets('systemd', around.secret)}", f"EnvironmentFile=%h/{_SECRETS}"] if around.secret else []
    variables = "".join(f"{line}\n" for line in lines)
    return f"""\
# ~/.config/systemd/user/recollect.service; then: systemctl --user enable --now recollect
[Unit]
Description=Recollect, one memory for all agents

[Service]
{variables}ExecStart={words}
Restart=on-failure
TimeoutStopSec=20
NoNewPrivileges=true
UMask=0077

[Install]
WantedBy=default.target
"""


def _quoted(word: str, doubled: str = "%$") -> str:
    """A word as systemd reads it: `%` and, in a command, `$` begin something there."""
    plain = word
    for mark in doubled:
        plain = plain.replace(mark, mark * 2)
    return plain if plain == shlex.quote(plain) else '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _launchd(command: Sequence[str], around: Around) -> str:
    words = "\n".join(f"    <string>{escape(word)}</string>" for word in command)
    secrets = f"<!-- {tell_secrets('launchd', around.secret)} -->\n" if around.secret else ""
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<!-- ~/Library/LaunchAgents/{_NAME}.plist; then: launchctl load ~/Library/LaunchAgents/{_NAME}.plist -->
{secrets}<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{_NAME}</string>
  <key>ProgramArguments</key>
  <array>
{words}
  </array>
{_variables(around.plain)}  <key>RunAtLoad</key>
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


def _variables(plain: Mapping[str, str]) -> str:
    if not plain:
        return ""
    told = "".join(
        f"    <key>{escape(name)}</key>\n    <string>{escape(value)}</string>\n" for name, value in plain.items()
    )
    return f"  <key>EnvironmentVariables</key>\n  <dict>\n{told}  </dict>\n"
