"""When a page has come to rest: its script has run, its charts and tables are drawn, and nothing changes any more."""

from playwright.sync_api import Page

#: so long must nothing change; what never rests, a live page or a replay, is waited for no longer than MOST_MS
QUIET_MS, MOST_MS, LONG_MS = 300, 2_500, 60_000
RESTS = """([quiet, most]) => new Promise(done => {
  let changed = performance.now();
  const ends = changed + most;
  const watcher = new MutationObserver(() => { changed = performance.now(); });
  const watch = root => watcher.observe(root, {childList: true, attributes: true, characterData: true, subtree: true});
  watch(document);
  const all = (selector, wanted) => [...document.querySelectorAll(selector)]
    .every(e => !e.checkVisibility() || e.querySelector(wanted));
  const moves = one => one.playState === 'running' && one.effect?.getComputedTiming().iterations !== Infinity;
  const whole = () => document.querySelector('[data-testid=stApp][data-test-script-state=notRunning]')
    && !document.querySelector('[data-testid=stSkeleton]')
    && all('.plm-chart', '.main-svg') && all('[data-testid=stDataFrame]', 'canvas');
  const look = () => {
    if (!whole() || document.getAnimations().some(moves)) changed = performance.now();
    const now = performance.now();
    if (now - changed >= quiet || now >= ends) { watcher.disconnect(); done(whole() ? '' : 'not whole'); }
    else setTimeout(look, 50);
  };
  look();
})"""


def settle(page: Page) -> None:
    """Wait until the page rests."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(state="attached", timeout=LONG_MS)
    page.evaluate(RESTS, [QUIET_MS, MOST_MS])
