"""A recording as people use it: what a tile did, and its page in a notebook."""

from html import escape

from tilelab.report.breakdown import breakdown
from tilelab.trace.recorded import Recorded


class Recording(Recorded):
    """What a tile did from now on; a notebook shows it as the page, in a frame."""

    def _repr_html_(self) -> str:
        from tilelab.trace.page.build import page  # noqa: PLC0415  few recordings are shown

        text = escape(page(self, breakdown(self.tile.state).as_dict()), quote=True)
        return f'<iframe srcdoc="{text}" style="width:100%;height:760px;border:0"></iframe>'
