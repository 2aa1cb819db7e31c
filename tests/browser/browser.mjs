// A browser that is signed in, and what is watched on every page: messages of the console, requests to other places, what is sent.
import { chromium } from 'playwright-core';

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
  const seen = { messages: [], elsewhere: [], requests: 0, bytes: 0 };
  page.on('console', message => seen.messages.push(message.text()));
  page.on('pageerror', error => seen.messages.push(String(error)));
  page.on('request', request => {
    if (!request.url().startsWith(origin)) seen.elsewhere.push(request.url());
  });
  page.on('requestfinished', async request => {
    seen.requests += 1;
    const sizes = await request.sizes().catch(() => null);
    if (sizes) seen.bytes += sizes.responseBodySize + sizes.responseHeadersSize;
  });
  return { page, seen };
}
