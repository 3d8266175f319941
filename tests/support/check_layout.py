"""Looks at HTML reports in a real browser: check_layout.py [--keep FOLDER] CHROMIUM PAGE...

At 390, 1000 and 1400 pixels, light and dark: nothing sticks out of the page or of its box, unless that scrolls; no
text of a figure leaves it or overlaps another, and no figure scrolls; there are no scripts; letters are at least 10
pixels high; text stands out from what is behind it by 4.5 to 1, and lines and marks of figures by 3 to 1 (WCAG 2.1,
1.4.3 and 1.4.11); a curve has the colour of its entry in the legend. The screenshot at 390 pixels has nothing in the
margins of the page. FOLDER keeps the screenshots. Exit status 0: good; 1: not, with every finding on stderr; 2: the
browser did not run.
"""

import base64
import itertools
import json
import os
import pathlib
import select
import struct
import subprocess
import sys
import tempfile
import zlib

MARGIN = 8  # pixels of the page's padding that hold nothing
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]


class BrowserError(Exception):
    pass


# Runs in the page; what it found.
PROBE = r"""
(() => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
  const found = [];
  const name = (e) => {
    const text = (e.textContent || "").trim().replace(/\s+/g, " ").slice(0, 40);
    return "<" + e.tagName.toLowerCase() + (e.className.baseVal ?? e.className ? "." +
           (e.className.baseVal ?? e.className) : "") + "> \"" + text + "\"";
  };
  const scrolls = (e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX);
  const inBox = (e) => { for (let p = e.parentElement; p; p = p.parentElement) if (scrolls(p)) return p; };
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth + 1) found.push("the page is " + root.scrollWidth + " pixels wide");
  const parts = (css) => (css.match(/[\d.]+/g) || []).map(Number);
  const behind = (e) => {
    for (let p = e; p; p = p.parentElement) {
      const c = parts(getComputedStyle(p).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((x) => {
      x /= 255;
      return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  for (const e of document.querySelectorAll("*")) {
    const code = [...e.attributes].some((a) => a.name.startsWith("on") || /^\s*javascript:/i.test(a.value));
    if (e.tagName === "SCRIPT" || code) found.push(name(e) + " is a script");
  }
  for (const e of document.body.querySelectorAll("*")) {
    if (e.closest("svg") || e.tagName === "SCRIPT") continue;
    const style = getComputedStyle(e);
    const box = e.getBoundingClientRect();
    if (box.width === 0) continue;
    const holder = inBox(e);
    if (!holder && (box.left < -1 || box.right > innerWidth + 1)) found.push(name(e) + " leaves the page");
    if (style.display !== "inline" && !scrolls(e) && e.clientWidth > 0 &&
        e.scrollWidth > e.clientWidth + 1) {
      found.push(name(e) + " is wider than its box");
    }
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own) continue;
    if (parseFloat(style.fontSize) < 10) found.push(name(e) + " has letters of " + style.fontSize);
    const ratio = contrast(parts(style.color), behind(e));
    if (ratio < 4.5) found.push(name(e) + " has contrast " + ratio.toFixed(2));
  }
  let drawn = 0;
  for (const svg of document.querySelectorAll("svg:not(svg svg)")) {
    const frame = svg.getBoundingClientRect();
    if (frame.width === 0) continue;  // the drawing for another width
    drawn += 1;
    if (svg.closest("figure") && (inBox(svg) || frame.right > innerWidth + 1)) {
      found.push("the figure " + svg.id + " does not fit");
    }
    const ground = behind(svg);
    const paints = (e) => {
      const style = getComputedStyle(e);
      const all = [];
      if (style.stroke !== "none" && parseFloat(style.strokeWidth) > 0) all.push(style.stroke);
      const filled = e.tagName !== "line" && style.fill !== "none" && style.fillOpacity === "1";
      if (filled) all.push(style.fill);
      return all;
    };
    const shapes = "path, rect, line";
    const quiet = /var\(--(line|shade|paper)/;  // grids and grounds
    for (const shape of svg.querySelectorAll(shapes)) {
      if (quiet.test(shape.getAttribute("stroke") ?? "") && !shape.getAttribute("fill")) continue;
      for (const paint of paints(shape)) {
        if (quiet.test(shape.getAttribute("fill") ?? "") && paint === getComputedStyle(shape).fill) continue;
        const ratio = contrast(parts(paint), ground);
        if (ratio < 3) found.push("a mark of " + (svg.id || "a bar") + " has contrast " + ratio.toFixed(2));
      }
    }
    for (const panel of svg.querySelectorAll(".panel")) {
      for (const key of panel.querySelectorAll("[data-key]")) {
        const all = (holders) => new Set([...holders].flatMap(
            (holder) => [...holder.querySelectorAll(shapes)].flatMap(paints)));
        const curve = all(panel.querySelectorAll("[data-series='" + key.dataset.key + "']"));
        const differs = [...all([key])].some((paint) => !curve.has(paint));
        if (curve.size > 0 && differs) found.push("a curve of " + svg.id + " has not its legend's colour");
      }
    }
    const texts = [];
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      for (const [other, at] of texts) {
        const wide = Math.min(box.right, at.right) - Math.max(box.left, at.left);
        const high = Math.min(box.bottom, at.bottom) - Math.max(box.top, at.top);
        if (wide > 1 && high > 3) found.push(name(text) + " overlaps " + name(other));
      }
      texts.push([text, box]);
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
          box.bottom > frame.bottom + 1) {
        found.push(name(text) + " leaves its figure");
      }
      const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
      if (size < 10) found.push(name(text) + " has letters of " + size.toFixed(1) + "px");
      const ratio = contrast(parts(getComputedStyle(text).fill), ground);
      if (ratio < 4.5) found.push(name(text) + " has contrast " + ratio.toFixed(2));
    }
  }
  return JSON.stringify({
    width: innerWidth, dark: matchMedia("(prefers-color-scheme: dark)").matches,
    height: root.scrollHeight, drawn, texts: document.querySelectorAll("td,th,dd,p,text").length,
    found: [...new Set(found)] });
})()
"""


