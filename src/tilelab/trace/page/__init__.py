"""The report page: one self-contained HTML file that shows a run, or two, under the cycle clock."""

from tilelab.trace.page.build import comparison, page

__all__ = ["comparison", "page"]
