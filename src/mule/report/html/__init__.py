"""A result as one page that needs nothing but a browser: no other file, no network."""

from mule.report.html.page import framed_report, framed_violation, html_report, write_replayed, write_report

__all__ = ["framed_report", "framed_violation", "html_report", "write_replayed", "write_report"]