def pixels(path):
    """Rows of (r, g, b) of a PNG of 8 bits a channel, RGB or RGBA, not interlaced."""
    data = path.read_bytes()
    at, packed, head = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", data[at + 8 : at + 8 + size])
        if kind == b"IDAT":
            packed += data[at + 8 : at + 8 + size]
        at += size + 12
    width, height, step = head[0], head[1], 4 if head[3] == 6 else 3
    raw = zlib.decompress(packed)
    before = bytearray(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        kind, row = raw[start], bytearray(raw[start + 1 : start + 1 + width * step])
        for i in range(len(row)):
            a = row[i - step] if i >= step else 0
            b = before[i]
            c = before[i - step] if i >= step else 0
            if kind == 1:
                row[i] = (row[i] + a) & 255
            elif kind == 2:
                row[i] = (row[i] + b) & 255
            elif kind == 3:
                row[i] = (row[i] + (a + b) // 2) & 255
            elif kind == 4:
                p = a + b - c
                nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))
                row[i] = (row[i] + nearest[2]) & 255
        yield row, step
        before = row


def has_one_colour(path):
    """Whether all pixels are alike."""
    rows = (bytes(row[x : x + step]) for row, step in pixels(path) for x in range(0, len(row), step))
    first = next(rows)
    return all(pixel == first for pixel in rows)


class Browser:
    """A browser that is told what to do through a pipe (the DevTools protocol)."""

    def __init__(self, chromium, profile):
        inward, self.told = os.pipe()
        self.heard, outward = os.pipe()
        script = f'exec "$0" "$@" 3<&{inward} 4>&{outward}'
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", script, chromium, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(inward, outward),
            stderr=subprocess.DEVNULL,
        )
        os.close(inward)
        os.close(outward)
        self.rest, self.number, self.session = b"", 0, None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")

    def listen(self):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.heard], [], [], 60)
            part = os.read(self.heard, 1 << 20) if ready else b""
            if not part:
                raise BrowserError("the browser does not answer")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.told, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.listen()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]

    def show(self, page, width, height, dark):
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=scheme)
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.ask("Page.navigate", url=page.as_uri())
        while self.listen().get("method") != "Page.loadEventFired":
            pass

    def probe(self):
        answer = self.ask("Runtime.evaluate", expression=PROBE, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserError(str(answer["exceptionDetails"]))
        return json.loads(answer["result"]["value"])

    def screenshot(self, file, **more):
        data = self.ask("Page.captureScreenshot", format="png", **more)["data"]
        file.write_bytes(base64.b64decode(data))

    def close(self):
        os.close(self.told)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def findings(browser, page, width, dark, folder, keep):
    browser.show(page, width, 1000, dark)
    seen = browser.probe()
    if seen["width"] != width or seen["dark"] != dark or seen["texts"] == 0:
        raise BrowserError(f"asked for {width} pixels, dark {dark}, and got {seen}")
    yield from seen["found"]
    is_measured = width == 390 and not dark
    if not keep and not is_measured:
        return
    height = min(seen["height"], 12000)
    browser.show(page, width, height, dark)
    shot = folder / f"{page.stem}-{width}-{'dark' if dark else 'light'}.png"
    if keep:
        browser.screenshot(shot)
    for left in (0, width - MARGIN) if is_measured else ():
        margin = folder / f"{page.stem}-margin.png"
        browser.screenshot(margin, clip={"x": left, "y": 0, "width": MARGIN, "height": height, "scale": 1})
        if not has_one_colour(margin):
            yield "something is drawn in the margin of the page"
        margin.unlink()


def main(chromium, pages, folder, keep):
    found = []
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(chromium, profile)
        try:
            for page in pages:
                for width, dark in itertools.product((390, 1000, 1400), (False, True)):
                    where = f"{page}: {width} pixels, {'dark' if dark else 'light'}: "
                    found += [where + one for one in findings(browser, page, width, dark, folder, keep)]
        finally:
            browser.close()
    for finding in found:
        print(finding, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    words = sys.argv[1:]
    keep = words[:1] == ["--keep"]
    if len(words) < (4 if keep else 2):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as own:
        kept = pathlib.Path(words[1] if keep else own).resolve()
        chromium, *pages = words[2:] if keep else words
        try:
            sys.exit(main(chromium, [pathlib.Path(page).resolve() for page in pages], kept, keep))
        except (BrowserError, OSError) as error:
            print(f"{chromium}: {error}", file=sys.stderr)
            sys.exit(2)
