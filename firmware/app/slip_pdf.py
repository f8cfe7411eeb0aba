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

A5_MM = (148, 210)
MARGIN_MM = 12
LABEL_MM = 36
ROW_MM = 5
BODY_POINTS, SMALL_POINTS, TITLE_POINTS, AMOUNT_POINTS = 9, 7, 15, 18


def slip_pdf(slip: Slip) -> bytes:
    """The PDF file's bytes."""
    from fpdf import FPDF

    laid_out = page(slip)
    pdf = FPDF(format=A5_MM)
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
    for signature in laid_out.signatures:
        _signature(pdf, signature)
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


def _signature(pdf: FPDF, what: str) -> None:
    pdf.ln(10)
    right_mm = pdf.w - MARGIN_MM
    pdf.line(MARGIN_MM, pdf.y, right_mm - 50, pdf.y)
    pdf.line(right_mm - 44, pdf.y, right_mm, pdf.y)
    pdf.set_font("Helvetica", "", SMALL_POINTS)
    pdf.cell(right_mm - 44 - MARGIN_MM, 4, what)
    pdf.cell(0, 4, "Date and time", new_x="LMARGIN", new_y="NEXT")


def _proof(pdf: FPDF, laid_out: Page) -> None:
    pdf.set_y(-MARGIN_MM - 4 * len(laid_out.proof))
    pdf.set_font("Courier", "", SMALL_POINTS)
    for line in laid_out.proof:
        pdf.cell(0, 4, line, new_x="LMARGIN", new_y="NEXT")
