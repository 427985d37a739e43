"""Going through a list page by page."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Optional


def elementos(pedir: Callable[[Optional[str]], Mapping[str, Any]]) -> Iterator[Any]:
    """
    Every element of a list that is asked for page by page, each page when it is reached:
    ``elementos(lambda cursor: acuse.tax.facturas(rfc=rfc, desde=desde, hasta=hasta, limite=200, cursor=cursor))``. The
    pages of a list from the SAT are those of one answer, charged with the first. It ends where there is no next page, or
    the next one is the one just asked for, as in ``sincronizacion.cambios``, whose cursor goes on tomorrow.

    Args:
        pedir: Asks for the page of a cursor, which is None for the first. What it raises comes out.
    """
    cursor: Optional[str] = None
    while True:
        pagina = pedir(cursor)["data"]
        yield from pagina["items"]
        if pagina["siguiente"] in (None, cursor):
            return
        cursor = pagina["siguiente"]
