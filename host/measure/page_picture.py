"""Takes the README's picture of the live page, at a simulated table: `python -m host.measure.page_picture FILE`.

It needs Chromium, which `make picture` says if it is not there.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

SIZE = ViewportSize(width=1280, height=640)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
ADDRESS = re.compile(r"http://\S+:\d+")
PATIENCE_MS = 90_000
RESULT = "Bets are paid and collected."


def take(target: Path, browser: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        words = ["simulate", "--folder", folder, "--seed", "picture", "--mischief", "0", "--pace", "150"]
        felt = str(Path(sys.executable).parent / "felt")
        table = subprocess.Popen(
            [felt, *words], stdout=subprocess.PIPE, text=True, env=os.environ | {"TERM": "dumb"}
        )
        assert table.stdout
        try:
            found = next(match for line in table.stdout if (match := ADDRESS.search(line)))
            shoot(found[0].rstrip(",."), target, browser)
        finally:
            table.send_signal(signal.SIGINT)
            table.communicate()


def shoot(address: str, target: Path, browser: str) -> None:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        page = chromium.new_page(viewport=SIZE)
        page.goto(address)
        page.get_by_text(RESULT).first.wait_for(timeout=PATIENCE_MS)
        page.wait_for_timeout(300)  # until the display's picture has followed
        page.screenshot(path=target)
        chromium.close()


def main() -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise SystemExit("the picture of the page needs Chromium; install it (Debian: apt install chromium)")
    take(Path(sys.argv[1]), browser)


if __name__ == "__main__":
    main()
