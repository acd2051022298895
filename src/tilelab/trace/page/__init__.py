"""The report page: one self-contained HTML file that shows a run under the cycle clock."""

from tilelab.trace.page.build import page, write_page

__all__ = ["page", "write_page"]
