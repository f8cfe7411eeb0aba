"""A jackpot slip on paper: one page, A5, from the same `Page` that the text is made from.

Rules: the same slip is the same bytes, on any day and machine: the file's date is the slip's, fonts are the standard
ones that every reader has, nothing is compressed (two versions of a compressor need not agree). fpdf2 is imported here
only, when a slip is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware.app.slip import Page, Slip, made_at, page

if TYPE_CHECKING:
    from fpdf import FPDF

FONT_ENCODING = "windows-1252"
"""What the standard fonts draw: Latin letters, and the dash that paytables print."""

A5_MM = (148, 210)
MARGIN_MM = 12
LABEL_MM = 36
ROW_MM = 5
CAPTION_MM = 4
SIGNATURE_MM, LEAST_SIGNATURE_MM = 14, 9
TIME_MM, GAP_MM = 44, 6
BODY_POINTS, SMALL_POINTS, TITLE_POINTS, AMOUNT_POINTS = 9, 7, 15, 18


def slip_pdf(slip: Slip) -> bytes:
    """The PDF file's bytes."""
    from fpdf import FPDF

    laid_out = page(slip)
    pdf = FPDF(format=A5_MM)
    pdf.core_fonts_encoding = FONT_ENCODING
    pdf.set_compression(False)
    pdf.set_creation_date(made_at(slip))
    pdf.set_title(laid_out.title)
    pdf.set_producer("tabled")
    pdf.set_margin(MARGIN_MM)
    pdf.set_auto_page_break(False)
    pdf.add_page()
    _head(pdf, laid_out)
    for label, value in laid_out.rows:
        _row(pdf, label, value)
    _amount(pdf, laid_out)
    _signatures(pdf, laid_out)
    _proof(pdf, laid_out)
    return bytes(pdf.output())


def _head(pdf: FPDF, laid_out: Page) -> None:
    pdf.set_font("Helvetica", "B", TITLE_POINTS)
    pdf.cell(0, 9, laid_out.title, align="C", new_x="LMARGIN", new_y="NEXT")
    if laid_out.notice:
        pdf.set_font("Helvetica", "B", BODY_POINTS)
        pdf.cell(0, 6, laid_out.notice, align="C", border=1, new_x="LMARGIN", new_y="NEXT")
    pdf.ln(3)


def _row(pdf: FPDF, label: str, value: str) -> None:
    pdf.set_font("Helvetica", "B", BODY_POINTS)
    pdf.cell(LABEL_MM, ROW_MM, label)
    pdf.set_font("Helvetica", "", BODY_POINTS)
    pdf.multi_cell(0, ROW_MM, value, new_x="LMARGIN", new_y="NEXT", align="L")


def _amount(pdf: FPDF, laid_out: Page) -> None:
    pdf.ln(2)
    pdf.set_font("Helvetica", "B", AMOUNT_POINTS)
    pdf.cell(0, 11, laid_out.amount, align="C", border="LTR", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("Helvetica", "", BODY_POINTS)
    pdf.multi_cell(0, 6, laid_out.in_words, align="C", border="LBR", new_x="LMARGIN", new_y="NEXT")


def _signatures(pdf: FPDF, laid_out: Page) -> None:
    """Spread over what the page has left. Raises `ValueError` where that is too little to write in: a slip of so many
    rows needs another page format."""
    each_mm = min(SIGNATURE_MM, (_proof_top_mm(pdf, laid_out) - CAPTION_MM - pdf.y) / len(laid_out.signatures))
    if each_mm < LEAST_SIGNATURE_MM:
        raise ValueError(f"{laid_out.title}: {len(laid_out.rows)} rows leave {each_mm:.0f} mm for each signature")
    right_mm = pdf.w - MARGIN_MM
    pdf.set_font("Helvetica", "", SMALL_POINTS)
    for what in laid_out.signatures:
        pdf.ln(each_mm - CAPTION_MM)
        pdf.line(MARGIN_MM, pdf.y, right_mm - TIME_MM - GAP_MM, pdf.y)
        pdf.line(right_mm - TIME_MM, pdf.y, right_mm, pdf.y)
        pdf.cell(right_mm - TIME_MM - MARGIN_MM, CAPTION_MM, what)
        pdf.cell(0, CAPTION_MM, "Date and time", new_x="LMARGIN", new_y="NEXT")


def _proof_top_mm(pdf: FPDF, laid_out: Page) -> float:
    return float(pdf.h) - MARGIN_MM - CAPTION_MM * len(laid_out.proof)


def _proof(pdf: FPDF, laid_out: Page) -> None:
    pdf.set_y(_proof_top_mm(pdf, laid_out))
    pdf.set_font("Courier", "", SMALL_POINTS)
    for line in laid_out.proof:
        pdf.cell(0, CAPTION_MM, line, new_x="LMARGIN", new_y="NEXT")
