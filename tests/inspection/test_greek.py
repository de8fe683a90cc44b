"""Names that are not plain ASCII: what C, LaTeX, text and pages make of them."""

from __future__ import annotations

import threading

import pytest
import sympy
from sympy.printing.pretty.pretty_symbology import pretty_use_unicode

import kinegen as kg
from kinegen.codegen.inspection import text
from kinegen.codegen.report.mathml import mathml
from kinegen.codegen.symbolic.names import GREEK, identifier, identifiers, letters


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("θ", "theta"),
        ("Ω_l", "Omega_l"),
        ("φ1 θ", "phi1_theta"),
        ("Gelenk_ä", "Gelenk_a"),
        ("ñandú", "nandu"),
        ("Fuß", "Fuss"),
        ("膝", "unnamed"),
        ("λ", "lambda"),
        ("knee", "knee"),
    ],
)
def test_identifiers(name: str, expected: str) -> None:
    assert identifier(name) == expected and identifier(name).isascii()


def test_greek_there_and_back() -> None:
    assert len(GREEK) == 48
    for word, letter in GREEK.items():
        assert identifier(letter) == word and letters(f"{word}_{word}2x_{word}3") == f"{letter}_{word}2x_{letter}3"
    assert identifiers(["θ", "theta", "ϑ"]) == ["theta", "theta_2", "theta_3"]


def test_equations() -> None:
    length = sympy.Symbol("lambda", positive=True)
    rod = kg.Link("Stäbchen", 1.0, (0, 0, -length))
    eq = kg.derive(kg.Mechanism("Pendel θ", [rod], [kg.Joint("θ", "revolute", "world", "Stäbchen", axis=(0, 1, 0))]))
    assert eq.q[0].name == "q_theta"
    assert eq.gravity.text() == "[9.81⋅λ⋅sin(q_θ)]"
    assert r"9.81 \lambda \sin{\left(q_{\theta} \right)}" in eq.gravity.latex()
    assert "&#952;</mi>" in mathml(eq.q[0])
    assert sympy.latex(eq.tau[0]) == r"\tau_{\theta}"


def test_threads_that_print_at_once_leave_sympys_letters_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the one that began first ends first, if they could be at it together."""
    started, met, left = threading.Event(), threading.Event(), threading.Event()

    def slowly(printer: text.NamePrinter, expr: sympy.Basic) -> str:
        if printer._use_unicode:
            started.set()
            met.wait(0.3)
        else:
            met.set()
            left.wait(0.3)
        return str(expr)

    def first() -> None:
        text.pretty(sympy.Symbol("theta"))
        left.set()

    monkeypatch.setattr(text.NamePrinter, "doprint", slowly)
    before = pretty_use_unicode(False)
    thread = threading.Thread(target=first)
    try:
        thread.start()
        assert started.wait(20.0)
        text.pretty(sympy.Symbol("theta"), unicode=False)
        thread.join()
        assert pretty_use_unicode() is False
    finally:
        pretty_use_unicode(before)
