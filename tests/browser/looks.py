"""How a screen looks and reads: axe-core, light and dark, a phone, a desktop, and 320 px,
and text twice as large; its pictures."""

import os

from page import DESKTOP, PHONE, SMALLEST

AXE = """axe.run(document, {resultTypes: ['violations']}).then(found =>
  found.violations.map(each =>
    `${each.id}: ${each.help}: ${each.nodes.map(node => node.target).join(' | ')}`))"""


def look(story, page, name):
    """Judges the screen that is up, and takes its picture."""
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        with story.subTest(screen=name, scheme=scheme):
            story.assertEqual(violations(story, page), [])
        for size, screen in (("desktop", DESKTOP), ("phone", PHONE)):
            page.look_like(screen)
            page.screenshot(f"{name}-{size}-{scheme}")
    page.prefer("light")
    page.look_like(SMALLEST)
    with story.subTest(screen=name, width=SMALLEST["width"]):
        story.assertEqual(page.js("document.scrollingElement.scrollWidth"), SMALLEST["width"])
        story.assertEqual(outside(page), [])
    page.look_like(PHONE)
    page.js("document.documentElement.style.fontSize = '200%'")
    with story.subTest(screen=name, text="200 %"):
        story.assertLessEqual(page.js("document.scrollingElement.scrollWidth"), PHONE["width"])
        story.assertEqual(outside(page), [])
    page.js("document.documentElement.style.fontSize = ''")


def violations(story, page):
    if not os.path.exists(os.environ["AXE"]):
        story.skipTest("axe-core is not there: see ./dev")
    if not page.js("typeof axe === 'object'"):
        with open(os.environ["AXE"], encoding="utf-8") as file:
            page.js(f"{file.read()}; true")
    return page.js(AXE)


def outside(page):
    """What is cut off at the sides: a button that cannot be reached."""
    return page.js(
        "[...document.querySelectorAll('button, a, input, select, textarea')].filter(each =>"
        " each.checkVisibility() && !each.closest('.table-wrap')"
        " && (each.getBoundingClientRect().left < 0"
        "     || each.getBoundingClientRect().right > innerWidth + 0.5)"
        " && !each.matches('.skip')).map(each => each.id || each.outerHTML.slice(0, 80))"
    )
