// A browser that is signed in, and what is watched on every page: messages of the console, requests to other places, what is sent,
// accessibility.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const COLOURS = ['color-contrast', 'link-in-text-block'];

/** Into how many shares the pages are divided. */
export const parts = Number(process.env.SHARE || 1);

/** With `SHARE=3` a third of some pages, another third on each day; all of them without it. */
export function share(all) {
  const day = Math.floor(Date.now() / 864e5);
  return all.filter((_, n) => n % parts === day % parts);
}

/** Starts Chromium as the system has it. */
export async function start() {
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
}

/** Signs in by the link that works once; what comes back is kept for other contexts. */
export async function signIn(browser, link) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.waitForURL(url => !url.pathname.startsWith('/login'));
  const state = await context.storageState();
  await context.close();
  return state;
}

/** A page whose messages and requests are written down. */
export async function watched(context, origin) {
  const page = await context.newPage();
  const seen = { messages: [], elsewhere: [], requests: 0, bytes: 0, sizes: [] };
  page.on('console', message => seen.messages.push(message.text()));
  page.on('pageerror', error => seen.messages.push(String(error)));
  page.on('request', request => {
    if (!request.url().startsWith(origin)) seen.elsewhere.push(request.url());
  });
  page.on('requestfinished', request => {
    seen.requests += 1;
    const counted = request.sizes().then(sizes => { seen.bytes += sizes.responseBodySize + sizes.responseHeadersSize; });
    // A request whose page is gone has no size any more.
    seen.sizes.push(counted.catch(() => {}));
  });
  return { page, seen };
}

/** What keeps people from using a page, a line each: by all rules, or by those alone that look at colours. */
export async function barriers(page, ofColours = false) {
  await page.evaluate(axe);
  const runOnly = ofColours ? { type: 'rule', values: COLOURS } : { type: 'tag', values: TAGS };
  const { violations } = await page.evaluate(only => window.axe.run(document, { runOnly: only, resultTypes: ['violations'] }), runOnly);
  return violations.map(({ id, nodes }) => `axe ${id}: ${nodes.slice(0, 3).map(node => node.html.slice(0, 140)).join(' | ')}`);
}

/** How many pixels a page is wider than its window. */
export async function sideways(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Does what leads to another view, and waits until that one is there, whether it is loaded or put in the place of this one. */
export async function led(page, act) {
  await page.evaluate(() => { document.querySelector('main').dataset.left = ''; });
  await act();
  await page.locator('main:not([data-left])').waitFor();
}

/** The pages that the menu of a market names: the tabs of all sections. */
export async function menuOf(page, origin, market) {
  const targets = selector => page.$$eval(selector, links => links.map(link => link.getAttribute('href')));
  const found = new Set();
  await page.goto(`${origin}/${market}`);
  for (const section of await targets('.sections a:not(.palette)')) {
    await page.goto(origin + section);
    for (const path of await targets('.tabs a')) found.add(path);
  }
  return [...found];
}

/** Symbols of a market: the first stocks of its screener. */
export async function symbolsOf(page, origin, market) {
  await page.goto(`${origin}/${market}/screener`);
  const links = page.locator(`main a[href^="/${market}/company/"]`);
  const symbols = await links.evaluateAll(all => all.map(link => decodeURIComponent(link.pathname.split('/')[3])));
  return [...new Set(symbols)];
}
