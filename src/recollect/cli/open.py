"""How does a person come to the page?"""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from recollect.cli.output import put
from recollect.cli.up import ADDRESS
from recollect.errors import ConfigError
from recollect.serve.address import answers, parse_address

Http = Annotated[str, typer.Option("--http", metavar="ADDR", help="Where the service listens.")]
Print = Annotated[bool, typer.Option("--print", help="Only say where the page is.")]


def open_page(http: Http = ADDRESS, only_print: Print = False) -> int:
    """Open the page: look at what your agents know, and mend it. `recollect up` must be running.

    \b
    Example:
      recollect open
    """
    address = parse_address(http)
    if not answers(address):
        raise ConfigError(
            f"nobody answers at {address}; start the service with `recollect up`, in another terminal,"
            " or say by --http where it listens"
        )
    url = f"http://{address}/"
    put(url)
    if not only_print and not webbrowser.open(url):
        put("No browser could be opened here; open the address above in one.")
    return 0
