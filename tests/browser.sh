#!/bin/sh
# A Chromium for the tests of the page. Costs nothing where there is one; else Debian's by apt when root, else
# playwright's own. Usage: browser.sh PYTHON
set -u
python=$1

for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
"$python" - <<'EOF' && exit 0
import sys
from pathlib import Path
from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    sys.exit(not Path(playwright.chromium.executable_path).exists())
EOF

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing Debian's chromium"
  { apt-get install -y -qq --no-install-recommends chromium ||
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }; } </dev/null >/dev/null && exit 0
fi
echo "installing playwright's chromium"
exec "$python" -m playwright install chromium
