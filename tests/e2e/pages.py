"""Every page there is, by name, and what is asked of each."""

import time
from collections.abc import Mapping
from typing import Any

THEMES = ("light", "dark")
WIDTHS = (360, 1440)
# Elements that reach out of the window although nothing around them scrolls.
SPILLS = """() => {
  const width = document.documentElement.clientWidth;
  const inside = e => e.closest('.scroll, pre, [data-moves], .sr, .skip-link, svg');
  return [...document.querySelectorAll('body *')]
    .filter(e => e.getBoundingClientRect().right > width + 1 && !inside(e))
    .map(e => e.outerHTML.slice(0, 120));
}"""


def public_pages(made: Mapping[str, Any]) -> dict[str, str]:
    """Name -> path of the pages that everybody sees."""
    return {
        "front": "/",
        "start": "/start",
        "bots": "/bots",
        "bots-none": "/bots?q=nobody-is-called-like-that",
        "season-finished": f"/seasons/{made['finished']}",
        "season-running": f"/seasons/{made['running']}",
        "season-open": f"/seasons/{made['open']}",
        "match": f"/matches/{made['match']}",
        "match-queued": f"/matches/{made['queued']}",
        "match-running": f"/matches/{made['running_match']}",
        "match-void": f"/matches/{made['hostile']['void']}",
        "game-two": f"/games/{made['games'][0]}#m=60",
        "game-four": f"/games/{made['games4'][0]}#m=150",
        "game-live": f"/games/{made['live'][0]}",
        "game-broken": f"/games/{made['broken']}",
        "bot": f"/bots/{made['bot']}",
        "hostile-season": f"/seasons/{made['hostile']['season']}",
        "hostile-game": f"/games/{made['hostile']['games'][0]}#m=40",
        "hostile-bot": "/bots/hostile-2",
        "rules": "/rules",
        "rules-preset": "/rules/bg+free",
        "sign-up": "/sign-up",
        "log-in": "/log-in",
    }


PRIVATE_PAGES = {"my-bots": "/my-bots", "manage-bot": "/my-bots/late-lou"}


def must_fit(page: Any) -> None:
    """Nothing is wider than the window, once the page has its styles."""
    page.wait_for_load_state("load")
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    assert page.evaluate(SPILLS) == [], page.url


def must_be_safe(page: Any) -> None:
    """No text has become code, and no text turns its surroundings round."""
    assert page.evaluate("window.hacked") is None, page.url
    text = page.evaluate("document.documentElement.textContent")
    assert [c for c in text if c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\x07"] == [], page.url


def settle(page: Any) -> None:
    """Wait until a page that draws something has drawn it."""
    page.wait_for_load_state("load")
    if page.locator("[data-film]").count():
        page.wait_for_selector("[data-film]:not([hidden]) .seat")
    if page.locator("[data-live]").count():
        page.wait_for_selector("[data-live] .seat")
    if page.locator("[data-chart]").count():
        page.wait_for_selector("[data-chart] canvas")


def until(page: Any, expression: str, patience: float = 60.0) -> None:
    """Wait until a JavaScript expression is true. (Playwright's own way is `eval`, which the content policy refuses.)"""
    deadline = time.monotonic() + patience
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"never came true: {expression}"
        page.wait_for_timeout(30)


# Texts whose contrast with what is behind them is too low: 4.5 to 1, for large ones 3 to 1 (WCAG 2.2, 1.4.3).
PALE_TEXTS = """() => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const rgba = colour => {
    if (!known.has(colour)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      known.set(colour, [...pen.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(colour);
  };
  const over = (top, under) => [0, 1, 2].map(i => (top[i] * top[3] + under[i] * (255 - top[3])) / 255);
  const light = rgb => {
    const [r, g, b] = rgb.map(v => v / 255).map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    if (!element) return [255, 255, 255];
    const style = getComputedStyle(element);
    const own = element.matches('.felt, .hero') ? rgba(style.getPropertyValue('--felt')) : rgba(style.backgroundColor);
    return own[3] === 255 ? own.slice(0, 3) : over(own, behind(element.parentElement));
  };
  const pale = [];
  for (const element of document.querySelectorAll('body *:not(svg *, script, option)')) {
    const style = getComputedStyle(element);
    const text = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('').trim();
    const unseen = element.closest('.sr, .skip-link, [hidden]') || !element.checkVisibility();
    if (!text || unseen || style.fontSize === '0px') continue;
    const ground = behind(element);
    const [a, b] = [light(over(rgba(style.color), ground)), light(ground)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = (a + 0.05) / (b + 0.05);
    const what = `${ratio.toFixed(2)} ${element.className || element.tagName}: ${text.slice(0, 30)}`;
    if (ratio < (large ? 3 : 4.5)) pale.push(what);
  }
  return [...new Set(pale)];
}"""
