import { type Page } from 'puppeteer-core';

const maxPaintMs = 1500;
export const slowdown = 4;
/** Other processes delay single runs. */
const tries = 3;

const observe = `
  window.observed = { painted: 0, longest: 0, moved: [], pending: 0, lastResponse: 0 };
  const on = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  on('layout-shift', ({ value, sources, hadRecentInput }) => {
    if (hadRecentInput) return;
    const place = ({ x, y }) => Math.round(x) + ',' + Math.round(y);
    const words = ({ node, previousRect, currentRect }) =>
      (node?.nodeName ?? '?') + ' "' + (node?.textContent ?? '').slice(0, 40) + '" from ' + place(previousRect) + ' to ' + place(currentRect);
    observed.moved.push('moves by ' + value.toFixed(4) + ': ' + sources.map(words).join('; '));
  });
  on('largest-contentful-paint', ({ startTime }) => (observed.painted = startTime));
  on('longtask', ({ duration }) => (observed.longest = Math.max(observed.longest, duration)));
  const send = window.fetch;
  window.fetch = async (...request) => {
    observed.pending += 1;
    try {
      return await send(...request);
    } finally {
      observed.pending -= 1;
      observed.lastResponse = performance.now();
    }
  };`;

const quietMs = 200;

/** Resolves when the page has waited for no response for a moment. */
export async function untilQuiet(page: Page): Promise<void> {
  await page.waitForFunction(`observed.pending === 0 && performance.now() > observed.lastResponse + ${quietMs}`);
}

function spin(): number {
  let sum = 0;
  for (let count = 0; count < 400_000; count += 1) sum += count;
  return sum;
}

/** Records in every page that is opened later what moves, when it is painted, and how long tasks are. */
export async function observeLoading(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(observe);
}

/**
 * Whether the page was painted later than on a slow machine, longer on a busy one. `factor` is how many times slower than
 * this machine the page was loaded.
 */
export async function lateness(page: Page, factor: number): Promise<readonly string[]> {
  const painted = (await page.evaluate('observed.painted')) as number;
  const limit = (maxPaintMs * factor) / slowdown;
  const isLate = painted === 0 || (painted > limit && painted > limit * machineDelay());
  return isLate ? [`is painted after ${Math.round(painted)} ms`] : [];
}

/** What moved after it was displayed: a person who was about to click it misses it. */
export async function movements(page: Page): Promise<readonly string[]> {
  return (await page.evaluate('observed.moved')) as readonly string[];
}

/** How many times longer a computation takes because of other processes: 1 on an idle machine. */
function machineDelay(): number {
  const times = Array.from({ length: 200 }, () => {
    const from = performance.now();
    spin();
    return performance.now() - from;
  }).slice(20);
  return times.reduce((sum, time) => sum + time, 0) / times.length / Math.min(...times);
}

/** Repeats a measurement until it is within the limit, which is longer on a busy machine; returns the excess. */
export async function excessOf(limit: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < tries && least > 0; count += 1) {
    const before = machineDelay();
    const measured = await measure();
    least = Math.min(least, measured - limit * Math.max(before, machineDelay()));
  }
  return Math.max(0, Math.round(least));
}
